// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPool: memory in blocks of one size, for detached jobs and for users. Each worker owns one
// BlockPool per size (block_pools.hpp). Only the owner may call allocate() and
// deallocate_local(); any other thread calls deallocate_remote().
//
// Invariant: a block belongs to the pool that allocated it and always returns to this pool.
//
// A free block of the owner is in one of three places:
//   free_        the list from which allocate() takes.
//   set_aside_   blocks that were free at a certain time and have not been needed since.
//   slabs_       filed blocks, sorted by slab. Only their memory may return to the system.
// Blocks move from free_ to set_aside_ to slabs_ while the worker has nothing else to do
// (WorkerContext::release_unused). refill() brings them back to free_. No place is needed twice.
//
// Protocol of a block that another thread frees:
//   step 1  The freeing thread pushes the block onto the lock-free stack `returned_`.
//   step 2  The owner, once its own list is empty, takes the whole stack with one exchange.
//
// Proof that there is no ABA problem: the owner removes all blocks at once and never one block. So
// no thread depends on the `next` of a block that may have left the stack in the meantime.
//
// Proof that a release harms no freeing thread: a block of the stack counts as used
// (block_slabs.hpp) until the owner has taken it from the stack. The compare-exchange that pushes a
// block is the last access of the freeing thread, and it dereferences no other block. Step 2
// synchronises with it. So the owner may release the memory of each block that it has taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "jobs/base/annotate.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/memory/block_slabs.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace block_order {
// [block_pool.1] The last use of a block happens before its reuse.
JOBS_ORDER(kReturn, release);   // partner: kCollect
JOBS_ORDER(kCollect, acquire);  // partner: kReturn
}  // namespace block_order

class JOBS_EXPORT BlockPool {
 public:
  // block_size: bytes, a multiple of the cache line. node: the memory node that the pool prefers.
  explicit BlockPool(std::size_t block_size, os::Node node = os::kAnyNode) noexcept;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Returns a block of uninitialised memory. Owner only. Throws std::bad_alloc.
  void* allocate() {
    if (free_ == nullptr) [[unlikely]]
      refill();
    FreeBlock* const block = free_;
    free_ = block->next;
    sanitizer::annotate_acquire(block);
    return block;
  }
  // Frees a block of this pool. Owner only.
  void deallocate_local(void* memory) noexcept {
    sanitizer::annotate_release(memory);
    free_ = ::new (memory) FreeBlock{free_};
  }
  // Frees a block of this pool. Any thread except the owner.
  void deallocate_remote(void* memory) noexcept {
    sanitizer::annotate_release(memory);
    auto* const block = ::new (memory) FreeBlock{nullptr};
    FreeBlock* head = returned_.load(std::memory_order_relaxed);
    do {
      block->next = head;
    } while (!returned_.compare_exchange_weak(head, block, block_order::kReturn,
                                              std::memory_order_relaxed));
  }

  // Returns whether the pool has free blocks that are not filed. Owner only.
  bool has_unfiled() const noexcept {
    return free_ != nullptr || set_aside_ != nullptr ||
           returned_.load(std::memory_order_relaxed) != nullptr;
  }
  // Sets aside all free blocks that are not filed. Owner only. pre: no block is set aside.
  void set_aside() noexcept;
  // Files up to `max` of the blocks that are still set aside. Returns true if more are left. Owner
  // only.
  bool file_some(unsigned max) noexcept;
  // Files all free blocks. Owner only.
  void file_all() noexcept;
  // Returns the memory of up to `max` slabs without a used or unfiled block to the system. Keeps
  // `keep` bytes of such slabs. Returns true if more are left. Owner only.
  bool release(std::size_t keep, unsigned max) noexcept { return slabs_.release(keep, max) == max; }
  // Bytes of the slabs with filed blocks only. Owner only.
  std::size_t full_bytes() const noexcept { return slabs_.full_bytes(); }

  // Bytes that the pool has taken from the system. Any thread.
  std::uint64_t bytes() const noexcept { return slabs_.bytes(); }

 private:
  JOBS_COLD JOBS_EXPORT void refill();
  FreeBlock* collect() noexcept;
  FreeBlock* take_set_aside() noexcept;
  void file_list(FreeBlock* list) noexcept;

  const std::size_t block_size_;
  FreeBlock* free_ = nullptr;
  FreeBlock* set_aside_ = nullptr;
  BlockSlabs slabs_;
  alignas(kDestructiveDistance) Atomic<FreeBlock*> returned_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
