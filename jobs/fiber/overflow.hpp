// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports a stack overflow of a fiber as one line on the standard error:
//   jobs: fiber 17 "mesh-build" overflowed its 256 KiB stack (worker 3), created at mesh.cpp:12,
//   where 11 KiB were the most so far
// The process then dies of the fault, at the faulting frame. Every other fault takes its normal
// course.
//
// The handler compares the address of the fault with the guard of the running fiber only. A frame
// that is larger than the guard can step over it if the code is compiled without
// -fstack-clash-protection.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Installs the handler for the process; later calls do nothing. Any thread.
void install_overflow_handler() noexcept;

// An alternate stack for the handler, which cannot run on a full stack. Each thread that runs
// fibers creates one and destroys it on the same thread. A thread that has an alternate stack
// already keeps that stack. If no memory is left for it, an overflow kills the process without a
// message.
class AlternateSignalStack {
 public:
  AlternateSignalStack() noexcept;
  ~AlternateSignalStack();
  AlternateSignalStack(const AlternateSignalStack&) = delete;
  AlternateSignalStack& operator=(const AlternateSignalStack&) = delete;

 private:
  std::byte* base_;  // null: the thread keeps its own
  const std::size_t size_;
};

}  // namespace jobs::inline JOBS_ABI::detail
