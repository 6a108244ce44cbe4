// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockCache: a few heap blocks of one size that were freed on this thread and will be wanted again. Unlike a BlockPool's they
// belong to nobody: a block may outlive the cache that it came from and be freed through any other, or to the heap. Owner only.
#pragma once

#include <cstddef>
#include <new>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BlockCache {
 public:
  // block_size: bytes.
  explicit BlockCache(std::size_t block_size) noexcept : block_size_(block_size) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  ~BlockCache() {
    while (free_ != nullptr) ::operator delete(take());
  }

  // Throws std::bad_alloc.
  void* allocate() { return free_ != nullptr ? take() : ::operator new(block_size_); }
  // Of a block of that size from any allocate(), or from ::operator new.
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

  const std::size_t block_size_;
  Block* free_ = nullptr;
  unsigned count_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
