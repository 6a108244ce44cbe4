// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Memory on machines with several memory nodes (NUMA).
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

/// Returns the memory nodes of the CPUs that this process may use.
///
/// The function reports the state at its first call.
///
/// @returns numbers of the kernel, ascending; empty if they are unknown
/// @complexity O(1) after the first call
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT const std::vector<int>& numa_nodes();

/// Number of pages of an array on each memory node.
struct PagePlacement {
  /// Pages per node; the index is the number of the kernel.
  std::vector<std::size_t> on_node;
  /// Pages that were not written yet, are swapped out, or have no known node.
  std::size_t absent = 0;
};
/// Returns the memory nodes of the pages of an array.
///
/// @param memory  bytes of the array
/// @returns number of pages per node
/// @throws std::bad_alloc if there is no memory
/// @complexity about 50 ns per page: the kernel looks up each page
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT PagePlacement page_placement(std::span<const std::byte> memory);
/// Returns the memory nodes of the pages of an array.
///
/// @param values  elements of the array
/// @returns number of pages per node
/// @throws std::bad_alloc if there is no memory
/// @complexity about 50 ns per page: the kernel looks up each page
/// @thread_safety any thread or fiber, concurrently
template <class T>
[[nodiscard]] PagePlacement page_placement(std::span<T> values) {
  return page_placement(std::as_bytes(values));
}

/// Distribution of the pages of an array over the memory nodes.
enum class NumaSpread : std::uint8_t {
  /// Pages in turn on all nodes.
  kInterleaved,
  /// Each page on the node of the thread that writes it first.
  kFirstTouch,
};

namespace detail {
// Throws std::bad_alloc. The block is freed with the same arguments.
JOBS_EXPORT void* allocate_spread(std::size_t size, std::size_t alignment, NumaSpread spread);
JOBS_EXPORT void free_spread(void* memory, std::size_t size, std::size_t alignment) noexcept;
}  // namespace detail

/// Allocator of containers; distributes their pages over the memory nodes.
///
/// Small arrays (less than 64 KiB) come from the heap. On a machine with one node all arrays do,
/// and the allocator makes no request to the system.
///
/// @snippet memory.cpp numa
///
/// @tparam T  type of the elements
/// @tparam kSpread  distribution of the pages
/// @thread_safety any thread or fiber, concurrently
template <class T, NumaSpread kSpread>
class NumaAllocator {
 public:
  /// Type of the elements.
  using value_type = T;
  /// Names the allocator of another type with the same distribution.
  ///
  /// @tparam U  other type
  template <class U>
  struct rebind {
    /// Allocator of U.
    using other = NumaAllocator<U, kSpread>;
  };

  /// Creates an allocator; all of them are equal.
  NumaAllocator() = default;
  /// Converts from the allocator of another type.
  template <class U>
  NumaAllocator(const NumaAllocator<U, kSpread>&) noexcept {}

  /// Allocates memory for elements.
  ///
  /// @param count  number of elements
  /// @returns memory that is not initialised
  /// @throws std::bad_array_new_length if the size is not representable
  /// @throws std::bad_alloc if there is no memory
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
      JOBS_THROW(std::bad_array_new_length());
    return static_cast<T*>(detail::allocate_spread(count * sizeof(T), alignof(T), kSpread));
  }
  /// Frees memory.
  ///
  /// @param memory  result of allocate()
  /// @param count  argument of that call
  void deallocate(T* memory, std::size_t count) noexcept {
    detail::free_spread(memory, count * sizeof(T), alignof(T));
  }

  /// Constructs an element.
  ///
  /// With NumaSpread::kFirstTouch, an element without arguments is default-initialised: a zero
  /// would be the first write.
  ///
  /// @param place  memory of the element
  /// @param arguments  arguments of the constructor
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (kSpread == NumaSpread::kFirstTouch && sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(place)) U;
    } else {
      std::construct_at(place, std::forward<Arguments>(arguments)...);
    }
  }

  /// Compares two allocators; all of them are equal.
  ///
  /// @returns true
  friend bool operator==(const NumaAllocator&, const NumaAllocator&) noexcept { return true; }
};

/// Vector with its pages on all memory nodes in turn.
///
/// It suits data that all workers read everywhere.
///
/// @tparam T  type of the elements
template <class T>
using numa_vector = std::vector<T, NumaAllocator<T, NumaSpread::kInterleaved>>;
/// Vector with each page on the node of the thread that writes it first.
///
/// The vector does not initialise elements of simple types. A loop with an AffinityPartition that
/// writes them first places each part on the node of the worker that continues to use it. The
/// workers must stay on their nodes (SchedulerOptions::pin_to_nodes).
///
/// @tparam T  type of the elements
template <class T>
using first_touch_vector = std::vector<T, NumaAllocator<T, NumaSpread::kFirstTouch>>;

}  // namespace jobs::inline JOBS_ABI
