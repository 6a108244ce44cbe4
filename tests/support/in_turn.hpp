// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// InTurn: for tests of the order in which the fibers of one worker run. Such fibers record plain
// data, ordered by their turns only. A build with JOBS_TSAN_NO_SYNC does not see turns as order, so
// this class adds it. It does nothing in any other build.
#pragma once

#include "jobs/base/annotate.hpp"

namespace jobs::test {

// For a scope that does not wait. The scope is ordered after all earlier scopes of the same object.
class InTurn {
 public:
  explicit InTurn(const void* what) noexcept : what_(what) {
    detail::sanitizer::annotate_acquire(what_);
  }
  ~InTurn() { detail::sanitizer::annotate_release(what_); }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

 private:
  const void* const what_;
};

}  // namespace jobs::test
