// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// InTurn: for tests of the order in which the fibers of one worker go. What such fibers note down in plain data has no other order than
// their turns, which are none to ThreadSanitizer in a build by JOBS_TSAN_NO_SYNC. Nothing in any other build.
#pragma once

#include "jobs/base/hand_over.hpp"

namespace jobs::test {

// For a scope that does not wait. Comes after all those before it about the same object.
class InTurn {
 public:
  explicit InTurn(const void* what) noexcept : what_(what) { detail::sanitizer::take_over(what_); }
  ~InTurn() { detail::sanitizer::hand_over(what_); }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

 private:
  const void* const what_;
};

}  // namespace jobs::test
