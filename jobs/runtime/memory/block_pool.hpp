// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPool: memory of detached jobs and for users, in blocks of one size. Each worker owns one for each size: allocate() is for its owner,
// deallocate_from_afar() for any thread. A block freed elsewhere goes home over a lock-free stack that the owner empties as a
// whole, so there is no ABA. Blocks go back to the system when the pool dies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "jobs/base/annotate.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/counters.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace block_order {
JOBS_ORDER(kReturn, release);   // [P1] the last use of a block comes before its reuse; partner: kCollect
JOBS_ORDER(kCollect, acquire);  // [P1] partner: kReturn
}  // namespace block_order

class JOBS_EXPORT BlockPool {
 public:
  // block_size: bytes, a multiple of the cache line. node: where the memory is to lie.
  explicit BlockPool(std::size_t block_size, os::Node node = os::kAnyNode) noexcept
      : block_size_(block_size), node_(node) {}
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  // Owner only. Throws std::bad_alloc.
  void* allocate() {
    if (free_ == nullptr) [[unlikely]]
      refill();
    Block* const block = free_;
    free_ = block->next;
    sanitizer::take_over(block);
    return block;
  }
  // Owner only.
  void deallocate_at_home(void* memory) noexcept {
    sanitizer::hand_over(memory);
    free_ = ::new (memory) Block{free_};
  }
  // Any other thread.
  void deallocate_from_afar(void* memory) noexcept {
    sanitizer::hand_over(memory);
    auto* const block = ::new (memory) Block{nullptr};
    Block* head = returned_.load(std::memory_order_relaxed);
    do {
      block->next = head;
    } while (!returned_.compare_exchange_weak(head, block, block_order::kReturn, std::memory_order_relaxed));
  }

  // That it holds. Any thread.
  std::uint64_t bytes() const noexcept { return bytes_.read(); }

 private:
  struct Block {
    Block* next;
  };
  struct Slab;
  static constexpr std::size_t kSlabSize = 64 * 1024;

  JOBS_COLD JOBS_EXPORT void refill();

  const std::size_t block_size_;
  Block* free_ = nullptr;
  Slab* slabs_ = nullptr;  // newest first
  const os::Node node_;
  Tally bytes_;
  alignas(kDestructiveDistance) Atomic<Block*> returned_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
