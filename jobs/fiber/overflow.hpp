// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns the fault of a fiber that has run out of its stack into one line on the standard error:
//   jobs: fiber 17 "mesh-build" overflowed its 256 KiB stack (worker 3), created at mesh.cpp:12, where 11 KiB were the most so far
// The process then dies of that fault, at the frame that did it. Any other fault takes the course it would have taken without us.
// It is found out by the address: only the guard of the fiber that runs counts. A frame larger than the guard, in code that was
// compiled without -fstack-clash-protection, can step over it.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"
#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Where a fiber was created; for the message.
struct FiberOrigin {
  const char* file = nullptr;  // null: not known
  unsigned line = 0;
  std::size_t peak = 0;  // bytes of stack that others from there have used; 0: not known
};
// Async-signal-safe; of the fiber that runs on the calling thread.
using OriginOf = FiberOrigin (*)(const FiberCore& fiber) noexcept;

// Process-wide; later calls do nothing. From any thread.
void install_overflow_handler(OriginOf origin_of = nullptr) noexcept;

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
