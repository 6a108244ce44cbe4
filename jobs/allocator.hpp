// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Allocator, the source of the memory that the library takes from the heap.
// jobs.hpp does not include it, because few programs need it.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Allocates and frees the memory that the library takes from the heap.
///
/// A program derives a class from it, for example to count the memory or to take it from an arena
/// of an engine. docs/settings.md lists the memory that does not come from it, such as stacks.
///
/// Both functions may run on the stack of a fiber, inside of any call of the library. They must not
/// call the library, wait for a fiber, or throw.
///
/// @snippet allocator.cpp allocator
/// @thread_safety the library calls both functions from any thread, concurrently
class JOBS_EXPORT Allocator {
 public:
  /// Allocates memory.
  ///
  /// @param size       number of bytes, at least 1
  /// @param alignment  a power of two
  /// @returns the memory; null if there is none, and the call of the library then throws
  ///          std::bad_alloc or behaves as its documentation states for a lack of memory
  virtual void* allocate(std::size_t size, std::size_t alignment) noexcept = 0;
  /// Frees memory, possibly on another thread than the allocating thread.
  ///
  /// @param memory     the result of allocate(); never null
  /// @param size       the size given to allocate()
  /// @param alignment  the alignment given to allocate()
  virtual void deallocate(void* memory, std::size_t size, std::size_t alignment) noexcept = 0;

 protected:
  /// Constructs the base.
  constexpr Allocator() = default;
  /// Copies nothing.
  Allocator(const Allocator&) = default;
  /// Copies nothing.
  ///
  /// @returns *this
  Allocator& operator=(const Allocator&) = default;
  ~Allocator() = default;
};

/// Makes the library take its memory from `allocator` instead of the global operator new.
///
/// The call must precede all other calls of the library that allocate: the first scheduler, task
/// graph, channel or spawned job. The start of main() is the place for it. The choice is final. A
/// process made by fork() inherits it.
///
/// @param allocator  must live until the process ends, because the default scheduler frees memory
///                   then
/// @throws Error(kStarted) if the library has allocated already, or has another allocator
/// @complexity O(1), no allocation
/// @thread_safety any thread, concurrently
JOBS_EXPORT void set_allocator(Allocator& allocator);

}  // namespace jobs::inline JOBS_ABI
