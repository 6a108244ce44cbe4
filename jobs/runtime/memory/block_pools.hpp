// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPools: the memory of one worker, for jobs that own their closure and for users (runtime/worker/block_resource.hpp): a BlockPool for
// each size, from 64 bytes to 1 KiB, each twice the one before. A block is a multiple of the cache line and begins at one, so what two
// workers use never shares one.
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

  // node: where the memory is to lie.
  explicit BlockPools(os::Node node) noexcept : BlockPools(node, std::make_index_sequence<kCount>()) {}

  // Of blocks of at least so many bytes. pre: 0 < bytes <= kLargest.
  BlockPool& of(std::size_t bytes) noexcept { return pools_[index_of(bytes)]; }
  // Bytes that all of them hold. Any thread.
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
