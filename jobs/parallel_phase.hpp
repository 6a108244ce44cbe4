// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HotRegion: for a phase of a program in which work comes in bursts and each is to begin at once. While one is alive the workers of
// its scheduler that have nothing to do go on looking for work, where else they would sleep after 50 us; a loop that follows on a pause
// then finds them awake, which saves it the time that the system takes to wake a thread: 20 us and more. It costs what it saves: they are
// busy all the time.
//
//   jobs::HotRegion hot;
//   while (plays) render(next_frame());  // each with loops of some 100 us
//
// It is for pauses in which the thread that brings the work computes. One that sleeps may be woken, in a virtual machine, on the very CPU
// of a hot worker, and is worse off than without a region: measure.
//
// One CPU at least is left to the thread that gives them work, so on a machine with two of them, or with a quota of two, one worker is
// hot. The region has no effect while there are more workers than CPUs, or while the system throttles the process because it has used
// up its quota; workers that rest because the machine grants less go on resting. Nor has it after the scheduler has begun to shut down.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

class JOBS_EXPORT HotRegion {
 public:
  // Wakes the workers that sleep, and does not wait for them. The scheduler is that of the calling job, on other threads the default one,
  // which starts if need be. Any thread; several at a time are as good as one. Throws Error(kStopped) after shutdown, Error(kForked), and
  // what starting the default scheduler throws.
  HotRegion();
  explicit HotRegion(Scheduler& scheduler);
  // Workers that find nothing to do sleep again, some 50 us after the last region has ended. On any thread; the program aborts if the
  // scheduler is destroyed before that.
  ~HotRegion();
  HotRegion(const HotRegion&) = delete;
  HotRegion& operator=(const HotRegion&) = delete;

 private:
  detail::Shared& shared_;
};

}  // namespace jobs::inline JOBS_ABI
