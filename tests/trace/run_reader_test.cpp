// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunReader: work and span of known graphs, from events with exact times.
#include "jobs/trace/advice/run_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobs/fiber/fiber_core.hpp"
#include "jobs/trace/advice/run_events.hpp"
#include "jobs/wait_kind.hpp"

namespace jobs::test {
namespace {

using jobs::detail::TraceEvent;
using testing::ElementsAre;
using testing::SizeIs;
using trace::detail::DagRoot;
using trace::detail::RunEvents;
using trace::detail::RunReader;

constexpr std::uint32_t kOne = 0;  // the tracks
constexpr std::uint32_t kTwo = 1;
constexpr std::uint32_t kMain = 2;
constexpr std::uint64_t kFunction = 1;

std::uint64_t waits_for(WaitKind kind) {
  return jobs::detail::pack_wait(static_cast<unsigned>(kind), 0);
}

// Two workers and an external thread.
class RunOfEvents : public testing::Test {
 protected:
  RunOfEvents() { run_.tracks = {"worker 0", "worker 1", "thread 1 (main)"}; }

  void at(std::uint64_t time, std::uint32_t track, TraceEvent kind, std::uint64_t first = 0,
          std::uint64_t second = 0, std::string text = {}) {
    run_.events.push_back({.at = time,
                           .kind = kind,
                           .track = track,
                           .first = first,
                           .second = second,
                           .text = std::move(text)});
    run_.end = time;
  }
  void begin_job(std::uint64_t time, std::uint32_t track, std::uint64_t job) {
    at(time, track, TraceEvent::kJobBegin, kFunction, job);
  }
  void end_job(std::uint64_t time, std::uint32_t track) { at(time, track, TraceEvent::kJobEnd); }
  void spawn(std::uint64_t time, std::uint32_t track, std::uint64_t job) {
    at(time, track, TraceEvent::kSpawn, job, kFunction);
  }
  // Returns the roots that have work.
  std::vector<DagRoot> roots(std::uint64_t burden = 0) const {
    RunReader reader(run_, 2, burden);
    reader.read();
    std::vector<DagRoot> found;
    for (const DagRoot& root : reader.dag().roots())
      if (root.work != 0) found.push_back(root);
    return found;
  }
  void expect_root(std::uint64_t work, std::uint64_t span) const {
    const std::vector<DagRoot> found = roots();
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].work, work);
    EXPECT_EQ(found[0].span, span);
  }

  RunEvents run_;
};

TEST_F(RunOfEvents, IsOnePathIfEachJobCreatesTheNextOne) {
  begin_job(0, kOne, 10);
  spawn(100, kOne, 11);
  end_job(100, kOne);
  begin_job(150, kTwo, 11);
  spawn(250, kTwo, 12);
  end_job(250, kTwo);
  begin_job(300, kOne, 12);
  end_job(400, kOne);
  expect_root(300, 300);
}

TEST_F(RunOfEvents, HasTheLongestChildOnItsPathAlsoOnOneWorker) {
  begin_job(0, kOne, 10);
  spawn(10, kOne, 11);
  spawn(20, kOne, 12);
  spawn(30, kOne, 13);
  at(40, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kCounter));
  begin_job(50, kOne, 11);
  end_job(150, kOne);
  begin_job(150, kOne, 12);
  end_job(450, kOne);
  begin_job(450, kOne, 13);
  end_job(500, kOne);
  at(500, kOne, TraceEvent::kResume, 5);
  end_job(510, kOne);
  // 12 begins at 20 and takes 300; the creator continues for 10.
  expect_root(40 + 100 + 300 + 50 + 10, 20 + 300 + 10);
}

TEST_F(RunOfEvents, FollowsTheWakeUpOfAFiber) {
  begin_job(0, kOne, 10);
  spawn(0, kOne, 11);
  at(0, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kEvent));
  begin_job(0, kTwo, 11);
  at(70, kTwo, TraceEvent::kWakeFiber, 5, jobs::detail::kToken);
  at(80, kOne, TraceEvent::kReady, 5, jobs::detail::kToken);
  at(90, kOne, TraceEvent::kResume, 5);
  end_job(100, kOne);
  end_job(200, kTwo);
  expect_root(10 + 200, 200);
  end_job(300, kTwo);  // of a lost begin: no effect
  expect_root(10 + 200, 200);
}

TEST_F(RunOfEvents, CountsASleepAsPathWithoutWork) {
  begin_job(0, kOne, 10);
  at(10, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kSleep));
  at(510, kOne, TraceEvent::kResume, 5);
  end_job(520, kOne);
  expect_root(20, 520);
}

TEST_F(RunOfEvents, DoesNotFollowLocks) {
  begin_job(0, kOne, 10);
  spawn(0, kOne, 11);
  at(10, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kMutex));
  begin_job(0, kTwo, 11);
  at(300, kTwo, TraceEvent::kWakeFiber, 5, jobs::detail::kToken);
  at(300, kOne, TraceEvent::kReady, 5, jobs::detail::kToken);
  at(300, kOne, TraceEvent::kResume, 5);
  end_job(310, kOne);
  end_job(310, kTwo);
  expect_root(20 + 310, 310);
}

TEST_F(RunOfEvents, HasTheLongestChunkOfALoopOnItsPath) {
  constexpr std::uint64_t kLoop = 77;
  begin_job(0, kOne, 10);
  at(100, kOne, TraceEvent::kChunkBegin, kLoop, 0);
  at(100, kTwo, TraceEvent::kSteal, 1, 0);
  begin_job(120, kTwo, 20);
  at(120, kTwo, TraceEvent::kChunkBegin, kLoop, 8);
  at(150, kOne, TraceEvent::kChunkBegin, kLoop, 1);
  at(200, kOne, TraceEvent::kChunkEnd, kLoop);
  at(200, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kJob));
  at(320, kTwo, TraceEvent::kChunkEnd, kLoop);
  at(320, kTwo, TraceEvent::kWakeFiber, 5, jobs::detail::kToken);
  end_job(320, kTwo);
  at(330, kOne, TraceEvent::kReady, 5, jobs::detail::kToken);
  at(330, kOne, TraceEvent::kResume, 5);
  end_job(340, kOne);
  expect_root(100 + 50 + 50 + 200 + 10, 100 + 200 + 10);
}

TEST_F(RunOfEvents, JoinsWhatAnExternalThreadHasSpawned) {
  for (const std::uint64_t begin : {0u, 1000u}) {
    spawn(begin, kMain, 11);
    spawn(begin, kMain, 12);
    at(begin, kMain, TraceEvent::kSuspend, 0, waits_for(WaitKind::kCounter));
    begin_job(begin + 100, kOne, 11);
    begin_job(begin + 100, kTwo, 12);
    end_job(begin + 200, kOne);
    end_job(begin + 400, kTwo);
    at(begin + 400, kMain, TraceEvent::kResume, 0, 99);
  }
  expect_root(2 * (100 + 300), 2 * 300);
}

TEST_F(RunOfEvents, KnowsTheCreatorOfAFiber) {
  begin_job(0, kOne, 10);
  at(50, kOne, TraceEvent::kFiberCreate, 7, 1, "a.cpp:1");
  at(50, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kJoin));
  at(60, kTwo, TraceEvent::kResume, 7);
  at(160, kTwo, TraceEvent::kFiberEnd, 7);
  at(170, kOne, TraceEvent::kResume, 5);
  end_job(180, kOne);
  expect_root(50 + 100 + 10, 50 + 100 + 10);
}

TEST_F(RunOfEvents, FollowsAForkThatItsParentRuns) {
  begin_job(0, kOne, 10);
  at(10, kOne, TraceEvent::kFork, 20, kFunction);
  at(110, kOne, TraceEvent::kForkBegin, 20, kFunction);
  at(310, kOne, TraceEvent::kForkEnd);
  end_job(320, kOne);
  // The branches take 100 and 200.
  expect_root(320, 10 + 200 + 10);
}

TEST_F(RunOfEvents, FollowsAForkThatAThiefRuns) {
  begin_job(0, kOne, 10);
  at(10, kOne, TraceEvent::kFork, 20, kFunction);
  begin_job(20, kTwo, 20);
  at(110, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kJob));
  end_job(220, kTwo);
  at(230, kOne, TraceEvent::kResume, 5);
  end_job(240, kOne);
  expect_root(110 + 200 + 10, 10 + 200 + 10);
}

TEST_F(RunOfEvents, FollowsTheEndOfAFiberThatWakesItsJoiner) {
  begin_job(0, kOne, 10);
  at(0, kOne, TraceEvent::kFiberCreate, 7, 1, "a.cpp:1");
  at(0, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kEvent));
  at(0, kOne, TraceEvent::kResume, 7);
  at(100, kOne, TraceEvent::kFiberEnd, 7);
  at(100, kOne, TraceEvent::kReady, 5, jobs::detail::kToken);
  at(900, kOne, TraceEvent::kResume, 5);
  end_job(910, kOne);
  expect_root(110, 110);
}

TEST_F(RunOfEvents, AddsTheBurdenToEachEdge) {
  begin_job(0, kOne, 10);
  spawn(100, kOne, 11);
  end_job(100, kOne);
  begin_job(150, kTwo, 11);
  end_job(250, kTwo);
  const std::vector<DagRoot> found = roots(7);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].span, 200u);
  EXPECT_EQ(found[0].burdened_span, 207u);
}

TEST_F(RunOfEvents, MeasuresTheCostOfAnEdgeOnAnIdleWorker) {
  begin_job(0, kOne, 10);
  begin_job(0, kTwo, 20);
  end_job(10, kTwo);
  spawn(50, kOne, 11);
  begin_job(58, kTwo, 11);  // idle since 10
  spawn(90, kOne, 12);
  end_job(100, kTwo);
  end_job(200, kOne);
  begin_job(300, kTwo, 12);
  end_job(301, kTwo);
  RunReader reader(run_, 2, 0);
  reader.read();
  EXPECT_EQ(reader.latencies().count(), 1u);
  EXPECT_EQ(reader.latencies().median(), 8u);
}

TEST_F(RunOfEvents, KeepsAFiberWhoseBeginIsLost) {
  at(0, kMain, TraceEvent::kFiberCreate, 7, 1, "a.cpp:1");
  at(10, kOne, TraceEvent::kSuspend, 7, waits_for(WaitKind::kEvent));
  at(20, kOne, TraceEvent::kReady, 7, jobs::detail::kToken);
  at(30, kOne, TraceEvent::kResume, 7);
  at(130, kOne, TraceEvent::kFiberEnd, 7);
  const std::vector<DagRoot> found = roots();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].work, 100u);
}

// The name stands behind any of its events, also behind a later one.
TEST_F(RunOfEvents, NamesAFiberWhoseCreationIsLost) {
  run_.is_cut = true;
  at(0, kOne, TraceEvent::kResume, 7);
  at(100, kOne, TraceEvent::kSuspend, 7, waits_for(WaitKind::kEvent));
  at(100, kOne, TraceEvent::kResume, 8);
  at(130, kOne, TraceEvent::kFiberEnd, 8);
  at(130, kOne, TraceEvent::kReady, 7, jobs::detail::kToken);
  at(130, kOne, TraceEvent::kResume, 7);
  at(140, kOne, TraceEvent::kFiberEnd, 7, 0, "old");
  RunReader reader(run_, 2, 0);
  reader.read();
  std::map<std::string, std::uint64_t> times;
  for (const auto& code : reader.summary().codes) times[code.name] = code.runs.total();
  EXPECT_EQ(times["Fiber old"], 110u);
  EXPECT_EQ(times["(a job that began before the events)"], 30u);
}

TEST_F(RunOfEvents, NamesALockAsTheProgramDoes) {
  run_.objects.set(0x1000, "cache (a.cpp:3)");
  begin_job(0, kOne, 10);
  at(10, kOne, TraceEvent::kLockWait, 0x1000, 1);
  at(20, kOne, TraceEvent::kLockHeld, 0x1000);
  at(30, kOne, TraceEvent::kLockWait, 0x2000, 1);
  at(40, kOne, TraceEvent::kLockHeld, 0x2000);
  end_job(50, kOne);
  RunReader reader(run_, 2, 0);
  reader.read();
  const auto& locks = reader.summary().locks;
  ASSERT_THAT(locks, SizeIs(2));
  EXPECT_EQ(locks[0].name, "cache (a.cpp:3)");
  EXPECT_EQ(locks[1].name, "0x2000");
}

// Both schedulers have a worker 0. That of the other scheduler sleeps.
TEST_F(RunOfEvents, FollowsATheftFromTheWorkerThatRuns) {
  run_.tracks.push_back("worker 0");
  constexpr std::uint32_t kOther = 3;
  begin_job(0, kOne, 10);
  at(50, kOther, TraceEvent::kPark);
  at(100, kTwo, TraceEvent::kSteal, 1, 0);
  begin_job(100, kTwo, 20);
  end_job(400, kTwo);
  end_job(450, kOne);
  expect_root(450 + 300, 450);
}

// --- one worker computes, and the other one has no work ------------------------------------------

using trace::detail::AloneTimes;
using trace::detail::RunSummary;

class TimeAlone : public RunOfEvents {
 protected:
  // Returns the sums over all code.
  AloneTimes alone() const {
    RunReader reader(run_, 2, 0);
    reader.read();
    AloneTimes sum;
    for (const auto& code : reader.summary().codes) {
      sum.piled += code.alone.piled;
      sum.plain += code.alone.plain;
    }
    return sum;
  }
  // Returns the time of each loop of the external thread.
  std::vector<std::uint64_t> loops() const {
    RunReader reader(run_, 2, 0);
    reader.read();
    for (const auto& code : reader.summary().codes)
      if (code.name == run_.tracks[kMain]) return code.loops.times();
    return {};
  }
};

TEST_F(TimeAlone, IsNotCountedWhileAJobWaitsInAQueue) {
  begin_job(0, kOne, 10);
  spawn(10, kOne, 11);
  at(60, kTwo, TraceEvent::kWake);
  begin_job(60, kTwo, 11);
  end_job(70, kTwo);
  end_job(100, kOne);
  EXPECT_EQ(alone().plain, 10u + 30u);
}

// The thread runs the first job itself while it waits, without an event.
TEST_F(TimeAlone, DoesNotStopAtAJobThatAnExternalThreadRuns) {
  spawn(0, kMain, 11);
  spawn(10, kMain, 12);
  begin_job(20, kOne, 12);
  end_job(120, kOne);
  EXPECT_EQ(alone().plain, 100u);
}

TEST_F(TimeAlone, HasTheNodesThatAnExternalThreadRuns) {
  at(0, kOne, TraceEvent::kSearchBegin);
  at(10, kMain, TraceEvent::kNodeBegin, 77, 0);
  at(110, kMain, TraceEvent::kNodeEnd, 77, 0);
  at(200, kMain, TraceEvent::kStageBegin, 78, 0);
  at(230, kMain, TraceEvent::kStageEnd, 78, 0);
  at(300, kOne, TraceEvent::kSearchEnd);
  EXPECT_EQ(alone().plain, 130u);
  expect_root(130, 130);
}

// The thread takes two chunks back while it waits for the worker.
TEST_F(TimeAlone, BelongsToALoopThatAnExternalThreadHelpsWhileItWaits) {
  constexpr std::uint64_t kLoop = 77;
  at(0, kMain, TraceEvent::kChunkBegin, kLoop, 0);
  at(10, kOne, TraceEvent::kSteal, 1, jobs::detail::kTraceExternal);
  begin_job(10, kOne, 20);
  at(10, kOne, TraceEvent::kChunkBegin, kLoop, 8);
  at(100, kMain, TraceEvent::kChunkEnd, kLoop);
  at(100, kMain, TraceEvent::kSuspend, 0, waits_for(WaitKind::kJob));
  at(110, kMain, TraceEvent::kChunkBegin, kLoop, 4);
  at(120, kMain, TraceEvent::kChunkBegin, kLoop, 5);
  at(130, kMain, TraceEvent::kChunkEnd, kLoop);
  at(135, kMain, TraceEvent::kChunkBegin, kLoop, 6);
  at(140, kMain, TraceEvent::kChunkEnd, kLoop);
  at(640, kOne, TraceEvent::kChunkEnd, kLoop);
  end_job(640, kOne);
  at(650, kMain, TraceEvent::kResume, 0, 99);
  at(660, kMain, TraceEvent::kChunkBegin, kLoop, 0);  // the next loop
  at(670, kMain, TraceEvent::kChunkEnd, kLoop);
  at(680, kMain, TraceEvent::kSpawn, 30, kFunction);
  // One of them computes before the theft, before the waiting thread helps, and after its chunks.
  EXPECT_THAT(loops(), ElementsAre(10u + 10u + 5u + 500u, 10u));
  expect_root(100 + 25 + 630 + 10, 630 + 10);
}

// A chunk that the thread runs while it waits calls a loop.
TEST_F(TimeAlone, BelongsToTheLoopWithinAChunkOfAWaitingThread) {
  constexpr std::uint64_t kOuter = 77;
  constexpr std::uint64_t kInner = 78;
  at(0, kMain, TraceEvent::kChunkBegin, kOuter, 0);
  begin_job(0, kOne, 20);
  at(0, kOne, TraceEvent::kChunkBegin, kOuter, 8);
  at(100, kMain, TraceEvent::kChunkEnd, kOuter);
  at(100, kMain, TraceEvent::kSuspend, 0, waits_for(WaitKind::kJob));
  at(100, kMain, TraceEvent::kChunkBegin, kOuter, 4);
  at(110, kMain, TraceEvent::kChunkBegin, kInner, 0);
  begin_job(110, kTwo, 21);
  at(110, kTwo, TraceEvent::kChunkBegin, kInner, 8);
  at(120, kMain, TraceEvent::kChunkEnd, kInner);
  at(120, kMain, TraceEvent::kSuspend, 0, waits_for(WaitKind::kJob));
  at(130, kOne, TraceEvent::kChunkEnd, kOuter);
  end_job(130, kOne);
  at(150, kTwo, TraceEvent::kChunkEnd, kInner);
  end_job(150, kTwo);
  at(150, kMain, TraceEvent::kResume, 0, 99);
  at(450, kMain, TraceEvent::kChunkEnd, kOuter);
  at(450, kMain, TraceEvent::kResume, 0, 99);
  EXPECT_THAT(loops(), ElementsAre(20u, 300u));
}

// The leaves of a reduction are forks, so its chunks are no edges.
TEST_F(TimeAlone, BelongsToAReductionWithALongLeaf) {
  constexpr std::uint64_t kReduction = 77;
  at(0, kMain, TraceEvent::kLoopBegin, kReduction);
  at(0, kMain, TraceEvent::kFork, 11, kFunction);
  at(0, kMain, TraceEvent::kChunkBegin, kReduction, jobs::detail::kTraceLeaf);
  begin_job(50, kTwo, 11);
  at(50, kTwo, TraceEvent::kChunkBegin, kReduction, jobs::detail::kTraceLeaf | 8);
  at(100, kMain, TraceEvent::kChunkEnd, kReduction);
  at(100, kMain, TraceEvent::kSuspend, 0, waits_for(WaitKind::kJob));
  at(400, kTwo, TraceEvent::kChunkEnd, kReduction);
  end_job(400, kTwo);
  at(410, kMain, TraceEvent::kResume, 0, 99);
  at(410, kMain, TraceEvent::kLoopEnd, kReduction);
  EXPECT_THAT(loops(), ElementsAre(50u + 300u));
  expect_root(100 + 350, 350);
}

// The first chunk of a team is not the caller's, and the caller tells when all chunks have ended.
TEST_F(TimeAlone, BelongsToALoopWhoseFirstChunkAThiefRuns) {
  constexpr std::uint64_t kLoop = 77;
  at(100, kMain, TraceEvent::kLoopBegin, kLoop);
  at(110, kMain, TraceEvent::kChunkBegin, kLoop, 8);
  at(110, kTwo, TraceEvent::kSteal, 1, jobs::detail::kTraceExternal);
  begin_job(120, kTwo, 20);
  at(120, kTwo, TraceEvent::kChunkBegin, kLoop, 0);
  at(160, kMain, TraceEvent::kChunkEnd, kLoop);
  at(160, kMain, TraceEvent::kSuspend, 0, waits_for(WaitKind::kJob));
  at(320, kTwo, TraceEvent::kChunkEnd, kLoop);
  end_job(320, kTwo);
  at(330, kMain, TraceEvent::kResume, 0, 99);
  at(330, kMain, TraceEvent::kLoopEnd, kLoop);
  EXPECT_THAT(loops(), ElementsAre(10u + 160u));
  expect_root(50 + 200, 200);
}

TEST_F(TimeAlone, IsPiledUpWhileFibersThatHaveComputedAreReady) {
  const std::uint64_t yields = jobs::detail::pack_wait(jobs::detail::kTraceYield, 0);
  std::uint64_t now = 0;
  for (const std::uint64_t fiber : {1u, 2u, 3u}) {
    begin_job(now, kOne, 10 + fiber);
    at(now += 20'000, kOne, TraceEvent::kSuspend, fiber, yields);
  }
  at(now, kOne, TraceEvent::kResume, 1);  // Two others are ready, as before the third one yields.
  at(now += 100'000, kOne, TraceEvent::kSuspend, 1, yields);
  EXPECT_EQ(alone().piled, 120'000u);
  EXPECT_EQ(alone().plain, 40'000u);
}

TEST_F(TimeAlone, IsNotPiledUpByFibersThatOnlyAskWhetherToContinue) {
  const std::uint64_t yields = jobs::detail::pack_wait(jobs::detail::kTraceYield, 0);
  for (std::uint64_t turn = 0; turn < 10; ++turn) {
    for (const std::uint64_t fiber : {1u, 2u, 3u}) {
      const std::uint64_t now = 300 * turn + 100 * fiber;
      if (turn == 0) {
        begin_job(now, kOne, 10 + fiber);
      } else {
        at(now, kOne, TraceEvent::kResume, fiber);
      }
      at(now + 100, kOne, TraceEvent::kSuspend, fiber, yields);
    }
  }
  EXPECT_EQ(alone().piled, 0u);
}

// A worker is awake while it computes or searches.
TEST_F(TimeAlone, IsAPartOfTheTimeInWhichAWorkerIsAwake) {
  begin_job(0, kOne, 10);
  end_job(100, kOne);
  at(110, kOne, TraceEvent::kSearchBegin);
  at(120, kOne, TraceEvent::kPark);
  at(1000, kOne, TraceEvent::kWake);
  RunReader reader(run_, 2, 0);
  reader.read();
  EXPECT_EQ(reader.summary().length, 1000u);
  EXPECT_EQ(reader.summary().awake, 120u);
}

// --- memory nodes --------------------------------------------------------------------------------

class PlacedJobs : public RunOfEvents {
 protected:
  // Returns the jobs whose nodes are known, and those of them that run on another node.
  std::pair<std::uint64_t, std::uint64_t> counts() const {
    RunReader reader(run_, 2, 0);
    reader.read();
    std::pair<std::uint64_t, std::uint64_t> sum{0, 0};
    for (const auto& code : reader.summary().codes) {
      sum.first += code.placed;
      sum.second += code.remote;
    }
    return sum;
  }
  // Worker 0 creates two jobs, and worker 1 steals one of them.
  void create_two_jobs() {
    begin_job(0, kOne, 10);
    spawn(10, kOne, 11);
    spawn(20, kOne, 12);
    at(30, kTwo, TraceEvent::kSteal, 1, 0);
    begin_job(30, kTwo, 11);
    end_job(40, kOne);
    begin_job(40, kOne, 12);
    end_job(50, kOne);
    end_job(60, kTwo);
  }
};

TEST_F(PlacedJobs, AreUnknownOnAMachineWithOneNode) {
  create_two_jobs();
  EXPECT_EQ(counts(), std::pair(std::uint64_t{0}, std::uint64_t{0}));
  run_.nodes = {os::kAnyNode, 0};
  EXPECT_EQ(counts(), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

TEST_F(PlacedJobs, AreRemoteIfTheirCreatorIsOnAnotherNode) {
  create_two_jobs();
  run_.nodes = {0, 0};
  EXPECT_EQ(counts(), std::pair(std::uint64_t{2}, std::uint64_t{0}));
  run_.nodes = {0, 1};
  EXPECT_EQ(counts(), std::pair(std::uint64_t{2}, std::uint64_t{1}));
}

// The parts of loops have no event of their creation.
TEST_F(PlacedJobs, HaveTheNodeOfTheVictimIfTheirCreationHasNoEvent) {
  run_.nodes = {0, 1};
  begin_job(0, kOne, 10);
  at(10, kTwo, TraceEvent::kSteal, 2, 0);
  for (const std::uint64_t job : {20u, 21u, 22u}) {  // The last one comes from its own deque.
    begin_job(job, kTwo, job);
    end_job(job + 1, kTwo);
  }
  end_job(40, kOne);
  EXPECT_EQ(counts(), std::pair(std::uint64_t{2}, std::uint64_t{2}));
}

// --- parts of jobs -------------------------------------------------------------------------------

class PartsOfJobs : public RunOfEvents {
 protected:
  // Returns the total time and the number of runs of the code with that name.
  std::pair<std::uint64_t, std::size_t> runs_of(const std::string& name) const {
    RunReader reader(run_, 2, 0);
    reader.read();
    for (const auto& code : reader.summary().codes)
      if (code.name == name) return {code.runs.total(), code.runs.count()};
    return {};
  }
  // Returns the name of the code to which that function belongs.
  static std::string name_of(std::uint64_t function) {
    return trace::detail::JobNames().of(function);
  }
  using Runs = std::pair<std::uint64_t, std::size_t>;
};

TEST_F(PartsOfJobs, HaveTheTimesOfTheJobOfAGraph) {
  constexpr std::uint64_t kNode = 2;
  begin_job(0, kOne, 10);
  at(10, kOne, TraceEvent::kNodeBegin, 77, 0, "mesh");
  at(110, kOne, TraceEvent::kNodeEnd, 77, 0);
  at(120, kOne, TraceEvent::kNodeBegin, 77, 1);
  at(120, kOne, TraceEvent::kPartCode, kNode);
  at(150, kOne, TraceEvent::kNodeEnd, 77, 1);
  at(160, kOne, TraceEvent::kNodeBegin, 77, 2, "mesh");
  at(200, kOne, TraceEvent::kNodeEnd, 77, 2);
  end_job(210, kOne);
  EXPECT_EQ(runs_of("mesh"), Runs(100 + 40, 2));
  EXPECT_EQ(runs_of(name_of(kNode)), Runs(30, 1));
  EXPECT_EQ(runs_of(name_of(kFunction)), Runs(0, 0)) << "a function of the library";
  expect_root(210, 210);
}

TEST_F(PartsOfJobs, NestAndMayWait) {
  begin_job(0, kOne, 10);
  at(10, kOne, TraceEvent::kNodeBegin, 77, 0, "outer");
  at(20, kOne, TraceEvent::kNodeBegin, 78, 0, "inner");
  at(30, kOne, TraceEvent::kSuspend, 5, waits_for(WaitKind::kSleep));
  at(500, kOne, TraceEvent::kResume, 5);
  at(540, kOne, TraceEvent::kNodeEnd, 78, 0);
  at(550, kOne, TraceEvent::kNodeEnd, 77, 0);
  end_job(560, kOne);
  EXPECT_EQ(runs_of("inner"), Runs(50, 1));
  EXPECT_EQ(runs_of("outer"), Runs(70, 1));
}

// A thief of a loop of the C interface has the function of the program; the caller has its own.
TEST_F(PartsOfJobs, AreCallsOfTheCInterface) {
  constexpr std::uint64_t kLoop = 77;
  constexpr std::uint64_t kBody = 2;
  constexpr std::uint64_t kThief = 3;
  begin_job(0, kOne, 10);
  at(0, kOne, TraceEvent::kChunkBegin, kLoop, 0);
  at(0, kOne, TraceEvent::kCallBegin, kBody);
  at(0, kTwo, TraceEvent::kSteal, 1, 0);
  at(10, kTwo, TraceEvent::kJobBegin, kThief, 11);
  at(10, kTwo, TraceEvent::kChunkBegin, kLoop, 8);
  at(10, kTwo, TraceEvent::kCallBegin, kBody);
  at(90, kTwo, TraceEvent::kCallEnd);
  at(90, kTwo, TraceEvent::kChunkEnd, kLoop);
  end_job(90, kTwo);
  at(100, kOne, TraceEvent::kCallEnd);
  at(100, kOne, TraceEvent::kChunkEnd, kLoop);
  end_job(110, kOne);
  EXPECT_EQ(runs_of(name_of(kBody)), Runs(80 + 100, 2));
  EXPECT_EQ(runs_of(name_of(kFunction)), Runs(110, 1));
  EXPECT_EQ(runs_of(name_of(kThief)), Runs(0, 0)) << "a function of the library";
}

// --- deadlines -----------------------------------------------------------------------------------

class LateDeadline : public RunOfEvents {
 protected:
  // Returns the lateness for which the code is to blame.
  std::uint64_t blamed() const {
    RunReader reader(run_, 2, 0);
    reader.read();
    std::uint64_t sum = 0;
    for (const auto& code : reader.summary().codes) sum += code.late;
    return sum;
  }
};

TEST_F(LateDeadline, IsDueToTheJobThatRanWhenItPassed) {
  begin_job(0, kOne, 10);
  end_job(1000, kOne);
  at(1010, kOne, TraceEvent::kTimer, 5, 610);
  EXPECT_EQ(blamed(), 600u);  // from 400 to the end of the job
}

TEST_F(LateDeadline, IsNotDueToAJobThatHadEndedBefore) {
  begin_job(0, kOne, 10);
  end_job(1000, kOne);
  at(1010, kOne, TraceEvent::kSearchBegin);
  at(1020, kOne, TraceEvent::kPark);
  at(9000, kOne, TraceEvent::kWake);  // The kernel is late.
  at(9000, kOne, TraceEvent::kTimer, 5, 4000);
  at(9000, kOne, TraceEvent::kTimer, 6, 8000);    // exactly at the end of the job
  at(9000, kOne, TraceEvent::kTimer, 7, 10'000);  // before the events
  EXPECT_EQ(blamed(), 1000u);
}

TEST_F(LateDeadline, IsDueToTheJobThatServesIt) {
  begin_job(0, kOne, 10);
  end_job(100, kOne);
  begin_job(200, kOne, 11);
  at(1000, kOne, TraceEvent::kTimer, 5, 300);
  at(1000, kOne, TraceEvent::kTimer, 6, 900);
  EXPECT_EQ(blamed(), 300u + 800u);
}

}  // namespace
}  // namespace jobs::test
