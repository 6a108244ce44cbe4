// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Events that connect tracks, in the file: locks, wake-ups, spawns, chunks, nodes, stages, timers,
// blocking calls, and the waits of external threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/priority_for.hpp"
#include "jobs/trace/recording_file.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/with_workers.hpp"
#include "tests/trace/trace_file.hpp"
#include "tests/trace/until_waiting.hpp"

namespace jobs::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// An arrow: its two events, by the number that they share.
struct Arrow {
  std::string name;
  unsigned from_track = 0;
  unsigned to_track = 0;
  double from = 0;
  double to = 0;
};

std::vector<Arrow> arrows_of(const TraceFile& file, std::string_view name) {
  std::map<std::uint64_t, Arrow> found;
  for (const auto& event : file.named("s", name)) {
    Arrow& arrow = found[event.at("id")];
    arrow.name = event.at("name");
    arrow.from_track = event.at("tid");
    arrow.from = event.at("ts");
  }
  for (const auto& event : file.named("f", name)) {
    Arrow& arrow = found[event.at("id")];
    arrow.to_track = event.at("tid");
    arrow.to = event.at("ts");
    EXPECT_EQ(arrow.name, name) << "an end without its begin: " << event;
    EXPECT_GE(arrow.to, arrow.from) << event;
  }
  std::vector<Arrow> arrows;
  for (const auto& [id, arrow] : found) arrows.push_back(arrow);
  return arrows;
}

// Threads of earlier tests may have had the same name.
std::set<unsigned> tracks_of(const TraceFile& file, std::string_view name) {
  std::set<unsigned> tracks;
  for (const auto& event : file.named("M", "thread_name")) {
    if (event["args"]["name"] == name) tracks.insert(event.at("tid").get<unsigned>());
  }
  return tracks;
}

class LinksIn : public WithWorkers {
 protected:
  // Tracks stay until the process ends.
  void SetUp() override {
    WithWorkers::SetUp();
    uses_default_scheduler();
  }
  // Returns the number of chunks in the recording of a loop.
  template <class Loop>
  std::size_t chunks_of(Loop&& loop) {
    trace::Recording recording;
    run(loop);
    recording.stop();
    return TraceFile::of(recording).named("B", "chunk").size();
  }
};

TEST_P(LinksIn, ShowWhoHeldAMutexThatWasWaitedFor) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    Event is_locked;
    Event may_unlock;
    Fiber<void> owner(
        [&] {
          const std::scoped_lock lock(mutex);
          is_locked.signal();
          may_unlock.wait();
        },
        {.name = "the owner"});
    is_locked.wait();
    Fiber<void> waiter([&] { const std::scoped_lock lock(mutex); }, {.name = "the waiter"});
    until_waiting(waiter);
    Fiber<void> last([&] { const std::scoped_lock lock(mutex); }, {.name = "the last"});
    until_waiting(last);
    may_unlock.signal();
    owner.join();
    waiter.join();
    last.join();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  const auto holds = file.named("b", "hold Mutex");
  ASSERT_THAT(holds, SizeIs(2));
  EXPECT_EQ(holds[0]["args"]["owner"], "the owner");
  EXPECT_EQ(holds[1]["args"]["owner"], "the waiter");
  EXPECT_EQ(holds[0]["id"], holds[1]["id"]);
  EXPECT_THAT(file.named("B", "lock Mutex"), Not(IsEmpty()));
}

TEST_P(LinksIn, LeaveOutALockThatNobodyWaitsFor) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    for (int i = 0; i < 10; ++i) const std::scoped_lock lock(mutex);
  });
  recording.stop();
  EXPECT_THAT(TraceFile::of(recording).named("b", "hold Mutex"), IsEmpty());
}

// A stop ends the wait. A deadline might pass before the wait begins.
TEST_P(LinksIn, EndAWaitThatGivesUp) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    mutex.lock();
    std::stop_source stop;
    Fiber<void> fiber([&] { EXPECT_FALSE(mutex.lock(stop.get_token())); });
    until_waiting(fiber);
    stop.request_stop();
    fiber.join();
    mutex.unlock();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("B", "lock Mutex"), Not(IsEmpty()));
  EXPECT_THAT(file.named("b", "hold Mutex"), IsEmpty());  // Nobody waits at the release.
}

TEST_P(LinksIn, LeadFromAWakeUpToTheFiberThatRunsAgain) {
  trace::Recording recording;
  run([] {
    Event event;
    Fiber<void> fiber([&event] { event.wait(); }, {.name = "woken"});
    until_waiting(fiber);
    {
      const trace::Zone zone("signals");
      event.signal();
    }
    fiber.join();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  const auto zones = file.named("B", "signals");
  ASSERT_THAT(zones, SizeIs(1));
  double end_of_zone = 0;
  for (const TraceSlice& slice : file.slices()) {
    if (slice.name == "signals") end_of_zone = slice.end / 1000;
  }
  bool leaves_the_zone = false;
  for (const Arrow& arrow : arrows_of(file, "wake")) {
    leaves_the_zone |= arrow.from_track == zones[0].at("tid") && arrow.from >= zones[0].at("ts") &&
                       arrow.from <= end_of_zone;
  }
  EXPECT_TRUE(leaves_the_zone);
}

TEST_P(LinksIn, LeadFromASpawnToTheBeginOfTheJob) {
  trace::Recording recording;
  constexpr std::size_t kJobs = 50;
  run([] {
    Counter counter;
    for (std::size_t i = 0; i < kJobs; ++i) spawn(counter, [] { std::this_thread::yield(); });
    counter.wait();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  // An external thread runs some of its jobs itself, without a begin.
  if (!is_external()) {
    EXPECT_GE(arrows_of(file, "spawn").size(), kJobs);
  }
}

TEST_P(LinksIn, HaveTheChunksOfALoop) {
  trace::Recording recording;
  std::atomic<int> calls{0};
  run([&calls] { parallel_for(0, 20, [&calls](int) { ++calls; }, Grain{1}); });
  recording.stop();
  EXPECT_EQ(calls, 20);
  EXPECT_THAT(TraceFile::of(recording).named("B", "chunk"), SizeIs(20));
}

// Each worker takes its slot as a whole.
TEST_P(LinksIn, HaveTheChunksOfALoopWithAStaticPartition) {
  StaticPartition partition;
  std::atomic<std::size_t> parts{0};
  const auto count = [&parts](int, int) { ++parts; };
  const std::size_t chunks = chunks_of([&] { parallel_for(0, 100, count, partition); });
  EXPECT_EQ(chunks, parts.load());
  EXPECT_NE(chunks, 0u);
}

TEST_P(LinksIn, HaveTheChunksOfALoopWithAnAffinityPartition) {
  AffinityPartition partition;
  std::atomic<std::size_t> parts{0};
  const auto count = [&parts](int, int) { ++parts; };
  const std::size_t chunks = chunks_of([&] { parallel_for(0, 100, count, partition); });
  EXPECT_EQ(chunks, parts.load());
  EXPECT_GT(chunks, 1u);
}

TEST_P(LinksIn, HaveTheChunksOfALoopWithALimit) {
  const auto nothing = [](int) {};
  EXPECT_EQ(chunks_of([&] { parallel_for(0, 20, nothing, LoopLimit(2)); }), 20u);
}

TEST_P(LinksIn, HaveTheChunksOfALoopWithAPriority) {
  const auto nothing = [](int) {};
  const LoopPriority low(Priority::kLow);
  EXPECT_EQ(chunks_of([&] { parallel_for(0, 20, nothing, low, Grain(1)); }), 20u);
  StaticPartition partition;
  std::atomic<std::size_t> parts{0};
  const auto count = [&parts](int, int) { ++parts; };
  const std::size_t chunks = chunks_of([&] { parallel_for(0, 100, count, low, partition); });
  EXPECT_EQ(chunks, parts.load());
}

TEST_P(LinksIn, HaveTheChunksOfALoopOverAGrid) {
  const auto nothing = [](int, int) {};
  const Grid grid(4, 5);
  EXPECT_EQ(chunks_of([&] { parallel_for(grid, nothing, Grain(1)); }), 20u);
  EXPECT_EQ(chunks_of([&] { parallel_for(grid, nothing, LoopLimit(3)); }), 20u);
  const auto no_tile = [](const Grid<int, 2>&) {};
  EXPECT_EQ(chunks_of([&] { parallel_for(grid, {2, 2}, no_tile, LoopLimit(1)); }), 6u);
}

TEST_P(LinksIn, HaveTheLeavesOfAReduction) {
  const auto sum = [] {
    EXPECT_EQ(parallel_reduce(0, 20, 0, std::plus<>(), [](int i) { return i; }, Grain(1)), 190);
  };
  EXPECT_EQ(chunks_of(sum), 20u);
  const auto automatic = [] {
    EXPECT_EQ(parallel_reduce(0, 512, 0, std::plus<>(), [](int) { return 1; }), 512);
  };
  EXPECT_EQ(chunks_of(automatic), 256u);
}

TEST_P(LinksIn, EndTheLeafOfAReductionThatThrows) {
  trace::Recording recording;
  run([] {
    const auto fails = [](int i) {
      if (i == 3) throw std::runtime_error("leaf");
      return i;
    };
    EXPECT_THROW(static_cast<void>(parallel_reduce(0, 8, 0, std::plus<>(), fails, Grain(1))),
                 std::runtime_error);
    const trace::Zone zone("after");
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  const std::vector<nlohmann::json> after = file.named("B", "after");
  ASSERT_THAT(after, SizeIs(1));
  for (const TraceSlice& slice : file.slices()) {
    if (slice.name == "chunk") {
      EXPECT_LE(slice.end, nanoseconds_of(after[0]));
    }
  }
}

// A part throws, and the parts after it are dropped.
TEST_P(LinksIn, EndTheChunksOfALoopWithALimitThatThrows) {
  trace::Recording recording;
  run([] {
    const auto fails = [](int i) {
      if (i == 2) throw std::runtime_error("third");
    };
    EXPECT_THROW(parallel_for(0, 20, fails, LoopLimit(1)), std::runtime_error);
  });
  recording.stop();
  EXPECT_THAT(TraceFile::of(recording).named("B", "chunk"), SizeIs(3));
}

TEST_P(LinksIn, HaveTheNodesOfAGraphWithTheirNames) {
  TaskGraph graph;
  std::atomic<int> calls{0};
  const auto first = graph.node([&calls] { ++calls; }, "read the mesh");
  first.precede(graph.node([&calls] { ++calls; }));
  trace::Recording recording;
  run([&graph] {
    for (int i = 0; i < 3; ++i) graph.run();  // The first run has another path than later ones.
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_EQ(calls, 6);
  EXPECT_THAT(file.named("B", "read the mesh"), SizeIs(3));
  EXPECT_THAT(file.named("B", "node 1"), SizeIs(3));
  EXPECT_THAT(file.of_category("B", "node"), SizeIs(6));
}

TEST_P(LinksIn, HaveTheStagesOfAPipeline) {
  trace::Recording recording;
  run([] {
    int next = 0;
    const auto source = [&next] { return next < 10 ? std::optional<int>(next++) : std::nullopt; };
    pipeline(4, source, parallel([](int i) { return i + 1; }), in_order([](int) {}));
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("B", "stage 0"), SizeIs(11));  // and the end
  EXPECT_THAT(file.named("B", "stage 1"), SizeIs(10));
  EXPECT_THAT(file.named("B", "stage 2"), SizeIs(10));
}

// The kernel may stop a thread until the deadline of a sleep has passed. Then there is no timer.
TEST_P(LinksIn, HaveTheTimersWithTheirLateness) {
  Scheduler& workers = is_external() ? default_scheduler() : scheduler();
  const std::uint64_t before = workers.stats().timeouts;
  trace::Recording recording;
  EXPECT_TRUE(is_true_in_time([&] {
    run([] { Fiber<void>([] { this_fiber::sleep_for(2ms); }).join(); });
    return workers.stats().timeouts != before;
  }));
  recording.stop();
  const auto timers = TraceFile::of(recording).named("i", "timer");
  ASSERT_THAT(timers, SizeIs(workers.stats().timeouts - before));
  EXPECT_GE(timers[0]["args"]["late"], 0);
}

TEST_P(LinksIn, HaveBlockingCallsOnTheTrackOfTheirThread) {
  trace::Recording recording;
  run([] {
    Fiber<void>([] {
      // A call that ends before its fiber waits is no wait.
      blocking([fiber = this_fiber::ref()] {
        while (fiber.state() != FiberState::kWaiting) std::this_thread::sleep_for(1ms);
      });
    }).join();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.of_category("B", "blocking"), SizeIs(1));
  EXPECT_THAT(file.named("b", "blocking"), SizeIs(1));
  EXPECT_THAT(file.tracks(), Contains(HasSubstr("jobs blocking")));
}

JOBS_TEST_IN_ALL_PLACES(LinksIn);

// Whether the file, written now, has such a wait. A waiter is in the queue of its object before its
// wait begins.
bool has_wait(const trace::Recording& recording, std::string_view name) {
  return !TraceFile::of(recording).named("b", name).empty();
}

TEST(Links, HaveTheWaitsOfExternalThreads) {
  trace::Recording recording;
  {
    Scheduler scheduler({.worker_count = 1});
    Event event;
    std::thread waiter([&event] { event.wait(); });
    EXPECT_TRUE(is_true_in_time([&] { return has_wait(recording, "wait: Event"); }));
    scheduler.run([&event] { event.signal(); });
    waiter.join();
  }
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("b", "wait: Event"), Not(IsEmpty()));
  const std::set<unsigned> workers = tracks_of(file, "worker 0");
  bool is_woken_by_worker = false;
  for (const Arrow& arrow : arrows_of(file, "wake"))
    is_woken_by_worker |= workers.contains(arrow.from_track) && !workers.contains(arrow.to_track);
  EXPECT_TRUE(is_woken_by_worker);
}

TEST(Links, LeadFromTheVictimOfATheftToTheThief) {
  trace::Recording recording;
  {
    Scheduler scheduler({.worker_count = 2});
    scheduler.run([] {
      std::atomic<int> arrived{0};
      const auto meet = [&arrived] {
        arrived.fetch_add(1);
        while (arrived.load() < 2) std::this_thread::yield();
      };
      fork_join(meet, meet);
    });
  }
  recording.stop();
  const auto thefts = arrows_of(TraceFile::of(recording), "theft");
  ASSERT_THAT(thefts, Not(IsEmpty()));
  EXPECT_NE(thefts[0].from_track, thefts[0].to_track);
}

// Both schedulers have a worker 0, and the thief is a worker of one of them.
TEST(Links, LeadOnlyFromAVictimThatCanBeTheRightOne) {
  using jobs::detail::TraceEvent;
  using Track = trace::detail::Recorder::TrackCopy;
  const auto event = [](std::uint64_t at, TraceEvent kind, std::uint64_t second = 0) {
    return trace::detail::RawEvent{at, static_cast<std::uint64_t>(kind), 1, second};
  };
  const auto worker = [&](std::uint64_t begin, std::uint64_t end) {
    return Track{.name = "worker 0",
                 .events = {event(begin, TraceEvent::kJobBegin), event(end, TraceEvent::kJobEnd),
                            event(end, TraceEvent::kSearchBegin), event(end, TraceEvent::kPark),
                            event(9000, TraceEvent::kWake)}};
  };
  const Track thief{.name = "worker 1",
                    .events = {event(5000, TraceEvent::kSteal, 0)}};  // from worker 0
  const auto thefts = [&](const std::vector<Track>& tracks) {
    const trace::detail::TraceClock clock({.ticks = 0, .at = 0}, {.ticks = 10'000, .at = 10'000});
    const std::string path = temporary_file(".json");
    trace::detail::write_recording_file(path, tracks, clock, 0, 10'000, {});
    const TraceFile file(path);
    std::remove(path.c_str());
    return arrows_of(file, "theft");
  };
  const auto one = thefts({worker(4000, 6000), thief});
  ASSERT_THAT(one, SizeIs(1));
  // The other scheduler has no work at this time.
  const auto idle = thefts({worker(4000, 6000), thief, worker(1000, 3000), worker(7000, 8000)});
  ASSERT_THAT(idle, SizeIs(1));
  EXPECT_EQ(idle[0].from_track, one[0].from_track);
  // Both have work.
  EXPECT_THAT(thefts({worker(4000, 6000), thief, worker(1000, 6000)}), IsEmpty());
}

TEST(Links, ShowAMutexBetweenExternalThreads) {
  trace::Recording recording;
  Mutex mutex;
  mutex.lock();
  std::thread waiter([&mutex] { const std::scoped_lock lock(mutex); });
  // A release without a waiter has no event.
  EXPECT_TRUE(is_true_in_time([&] { return has_wait(recording, "wait: Mutex"); }));
  mutex.unlock();
  waiter.join();
  recording.stop();
  const auto holds = TraceFile::of(recording).named("b", "hold Mutex");
  ASSERT_THAT(holds, SizeIs(1));
  EXPECT_THAT(holds[0]["args"]["owner"].get<std::string>(), StartsWith("thread "));
}

}  // namespace
}  // namespace jobs::test
