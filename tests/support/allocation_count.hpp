// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the calls of operator new and operator delete, in all threads of the program. A test
// program that links allocation_count.cpp replaces these operators.
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

// Called before each allocation, by any thread. If it returns true, the allocation fails. Without
// effect under clang's ThreadSanitizer. Null: no allocation fails.
using AllocationFault = bool (*)() noexcept;
void set_allocation_fault(AllocationFault fails) noexcept;

// Number of allocations while `f` runs, by any thread.
template <class F>
std::uint64_t allocations_in(F&& f) {
  const std::uint64_t before = allocation_count().allocated;
  f();
  return allocation_count().allocated - before;
}

}  // namespace jobs::test
