// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// allocate: two workers allocate blocks through a std::pmr::memory_resource, write to them, and
// free them in another order. Each worker frees its own blocks, or (allocate_afar) the blocks of
// the other one. Both work at the same time and meet in between.
//
// Small: 10,000 blocks of 16 to 512 bytes per worker. Large (allocate_large…), beyond the slabs:
// 1,000 blocks of 1 to 16 KiB per worker.
//
// The sides differ in the resource: jobs::memory_resource(), malloc
// (std::pmr::new_delete_resource), std::pmr::synchronized_pool_resource, or an explicit heap of
// mimalloc per worker. Unit: ns per block and worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::allocate {

// kBlocks: per worker at a time. kOperations: per worker in total. kHasPool: the standard library's
// pool is a peer.
struct Small {
  static constexpr std::size_t kBlocks = 10'000;
  static constexpr std::int64_t kOperations = 200'000;
  static constexpr bool kHasPool = true;
  static std::size_t size_of(std::size_t block) { return 16 + block * 37 % 497; }
};
struct Large {
  static constexpr std::size_t kBlocks = 1'000;
  static constexpr std::int64_t kOperations = 40'000;
  static constexpr bool kHasPool = false;
  static std::size_t size_of(std::size_t block) { return 1'040 + block * 997 % 15'345; }
};

enum class FreedBy : std::uint8_t { kOwner, kOther };

template <class Blocks, FreedBy kBy>
Figures on_jobs(const Conditions&);
template <class Blocks, FreedBy kBy>
Figures on_malloc(const Conditions&);
template <class Blocks, FreedBy kBy>
Figures on_std_pool(const Conditions&);
// pre: has_mimalloc().
template <class Blocks, FreedBy kBy>
Figures on_mimalloc(const Conditions&);

// Returns true if the shared library of mimalloc can be loaded.
bool has_mimalloc();

}  // namespace bench::allocate
