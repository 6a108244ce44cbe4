// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// never_destroyed(): an object of the process for arenas, controls and observers, which may be
// static objects themselves. Any thread may call it.
#pragma once

#include <cstddef>
#include <new>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

// Returns the only object of this kind. It lies in memory of the program, so a check for leaks does
// not see it.
template <class T>
T& never_destroyed() {
  alignas(T) static std::byte memory[sizeof(T)];
  static T& object = *new (memory) T;
  return object;
}

}  // namespace jobs::inline JOBS_ABI::tbb::detail
