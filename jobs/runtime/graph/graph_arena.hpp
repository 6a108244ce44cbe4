// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphArena: memory for the parts of a graph. It allocates from the front of large chunks and
// frees everything at once. recycle() keeps the chunks: a graph that is built again takes the same
// memory.
//
// Owner: a GraphPlan, or the slots of a run. One thread at a time calls its functions. The arena
// calls no destructors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT GraphArena {
 public:
  GraphArena() = default;
  ~GraphArena();
  GraphArena(const GraphArena&) = delete;
  GraphArena& operator=(const GraphArena&) = delete;

  // `alignment`: a power of two. Throws std::bad_alloc.
  JOBS_ALWAYS_INLINE void* allocate(std::size_t bytes, std::size_t alignment) {
    const std::uintptr_t start = (next_ + alignment - 1) & ~(std::uintptr_t{alignment} - 1);
    if (start + bytes > end_) [[unlikely]]
      return allocate_in_next_chunk(bytes, alignment);
    next_ = start + bytes;
    return reinterpret_cast<void*>(start);
  }
  // Frees everything that was allocated, and keeps the memory.
  void recycle() noexcept {
    current_ = nullptr;
    next_ = end_ = 0;
  }

 private:
  struct Chunk {
    Chunk* next;
    std::size_t bytes;  // with this header
  };
  static constexpr std::size_t kFirstChunk = 1024;
  // From 128 KiB on, malloc() maps each chunk separately, and each of its pages costs a fault.
  static constexpr std::size_t kLargestChunk = 64 * 1024;

  JOBS_COLD void* allocate_in_next_chunk(std::size_t bytes, std::size_t alignment);

  std::uintptr_t next_ = 0;
  std::uintptr_t end_ = 0;
  Chunk* first_ = nullptr;
  Chunk* current_ = nullptr;  // null: the first chunk comes next
  std::size_t next_chunk_ = kFirstChunk;
};

}  // namespace jobs::inline JOBS_ABI::detail
