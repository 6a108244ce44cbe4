// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU on which a woken worker runs. A worker that shares the CPU of another thread, while a CPU
// is free, halves the speed of a program with two workers.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "jobs/base/affinity.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/call_job.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "tests/support/in_time.hpp"

namespace {

using jobs::detail::SchedulerCore;
using jobs::detail::WorkerContext;
using jobs::test::is_true_in_time;

// The test's threads run on two CPUs of the process. The mask is restored at the end.
class CpuPlacement : public testing::Test {
 protected:
  CpuPlacement() : cpus_(jobs::os::affinity_cpus()) {}
  ~CpuPlacement() override { jobs::os::pin_thread(cpus_); }

  const std::vector<unsigned> cpus_;
};

TEST_F(CpuPlacement, IgnoresAThreadThatHasLeftItsLoop) {
  const jobs::SchedulerOptions options{.worker_count = 1};
  SchedulerCore core(options, jobs::detail::kDiagnostics);
  WorkerContext* const participant = core.enter_participant();
  ASSERT_NE(participant, nullptr);
  const auto is_recorded = [&](unsigned cpu) { return participant->ran_on(cpu); };
  participant->record_cpu();
  EXPECT_TRUE(std::ranges::any_of(cpus_, is_recorded));
  core.leave_participant(*participant);
  EXPECT_TRUE(std::ranges::none_of(cpus_, is_recorded));
}

// A participant that sleeps has recorded the second CPU. The waker computes on the first one, and
// has excluded it from the worker's mask. Other programs may disturb a round.
TEST_F(CpuPlacement, IsNotTheCpuOfTheWaker) {
  if (cpus_.size() < 2) GTEST_SKIP() << "one CPU";
  const std::vector<unsigned> two(cpus_.begin(), cpus_.begin() + 2);
  // The workers inherit the mask.
  if (!jobs::os::pin_thread(two)) GTEST_SKIP() << "the system refuses masks";
  constexpr int kRounds = 20;
  int with_waker = 0;
  for (int round = 0; round < kRounds; ++round) {
    const jobs::SchedulerOptions options{.worker_count = 2};
    SchedulerCore core(options, jobs::detail::kDiagnostics);
    ASSERT_TRUE(is_true_in_time([&] { return core.is_parked(0) && core.is_parked(1); }));
    std::atomic<bool> is_recorded{false};
    std::atomic<bool> may_end{false};
    std::thread sleeper([&] {
      jobs::os::pin_thread(two[1]);
      WorkerContext* const participant = core.enter_participant();
      participant->record_cpu();
      is_recorded = true;
      is_recorded.notify_one();
      may_end.wait(false);
      core.leave_participant(*participant);
    });
    is_recorded.wait(false);
    jobs::os::pin_thread(two[0]);
    std::atomic<int> cpu{-1};
    const auto note = [&] { cpu = sched_getcpu(); };
    jobs::detail::CallJob job(note,
                              []() noexcept { jobs::detail::this_context()->finished.add(1); });
    core.submit(job);
    while (cpu < 0) {
    }
    with_waker += cpu == static_cast<int>(two[0]) ? 1 : 0;
    job.join();
    jobs::os::pin_thread(two);
    may_end = true;
    may_end.notify_one();
    sleeper.join();
  }
  EXPECT_LE(with_waker, kRounds / 4);
}

}  // namespace
