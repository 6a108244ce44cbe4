// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPool: memory in blocks of one size, for detached jobs and for users. Each worker owns one
// BlockPool per size (block_pools.hpp). Only the owner may call allocate() and
// deallocate_local(); any other thread calls deallocate_remote().
//
// Invariants: a block belongs to the pool that allocated it and always returns to this pool. The
// pool releases its memory when it is destroyed, not earlier.
//
// Protocol of a block that another thread frees:
//   step 1  The freeing thread pushes the block onto the lock-free stack `returned_`.
//   step 2  The owner, once its own list is empty, takes the whole stack with one exchange.
//
// Proof that there is no ABA problem: the owner removes all blocks at once and never one block. So
// no thread depends on the `next` of a block that may have left the stack in the meantime.
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
// [block_pool.1] The last use of a block happens before its reuse.
JOBS_ORDER(kReturn, release);   // partner: kCollect
JOBS_ORDER(kCollect, acquire);  // partner: kReturn
}  // namespace block_order

class JOBS_EXPORT BlockPool {
 public:
  // block_size: bytes, a multiple of the cache line. node: the memory node that the pool prefers.
  explicit BlockPool(std::size_t block_size, os::Node node = os::kAnyNode) noexcept
      : block_size_(block_size), node_(node) {}
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool();

  // Returns a block of uninitialised memory. Owner only. Throws std::bad_alloc.
  void* allocate() {
    if (free_ == nullptr) [[unlikely]]
      refill();
    Block* const block = free_;
    free_ = block->next;
    sanitizer::annotate_acquire(block);
    return block;
  }
  // Frees a block of this pool. Owner only.
  void deallocate_local(void* memory) noexcept {
    sanitizer::annotate_release(memory);
    free_ = ::new (memory) Block{free_};
  }
  // Frees a block of this pool. Any thread except the owner.
  void deallocate_remote(void* memory) noexcept {
    sanitizer::annotate_release(memory);
    auto* const block = ::new (memory) Block{nullptr};
    Block* head = returned_.load(std::memory_order_relaxed);
    do {
      block->next = head;
    } while (!returned_.compare_exchange_weak(head, block, block_order::kReturn,
                                              std::memory_order_relaxed));
  }

  // Bytes that the pool has taken from the system. Any thread.
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
  SingleWriterCounter bytes_;
  alignas(kDestructiveDistance) Atomic<Block*> returned_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
