// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory on machines with several memory nodes (NUMA): arrays that lie on all of them, arrays that lie where they are written first,
// and where an array lies. On a machine with one node these are ordinary arrays, and nothing is asked of the system.
//
//   jobs::numa_vector<float> table(1 << 24);          // pages in turn on all nodes: for what all workers read everywhere
//
//   jobs::first_touch_vector<float> grid(1 << 24);    // not written yet ...
//   jobs::AffinityPartition partition;                // ... and so each part comes to lie with the worker that goes on with it
//   jobs::parallel_for(std::size_t{0}, grid.size(), [&](std::size_t i) { grid[i] = 0; }, partition);
//
// The second needs workers that stay on their nodes (SchedulerOptions::pin_to_nodes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI {

// The memory nodes of the CPUs that this process might use when it first asked, as the kernel counts, ascending. Empty: not known.
[[nodiscard]] JOBS_EXPORT const std::vector<int>& numa_nodes();

// Where the pages of an array lie.
struct PagePlacement {
  std::vector<std::size_t> on_node;  // how many on each node, by the kernel's number of it
  std::size_t absent = 0;            // not written yet, or swapped out, or the kernel does not say
};
// Asks the kernel for each page: some 50 ns each. Throws std::bad_alloc.
[[nodiscard]] JOBS_EXPORT PagePlacement page_placement(std::span<const std::byte> memory);
template <class T>
[[nodiscard]] PagePlacement page_placement(std::span<T> values) {
  return page_placement(std::as_bytes(values));
}

enum class NumaSpread : std::uint8_t {
  kInterleaved,  // pages in turn on all nodes
  kFirstTouch,   // each page on the node of the thread that writes it first
};

namespace detail {
// Throws std::bad_alloc. Freed with the same arguments.
JOBS_EXPORT void* allocate_spread(std::size_t size, std::size_t alignment, NumaSpread spread);
JOBS_EXPORT void free_spread(void* memory, std::size_t size, std::size_t alignment) noexcept;
}  // namespace detail

// For containers. Small arrays come from the heap.
template <class T, NumaSpread kSpread>
class NumaAllocator {
 public:
  using value_type = T;
  template <class U>
  struct rebind {
    using other = NumaAllocator<U, kSpread>;
  };

  NumaAllocator() = default;
  template <class U>
  NumaAllocator(const NumaAllocator<U, kSpread>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) JOBS_THROW(std::bad_array_new_length());
    return static_cast<T*>(detail::allocate_spread(count * sizeof(T), alignof(T), kSpread));
  }
  void deallocate(T* memory, std::size_t count) noexcept { detail::free_spread(memory, count * sizeof(T), alignof(T)); }

  // Elements that are made from nothing stay as they come if that is to be their place: zeros would be the first touch.
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (kSpread == NumaSpread::kFirstTouch && sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(place)) U;
    } else {
      std::construct_at(place, std::forward<Arguments>(arguments)...);
    }
  }

  friend bool operator==(const NumaAllocator&, const NumaAllocator&) noexcept { return true; }
};

template <class T>
using numa_vector = std::vector<T, NumaAllocator<T, NumaSpread::kInterleaved>>;
// Elements of simple types are not initialised by the vector.
template <class T>
using first_touch_vector = std::vector<T, NumaAllocator<T, NumaSpread::kFirstTouch>>;

}  // namespace jobs::inline JOBS_ABI
