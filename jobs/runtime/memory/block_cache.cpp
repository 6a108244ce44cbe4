// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/block_cache.hpp"

#include "jobs/base/annotate.hpp"
#include "jobs/base/sanitizer.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

#if defined(JOBS_ASAN) || defined(JOBS_ANNOTATE_SYNC)
constexpr unsigned kMaxCount = 0;  // The tools report a use after free only if the block is freed.
#else
constexpr unsigned kMaxCount = 64;
#endif

}  // namespace

void BlockCache::deallocate(void* memory) noexcept {
  if (count_ >= kMaxCount) [[unlikely]]
    return free(memory);
  free_ = ::new (memory) Block{free_};
  ++count_;
}

// With the arguments of its caller in their places: its common path moves none.
JOBS_COLD void BlockCache::free(void* memory) noexcept { heap_deallocate(memory, block_size_); }

}  // namespace jobs::inline JOBS_ABI::detail
