// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `ActiveWait`, the time for which an external thread spins before it parks. The thread
// learns it: a wait that ends within kMaxSpin doubles the time, a longer wait halves it. A
// participant that runs a job of the awaited call waits anew, and has not spun in vain.
//
// Owner: the frame of one wait. Only the waiting thread calls the members.
#pragma once

#include <algorithm>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/thread_state.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ActiveWait {
 public:
  ActiveWait() noexcept : start_(os::now()) {}
  ~ActiveWait() { learn(os::now() - start_ <= kMaxSpin); }
  ActiveWait(const ActiveWait&) = delete;
  ActiveWait& operator=(const ActiveWait&) = delete;

  // One step. Returns false if the thread should park.
  bool spin(os::Nanoseconds deadline) noexcept {
#if defined(JOBS_MODEL) || defined(JOBS_SIMULATED)
    static_cast<void>(deadline);
    return false;  // Time passes there only while threads sleep.
#else
    const os::Nanoseconds now = os::now();
    const os::Nanoseconds spun = now - start_;
    if (spun >= this_thread().spin_limit) return false;
    if (deadline != os::kNever && os::now() >= deadline) return false;
    if (spun < kYieldAfter) {
      for (int i = 0; i < kRelaxes; ++i) cpu_relax();
    } else {
      os::yield_thread();  // The awaited thread may need this CPU.
    }
    return true;
#endif
  }
  // The thread has done something else than to spin.
  void restart() noexcept {
    learn(true);
    start_ = os::now();
  }

 private:
  static void learn(bool is_worthwhile) noexcept {
    int& limit = this_thread().spin_limit;
    limit = is_worthwhile ? std::min(2 * limit, kMaxSpin) : std::max(limit / 2, kMinSpin);
  }

  // As long as a worker searches (ConcurrencyLimit): a park and a wake-up cost 5 to 50 us.
  static constexpr int kMaxSpin = 50'000;
  static constexpr int kMinSpin = 1'000;
  static constexpr os::Nanoseconds kYieldAfter = 3000;
  // About 40 ns.
  static constexpr int kRelaxes = 4;

  os::Nanoseconds start_;
};

}  // namespace jobs::inline JOBS_ABI::detail
