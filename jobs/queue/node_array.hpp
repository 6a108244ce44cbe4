// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// NodeArray: an array for frequently used data of a worker. If a memory node is set, or from 128
// KiB on, it has pages of its own, which prefer the node. Otherwise it lies on the heap. The owner
// of the array decides which threads access it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

template <class T>
class NodeArray {
 public:
  // Creates `count` elements. Elements without a default constructor of their own, such as bytes,
  // stay uninitialised. Throws std::bad_alloc.
  NodeArray(std::size_t count, os::Node node)
      : count_(count),
        first_(node == os::kAnyNode && count < kMapped / sizeof(T)
                   ? static_cast<T*>(heap_allocate(count * sizeof(T), alignof(T)))
                   : map(node)) {
    if constexpr (!kUninitialized) {
      for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(first_ + i)) T();
    }
  }
  ~NodeArray() {
    if (first_ == nullptr) return;
    for (std::size_t i = 0; i < count_; ++i) first_[i].~T();
    if (mapped_ == 0) {
      heap_deallocate(first_, count_ * sizeof(T), alignof(T));
    } else {
      os::release_pages(reinterpret_cast<std::byte*>(first_), mapped_);
    }
  }
  NodeArray(NodeArray&& other) noexcept
      : count_(other.count_),
        mapped_(std::exchange(other.mapped_, 0)),
        first_(std::exchange(other.first_, nullptr)) {}
  NodeArray& operator=(NodeArray&&) = delete;

  T* get() const noexcept { return first_; }
  T& operator[](std::size_t index) const noexcept { return first_[index]; }

  // Releases the memory of the array: all bytes of the elements become zero. Does nothing and
  // returns false if the array has no pages of its own, or if the kernel refuses.
  bool discard() const noexcept {
    return mapped_ != 0 && os::discard_pages(reinterpret_cast<std::byte*>(first_), mapped_);
  }

 private:
  static constexpr std::size_t kMapped = 128 * 1024;  // bytes
  // Bytes are not zeroed, because only their owner may touch the pages first.
  static constexpr bool kUninitialized = std::is_trivially_default_constructible_v<T>;

  T* map(os::Node node) {
    if (count_ > PTRDIFF_MAX / sizeof(T)) JOBS_THROW(std::bad_alloc());
    const std::size_t page = os::page_size();
    const std::size_t size = (count_ * sizeof(T) + page - 1) / page * page;
    std::byte* const base = os::reserve_data(size);
    if (base == nullptr) JOBS_THROW(std::bad_alloc());
    if (node != os::kAnyNode) os::prefer_node(base, size, node);
    mapped_ = size;
    return reinterpret_cast<T*>(base);
  }

  // map() sets mapped_, so its declaration precedes first_.
  const std::size_t count_;
  std::size_t mapped_ = 0;  // bytes of an array in pages; 0 for an array on the heap
  T* first_;                // null: moved from
};

}  // namespace jobs::inline JOBS_ABI::detail
