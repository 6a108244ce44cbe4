// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockCache: a few free heap blocks of one size, kept for the next allocations of one thread. Each
// WorkerContext owns two, for the objects of Fibers. Only the thread of that context may call it.
//
// Unlike the blocks of a BlockPool, these blocks have no home. A block may outlive the cache that
// allocated it. It may be freed through any other cache of its size, or directly to the heap.
#pragma once

#include <cstddef>
#include <new>

#include "jobs/base/config.hpp"
#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BlockCache {
 public:
  // block_size: bytes.
  explicit BlockCache(std::size_t block_size) noexcept : block_size_(block_size) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() {
    while (free_ != nullptr) heap_deallocate(take(), block_size_);
  }

  // Takes a free block, or allocates one on the heap. Throws std::bad_alloc.
  void* allocate() { return free_ != nullptr ? take() : heap_allocate(block_size_); }
  // Keeps the block for later, or frees it if the cache is full.
  // pre: a block of this size from any BlockCache, or from heap_allocate().
  JOBS_EXPORT void deallocate(void* memory) noexcept;

 private:
  struct Block {
    Block* next;
  };

  void* take() noexcept {
    Block* const block = free_;
    free_ = block->next;
    --count_;
    return block;
  }

  void free(void* memory) noexcept;

  const std::size_t block_size_;
  Block* free_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
