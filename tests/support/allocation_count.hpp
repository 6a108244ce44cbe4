// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what goes through operator new and operator delete, in all threads of the program. A test program that links
// allocation_count.cpp has them replaced.
#pragma once

#include <cstdint>

namespace jobs::test {

struct AllocationCount {
  std::uint64_t allocated = 0;
  std::uint64_t freed = 0;

  std::uint64_t live() const { return allocated - freed; }
};

// Since the start of the program.
AllocationCount allocation_count() noexcept;

// Asked before each allocation; true: it fails. Not under clang's ThreadSanitizer. Any thread asks; null: none fails.
using AllocationFault = bool (*)() noexcept;
void set_allocation_fault(AllocationFault fails) noexcept;

// Allocations made while `f` ran, by any thread.
template <class F>
std::uint64_t allocations_in(F&& f) {
  const std::uint64_t before = allocation_count().allocated;
  f();
  return allocation_count().allocated - before;
}

}  // namespace jobs::test
