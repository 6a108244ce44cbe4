// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/block_pools.hpp"

#include <algorithm>
#include <limits>

#include "jobs/base/annotate.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The sizes of a step of release_unused(). A block may cost a cache miss; a slab costs a
// system call.
constexpr unsigned kBlocksPerStep = 1024;
constexpr unsigned kSlabsPerStep = 16;

}  // namespace

JOBS_COLD void BlockPools::release() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreWrites lists;
  for (BlockPool& pool : pools_) {
    pool.file_all();
    pool.release(0, std::numeric_limits<unsigned>::max());
  }
}

JOBS_COLD bool BlockPools::release_unused(std::size_t keep) noexcept {
  [[maybe_unused]] const sanitizer::IgnoreWrites lists;
  for (BlockPool& pool : pools_) {
    if (pool.file_some(kBlocksPerStep)) return true;
  }
  for (BlockPool& pool : pools_) {
    if (pool.release(keep, kSlabsPerStep)) return true;
    keep -= std::min(keep, pool.full_bytes());
  }
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
