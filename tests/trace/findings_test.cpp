// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of findings, from figures of runs that never happened. samples/diagnosis has programs.
#include "jobs/trace/advice/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "jobs/trace/advice/run_summary.hpp"
#include "jobs/trace/format/code_place.hpp"

namespace jobs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Finding;
using trace::RootProfile;
using trace::detail::CodeSummary;
using trace::detail::find_causes;
using trace::detail::RunSummary;
using trace::detail::short_name;

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1'000'000;

// Two workers that compute 1 s each, in jobs of 1 ms.
RunSummary healthy_run() {
  RunSummary run;
  run.workers = 2;
  run.cpus = 2;
  run.length = run.awake = 1000 * kMillisecond;
  run.awake_workers = run.useful = run.jobs = 2000 * kMillisecond;
  run.scheduler = 2 * kMillisecond;
  CodeSummary& code = run.codes.emplace_back();
  code.name = "f";
  for (int i = 0; i < 2000; ++i) {
    code.runs.add(kMillisecond);
    code.stretches.add(kMillisecond);
    run.gaps.add(kMicrosecond);
  }
  return run;
}

std::vector<std::string> causes_of(const RunSummary& run) {
  std::vector<std::string> causes;
  for (const Finding& finding : find_causes(run)) causes.push_back(finding.cause);
  return causes;
}

TEST(Findings, AreNoneInAHealthyRun) { EXPECT_THAT(causes_of(healthy_run()), IsEmpty()); }

TEST(Findings, AreNoneWithoutEvents) { EXPECT_THAT(causes_of(RunSummary{}), IsEmpty()); }

TEST(Findings, HaveTheLargestShareFirst) {
  RunSummary run = healthy_run();
  run.codes[0].alone.plain = 500 * kMillisecond;
  run.codes[0].blocked = 1800 * kMillisecond;
  run.codes.emplace_back().name = "g";
  run.codes.back().alone.plain = 450 * kMillisecond;
  run.codes.back().stretches.add(kMillisecond);
  EXPECT_THAT(causes_of(run), ElementsAre("job blocks its worker", "serial part dominates"));
  const std::vector<Finding> findings = find_causes(run);
  EXPECT_EQ(findings[0].place, "f");
  EXPECT_EQ(findings[1].place, "g");
  EXPECT_DOUBLE_EQ(findings[0].share, 0.9);
}

// The share is that of the time in which a worker was awake.
TEST(Findings, FindNoSerialPartInAnIdleProgram) {
  RunSummary run = healthy_run();
  run.codes[0].alone.plain = 980 * kMillisecond;
  EXPECT_THAT(causes_of(run), ElementsAre("serial part dominates"));
  EXPECT_THAT(find_causes(run)[0].text,
              HasSubstr("For 98 % of the time in which a worker was awake, one of 2 workers "));
  run.length = 4 * run.awake;
  EXPECT_THAT(causes_of(run), ElementsAre("serial part dominates"));
  run.length = 25 * run.awake;
  EXPECT_THAT(causes_of(run), IsEmpty());
}

TEST(Findings, DoNotCallALoadedMachineOversubscribed) {
  RunSummary run = healthy_run();
  run.without_cpu = 1500 * kMillisecond;
  EXPECT_THAT(causes_of(run), IsEmpty());
  run.cpus = 1;
  EXPECT_THAT(causes_of(run), ElementsAre("too many threads"));
}

TEST(Findings, NameTheHolderOfALock) {
  RunSummary run = healthy_run();
  auto& lock = run.locks.emplace_back();
  lock.name = "cache";
  lock.holder = "holder";
  lock.waiter = "waiter";
  lock.waited = 900 * kMillisecond;
  for (int i = 0; i < 100; ++i) {
    lock.waits.add(kMillisecond);
    lock.holds.add(7 * kMillisecond);
  }
  EXPECT_THAT(causes_of(run), ElementsAre("lock convoy"));
  EXPECT_EQ(find_causes(run)[0].place, "holder");
  EXPECT_THAT(find_causes(run)[0].text, HasSubstr("Mutex cache "));
  EXPECT_THAT(find_causes(run)[0].text, HasSubstr("7.00 ms"));
}

TEST(Findings, NameTheJobsThatRunOnAnotherMemoryNode) {
  RunSummary run = healthy_run();
  run.codes[0].placed = 2000;
  run.codes[0].remote = 100;  // Idle workers steal from the other node.
  EXPECT_THAT(causes_of(run), IsEmpty());
  run.codes.emplace_back().name = "far";
  run.codes.back().placed = 1000;
  run.codes.back().remote = 900;
  EXPECT_THAT(causes_of(run), ElementsAre("memory node misses"));
  const Finding finding = find_causes(run)[0];
  EXPECT_EQ(finding.place, "far");
  EXPECT_DOUBLE_EQ(finding.share, 1000.0 / 3000);
  EXPECT_THAT(finding.text, HasSubstr("1000 of 3000 jobs ran on another memory node "));
  EXPECT_THAT(finding.text, HasSubstr("900 of them with this code"));
  for (CodeSummary& code : run.codes) {
    code.placed /= 100;
    code.remote /= 100;
  }
  EXPECT_THAT(causes_of(run), IsEmpty()) << "too few jobs to say so";
}

// The next owner of the lock was ready, and its worker busy.
TEST(Findings, DoNotBlameALockThatIsHeldBriefly) {
  RunSummary run = healthy_run();
  auto& lock = run.locks.emplace_back();
  lock.waited = 900 * kMillisecond;
  for (int i = 0; i < 100; ++i) {
    lock.waits.add(9 * kMillisecond);
    lock.holds.add(kMillisecond / 1000);
  }
  EXPECT_THAT(causes_of(run), IsEmpty());
}

// The kernel has interrupted a worker in some of the loops.
TEST(Findings, CountTheMedianLoop) {
  RunSummary run = healthy_run();
  CodeSummary& code = run.codes[0];
  code.alone.loop = 500 * kMillisecond;
  for (int i = 0; i < 99; ++i) code.chunks.add(kMillisecond);
  code.chunks.add(60 * kMillisecond);
  for (int i = 0; i < 5; ++i) code.loops.add(100 * kMillisecond);
  EXPECT_THAT(causes_of(run), ElementsAre("loop imbalance"));
  for (int i = 0; i < 10; ++i) code.loops.add(kMillisecond / 100);
  EXPECT_THAT(causes_of(run), IsEmpty());
}

TEST(Findings, NeedLateDeadlinesAndALongJob) {
  RunSummary run = healthy_run();
  for (int i = 0; i < 25; ++i) run.timers.add(3 * kMillisecond);
  run.codes[0].late = 30 * kMillisecond;
  EXPECT_THAT(causes_of(run), IsEmpty());  // The machine is loaded: the jobs take 1 ms.
  run.codes.emplace_back().name = "long";
  run.codes.back().late = 40 * kMillisecond;
  run.codes.back().stretches.add(5 * kMillisecond);
  EXPECT_THAT(causes_of(run), ElementsAre("late deadlines"));
  EXPECT_EQ(find_causes(run)[0].place, "long");
}

// The kernel has woken parked workers late.
TEST(Findings, NeedCodeThatCausesAPartOfTheLateness) {
  RunSummary run = healthy_run();
  for (int i = 0; i < 25; ++i) run.timers.add(3 * kMillisecond);
  run.codes.emplace_back().name = "long";
  run.codes.back().stretches.add(5 * kMillisecond);
  run.codes.back().late = 15 * kMillisecond;
  EXPECT_THAT(causes_of(run), IsEmpty());
  run.codes.back().late = 30 * kMillisecond;
  EXPECT_THAT(causes_of(run), ElementsAre("late deadlines"));
  EXPECT_DOUBLE_EQ(find_causes(run)[0].share, 0.4);
}

TEST(Findings, CompareAJobWithTheSchedulerAroundIt) {
  RunSummary run = healthy_run();
  CodeSummary& tiny = run.codes.emplace_back();
  tiny.name = "tiny";
  const auto run_tiny_jobs = [&](int count) {
    for (int i = 0; i < count; ++i) {
      tiny.runs.add(50);
      tiny.scheduled.add(50);
      run.gaps.add(100);
    }
  };
  for (int i = 0; i < 300'000; ++i) run.codes[0].runs.add(50);
  run_tiny_jobs(3000);
  EXPECT_THAT(causes_of(run), IsEmpty());  // They are a small part. Their parents call the others.
  run_tiny_jobs(300'000);
  EXPECT_THAT(causes_of(run), ElementsAre("grain too fine"));
  EXPECT_EQ(find_causes(run)[0].place, "tiny");
}

TEST(Findings, HaveTheNameThatTheProgramHasWritten) {
  EXPECT_EQ(short_name("void jobs::detail::SpawnedJob<main::{lambda(int, char)#1}, 3>::run(Job&)"),
            "main::{lambda(int, char)#1}");
  EXPECT_EQ(short_name("SpawnedJob<FunctionWithMessage<f(std::vector<int>)::{lambda()#2}> >::x"),
            "f(std::vector<int>)::{lambda()#2}");
  EXPECT_EQ(short_name("jobs::detail::FunctionBody<false, build()::{lambda(int)#1}, "
                       "jobs::detail::ResultSlot<int> >::call(jobs::detail::GraphSlots&)"),
            "build()::{lambda(int)#1}");
  EXPECT_EQ(short_name("void jobs::detail::stage_code<read(int)::{lambda()#1}>()"),
            "read(int)::{lambda()#1}");
  EXPECT_EQ(
      short_name("jobs::v0::detail::LoopPart<jobs::v0::parallel_for<int, int, draw(A<int>)::"
                 "{lambda(int)#1} const&>(int, int, draw(A<int>)::{lambda(int)#1}&&)::{lambda(int)"
                 "#1}>::execute(jobs::v0::detail::Job&)"),
      "draw(A<int>)::{lambda(int)#1}");
  EXPECT_EQ(short_name("jobs::v0::detail::ForkJob<jobs::v0::detail::Reduction<0, int, long, sum()::"
                       "{lambda(long, long)#1}, sum()::{lambda(int)#1}>::node(int)::{lambda()#1}, "
                       "long>::execute(jobs::v0::detail::Job&)"),
            "sum()::{lambda(int)#1}");
  EXPECT_EQ(short_name("jobs::v0::detail::LoopPart<jobs::v0::each<int, draw()::$_12 const&>(int)::"
                       "{lambda(int)#1}>::execute(jobs::v0::detail::Job&)"),
            "draw()::$_12");
  EXPECT_EQ(short_name("jobs::v0::detail::LoopPart<F>::execute(jobs::v0::detail::Job&)"),
            "jobs::v0::detail::LoopPart<F>::execute(jobs::v0::detail::Job&)");
  EXPECT_EQ(short_name("Fiber a.cpp:12"), "Fiber a.cpp:12");
  EXPECT_EQ(short_name("SpawnedJob<"), "");
}

TEST(SpeedUpOfARoot, LiesBetweenTheBoundsOfAGreedyScheduler) {
  using std::chrono::milliseconds;
  const RootProfile root{.name = "r",
                         .count = 1,
                         .work = milliseconds(100),
                         .span = milliseconds(10),
                         .burdened_span = milliseconds(20)};
  EXPECT_DOUBLE_EQ(root.parallelism(), 10);
  EXPECT_DOUBLE_EQ(root.burdened_parallelism(), 5);
  EXPECT_DOUBLE_EQ(root.expected(2).high, 2);
  EXPECT_NEAR(root.expected(2).low, 100.0 / (50 + 10), 1e-9);
  EXPECT_DOUBLE_EQ(root.expected(64).high, 10);
  EXPECT_DOUBLE_EQ(root.expected(1).low, 1);
  EXPECT_DOUBLE_EQ(root.expected(1).high, 1);
  EXPECT_DOUBLE_EQ(RootProfile{}.expected(8).high, 1);
  EXPECT_DOUBLE_EQ(RootProfile{}.parallelism(), 1);
}

}  // namespace
}  // namespace jobs::test
