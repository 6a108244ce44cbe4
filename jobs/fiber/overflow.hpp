// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns the fault of a fiber that has run out of its stack into one line on the standard error:
//   jobs: fiber 17 "mesh-build" overflowed its 256 KiB stack (worker 3)
// The process then dies of that fault, at the frame that did it. Any other fault takes the course it would have taken without us.
// It is found out by the address: only the guard of the fiber that runs counts. A frame larger than the guard, in code that was
// compiled without -fstack-clash-protection, can step over it.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Process-wide; later calls do nothing. From any thread.
void install_overflow_handler() noexcept;

// A stack for the handler, which cannot run on one that is full. One for each thread that runs fibers, made on that thread and
// destroyed there. A thread that has an alternate stack already keeps it; without memory for one, an overflow kills silently.
class AlternateSignalStack {
 public:
  AlternateSignalStack() noexcept;
  ~AlternateSignalStack();
  AlternateSignalStack(const AlternateSignalStack&) = delete;
  AlternateSignalStack& operator=(const AlternateSignalStack&) = delete;

 private:
  std::byte* base_;  // null: not ours
  const std::size_t size_;
};

}  // namespace jobs::inline JOBS_ABI::detail
