// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// ParallelPhase keeps the workers awake while work arrives in bursts.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI {

/// Keeps idle workers of a scheduler awake while it lives.
///
/// It is for a phase of a program in which work arrives in bursts that must start at once. While
/// one is open, idle workers continue to search for work; otherwise they sleep after 50 us. A loop
/// after a pause then finds them awake, which saves the 20 us and more that the system takes to
/// wake a thread. In return, idle workers keep their cores busy all the time.
///
/// @snippet scheduling.cpp parallel_phase
///
/// It suits pauses in which the thread that provides the work computes. In a virtual machine, the
/// system may wake a sleeping thread on the very CPU of a spinning worker. The thread is then
/// slower than without a region: measure.
///
/// At least one CPU remains for the thread that provides the work: on a machine with two CPUs, or
/// with a quota of two, one worker spins. The region has no effect while there are more workers
/// than CPUs, or while the system throttles the process because its quota is used up. Nor has it
/// after the scheduler has begun to shut down. Workers that are retired because the machine grants
/// fewer CPUs stay retired.
class JOBS_EXPORT ParallelPhase {
 public:
  /// Opens a region of the scheduler of the calling job, or of the default scheduler.
  ///
  /// The call wakes the sleeping workers and does not wait for them. The default scheduler starts
  /// if it does not run. Several regions at a time have the effect of one.
  ///
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kForked) in a process forked from that of the scheduler
  /// @throws exception of starting the default scheduler
  /// @complexity O(sleeping workers)
  /// @thread_safety any thread or fiber, concurrently
  ParallelPhase();
  /// Opens a region of a scheduler.
  ///
  /// @param scheduler  must outlive the region; otherwise the program aborts
  /// @throws Error(kStopped) after shutdown
  /// @throws Error(kForked) in a process forked from that of the scheduler
  /// @complexity O(sleeping workers)
  /// @thread_safety any thread or fiber, concurrently
  explicit ParallelPhase(Scheduler& scheduler);
  /// Closes the region.
  ///
  /// Idle workers sleep again about 50 us after the last region has closed.
  ~ParallelPhase();
  ParallelPhase(const ParallelPhase&) = delete;
  ParallelPhase& operator=(const ParallelPhase&) = delete;

 private:
  detail::Shared& shared_;
};

}  // namespace jobs::inline JOBS_ABI
