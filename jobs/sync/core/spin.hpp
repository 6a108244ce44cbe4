// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `Spin`, the loop of a thread that waits for the lock bit of a list.
//
// LockOwner: the frame of the loop. The owner of the lock bit never suspends, but the kernel may
// take its core away. Then the waiting thread gives up its time slice in place of spinning.
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
  // About 1 us of pauses: a hundred times the length of a section, and a tenth of the cost of a
  // context switch.
  static constexpr int kRounds = 32;
  int rounds_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
