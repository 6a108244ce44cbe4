// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For models; shared.hpp in this folder's parent describes the stand-in. No job lies in a block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/os.hpp"
#include "tests/model/explorer/explore.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct BlockPool {
  void deallocate_local(void*) noexcept { model::fail("no job lies in a block"); }
  void deallocate_remote(void*) noexcept { model::fail("no job lies in a block"); }
};

class BlockPools {
 public:
  explicit BlockPools(os::Node) noexcept {}

  BlockPool& of(std::size_t) noexcept { return pool_; }
  void release() noexcept {}
  bool has_unfiled() const noexcept { return false; }
  void set_aside() noexcept {}
  bool release_unused(std::size_t) noexcept { return false; }
  std::uint64_t bytes() const noexcept { return 0; }

 private:
  BlockPool pool_;
};

}  // namespace jobs::inline JOBS_ABI::detail
