// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Spin: the loop of a thread that waits for a few instructions of another thread: for a spin lock,
// or for the lock bit of a list. The frame of the loop owns it. Any thread may use it.
//
// The other thread never suspends there, but the kernel may take its CPU away, perhaps for the
// waiting thread. So the waiting thread spins, then yields its time slice, then sleeps. Only the
// sleep helps if the waiting thread has a real-time priority: a yield of such a thread never lets a
// thread of lower priority run. docs/waiting.md has the bound, and queue/README.md the rejected
// alternatives.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Spin {
 public:
  void once() noexcept {
    if (rounds_ < kRelaxes) {
      ++rounds_;
      cpu_relax();
    } else {
      rounds_ = leave_cpu(rounds_);
    }
  }

 private:
  // About 1 us of pauses: a hundred times the length of a section, and a tenth of the cost of a
  // context switch.
  static constexpr int kRelaxes = 32;
  static constexpr int kYields = 16;
  // The other thread needs nanoseconds, so the first sleep suffices if it gets the CPU at once.
  static constexpr os::Nanoseconds kShortestSleep = 20'000;
  static constexpr int kDoublings = 4;

  // Returns the number of rounds after this one. Takes no address of the object, which stays in a
  // register of the loop.
  JOBS_COLD static int leave_cpu(int rounds) noexcept {
    const int left = rounds - kRelaxes;
    if (left < kYields) {
      os::yield_thread();
      return rounds + 1;
    }
    os::sleep_thread(kShortestSleep << (left - kYields));
    return left < kYields + kDoublings ? rounds + 1 : rounds;
  }

  int rounds_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
