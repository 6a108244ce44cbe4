// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Spin: for the few instructions during which somebody else holds the lock bit of a list. Its holder never suspends, but the
// kernel may take its core away; then the time slice is better given up than spun away.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Spin {
 public:
  void once() noexcept {
    if (rounds_ < kRounds) {
      ++rounds_;
      cpu_relax();
    } else {
      os::yield_thread();
    }
  }

 private:
  // About 1 us of pauses: a hundred times what a section takes, a tenth of what a context switch costs.
  static constexpr int kRounds = 32;
  int rounds_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
