// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Code that uses a given part of its stack.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::test {

// Writes to each page of that many bytes below the caller.
JOBS_NOINLINE inline void use_stack(std::size_t bytes) {
  auto* const frame = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += 256) frame[i] = 1;
}

}  // namespace jobs::test
