// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphArena: its chunks.
#include "jobs/runtime/graph/graph_arena.hpp"

#include <algorithm>
#include <new>

#include "jobs/base/heap.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

GraphArena::~GraphArena() {
  while (Chunk* const chunk = first_) {
    first_ = chunk->next;
    heap_deallocate_aligned(chunk, kAlignment);
  }
}

// Skips chunks that are too small. Objects that are built again in the same order fit as before.
void* GraphArena::allocate_in_next_chunk(std::size_t bytes, std::size_t alignment) {
  for (;;) {
    Chunk*& following = current_ != nullptr ? current_->next : first_;
    if (following == nullptr) {
      const std::size_t size = std::max(next_chunk_, sizeof(Chunk) + bytes + alignment);
      following = ::new (heap_allocate_aligned(size, kAlignment)) Chunk{nullptr, size};
      next_chunk_ = std::min(2 * next_chunk_, kLargestChunk);
    }
    current_ = following;
    next_ = reinterpret_cast<std::uintptr_t>(current_ + 1);
    end_ = reinterpret_cast<std::uintptr_t>(current_) + current_->bytes;
    const std::uintptr_t start = (next_ + alignment - 1) & ~(std::uintptr_t{alignment} - 1);
    if (start + bytes <= end_) {
      next_ = start + bytes;
      return reinterpret_cast<void*>(start);
    }
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
