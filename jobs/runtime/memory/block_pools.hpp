// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPools: the BlockPool of one worker for each block size: 64, 128, 256, 512 and 1024 bytes.
// The WorkerContext of the worker owns it. It serves jobs that own their closure, and users by way
// of runtime/worker/block_resource.hpp. Only the owner may allocate; block_pool.hpp has the rules
// for freeing, and for the return of memory to the system.
//
// Invariant: the size of a block is a multiple of the cache line, and a block begins at a cache
// line. So blocks of two workers never share a cache line.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "jobs/base/os.hpp"
#include "jobs/runtime/memory/block_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BlockPools {
 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kSmallest = 64;
  static constexpr std::size_t kLargest = 1024;

  // node: the memory node that the pools prefer.
  explicit BlockPools(os::Node node) noexcept
      : BlockPools(node, std::make_index_sequence<kCount>()) {}

  // The pool with the smallest blocks of at least `bytes`. pre: 0 < bytes <= kLargest.
  BlockPool& of(std::size_t bytes) noexcept { return pools_[index_of(bytes)]; }

  // --- return of memory to the system, owner only ---
  // Returns the memory of all slabs without a used block. It takes 12 ns per free block if the
  // blocks lie in sequence, otherwise a cache miss.
  void release() noexcept;
  // Returns whether free blocks exist that no step of release_unused() has seen.
  bool has_unfiled() const noexcept {
    for (const BlockPool& pool : pools_) {
      if (pool.has_unfiled()) return true;
    }
    return false;
  }
  // Sets aside all free blocks. pre: the last release_unused() has returned false.
  void set_aside() noexcept {
    for (BlockPool& pool : pools_) pool.set_aside();
  }
  // One short step: returns memory of slabs whose blocks have not been needed
  // since set_aside(), but keeps `keep` bytes. Returns true if more steps are due.
  bool release_unused(std::size_t keep) noexcept;

  // Bytes that all pools together have taken from the system. Any thread.
  std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const BlockPool& pool : pools_) sum += pool.bytes();
    return sum;
  }

 private:
  static constexpr std::size_t index_of(std::size_t bytes) noexcept {
    return static_cast<std::size_t>(std::bit_width((bytes - 1) / kSmallest));
  }
  static constexpr std::size_t kCount = std::bit_width(kLargest / kSmallest);

  template <std::size_t... kIndex>
  BlockPools(os::Node node, std::index_sequence<kIndex...>) noexcept
      : pools_{BlockPool(kSmallest << kIndex, node)...} {}

  static_assert(kSmallest << (kCount - 1) == kLargest);

  std::array<BlockPool, kCount> pools_;
};

}  // namespace jobs::inline JOBS_ABI::detail
