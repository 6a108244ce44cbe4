// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording: what a file contains. Each TraceFile checks that slices nest and that waits end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/use_stack.hpp"
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

class RecordingIn : public WithWorkers {
 protected:
  // Tracks stay until the process ends.
  void SetUp() override {
    WithWorkers::SetUp();
    uses_default_scheduler();
  }
};

TEST_P(RecordingIn, HasASliceForEachJob) {
  trace::Recording recording;
  constexpr std::size_t kJobs = 200;
  run([] {
    Counter counter;
    for (std::size_t i = 0; i < kJobs; ++i) {
      spawn(counter, [] { const trace::Zone zone("a job"); });
    }
    counter.wait();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("B", "a job"), SizeIs(kJobs));
  // The jobs that an external thread runs while it waits have no slice.
  if (!is_external()) {
    EXPECT_GE(file.of_category("B", "job").size(), kJobs);
  }
}

TEST_P(RecordingIn, SplitsAZoneWhereItsFiberWaits) {
  trace::Recording recording;
  run([] {
    Event event;
    Fiber<void> fiber([&event] {
      const trace::Zone outer("outer");
      const trace::Zone inner("inner");
      event.wait();
    });
    until_waiting(fiber);
    event.signal();
    fiber.join();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("B", "outer"), SizeIs(2));
  EXPECT_THAT(file.named("B", "inner"), SizeIs(2));
  EXPECT_THAT(file.named("b", "wait: Event"), Not(IsEmpty()));
}

TEST_P(RecordingIn, NamesFibersByTheirNameOrTheirSite) {
  trace::Recording recording;
  run([] {
    Fiber<void>([] {}, {.name = "mesh \"build\"\n"}).join();
    Fiber<void>([] {}).join();
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("b", "mesh \"build\"\\n"), SizeIs(1));
  EXPECT_THAT(file.named("B", "mesh \"build\"\\n"), Not(IsEmpty()));
  bool has_site = false;
  for (const auto& life : file.of_category("b", "fiber"))
    has_site |= life["name"].get<std::string>().starts_with("recording_test.cpp:");
  EXPECT_TRUE(has_site);
}

TEST_P(RecordingIn, ShowsAWaitOfEachKind) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    mutex.lock();
    Fiber<void> fiber([&mutex] { const std::scoped_lock lock(mutex); });
    while (fiber.state() != FiberState::kWaiting) jobs::yield();
    mutex.unlock();
    fiber.join();
    // A short sleep might end before it begins.
    Fiber<void> sleeper([] { this_fiber::sleep_for(1h); });
    while (sleeper.state() != FiberState::kWaiting) jobs::yield();
    sleeper.request_stop();
    EXPECT_THROW(sleeper.join(), Cancelled);
  });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("b", "wait: Mutex"), SizeIs(1));
  EXPECT_THAT(file.named("b", "sleep"), SizeIs(1));
}

TEST_P(RecordingIn, StaysWholeDuringAStorm) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    Counter counter;
    for (int i = 0; i < 500; ++i) {
      spawn(counter, [&mutex] {
        const trace::Zone zone("storm");
        const std::scoped_lock lock(mutex);
        jobs::yield();
      });
    }
    counter.wait();
  });
  // Workers still search and park.
  const TraceFile file = TraceFile::of(recording);
  EXPECT_GE(file.named("B", "storm").size(), 500u);
}

JOBS_TEST_IN_ALL_PLACES(RecordingIn);

TEST(Recording, HasTheTracksOfWorkersAndExternalThreads) {
  trace::Recording recording;
  {
    Scheduler scheduler({.worker_count = 4});
    std::atomic<int> arrived{0};
    Counter counter;
    for (int i = 0; i < 4; ++i) {
      scheduler.spawn(counter, [&arrived] {
        arrived.fetch_add(1);
        while (arrived.load() < 4) std::this_thread::yield();
      });
    }
    counter.wait();
  }
  std::thread([] { const trace::Zone zone("outside"); }).join();
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  for (const char* const name : {"worker 0", "worker 1", "worker 2", "worker 3", "frames"})
    EXPECT_THAT(file.tracks(), Contains(name));
  EXPECT_THAT(file.tracks(), Contains(StartsWith("thread ")));
  EXPECT_THAT(file.named("B", "outside"), SizeIs(1));
}

TEST(Recording, ShowsTheftsWithTheirVictim) {
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
  const TraceFile file = TraceFile::of(recording);
  const auto thefts = file.named("i", "steal");
  ASSERT_THAT(thefts, Not(IsEmpty()));
  EXPECT_THAT(thefts[0]["args"]["victim"].get<std::string>(), StartsWith("worker "));
  EXPECT_EQ(thefts[0]["args"]["jobs"], 1);
}

TEST(Recording, ShowsThatIdleWorkersSearchAndPark) {
  Scheduler scheduler({.worker_count = 2});
  const trace::Recording recording;
  scheduler.run([] {});
  EXPECT_TRUE(is_true_in_time([&recording] {
    const TraceFile file = TraceFile::of(recording);
    return !file.named("B", "search").empty() && !file.named("B", "park").empty();
  }));
}

// The thread looks at its page faults before an event, 20 us after its last look.
TEST(Recording, ShowsThePageFaultsOfTheFiberThatUsesItsStackFirst) {
  constexpr std::size_t kPages = 50;
  const std::size_t page = os::page_size();
  std::uint64_t expected = 0;
  trace::Recording recording;
  {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&] {
      const auto use = [&] {
        const std::uint64_t before = page_faults_of_thread();
        use_stack(kPages * page);
        expected = page_faults_of_thread() - before;
        std::this_thread::sleep_for(1ms);
      };
      std::this_thread::sleep_for(1ms);
      const std::size_t size = 2 * kPages * page;
      Fiber<void>([&] { use(); }, {.name = "the first", .stack_size = size}).join();
    });
  }
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  nlohmann::json faults;
  for (const TraceSlice& slice : file.slices()) {
    if (slice.name != "the first") continue;
    for (const nlohmann::json& event : file.named("i", "page faults"))
      if (nanoseconds_of(event) >= slice.begin && nanoseconds_of(event) <= slice.end)
        faults = event["args"];
  }
  ASSERT_FALSE(faults.is_null());
  EXPECT_GT(expected, 0u);
  EXPECT_GE(faults["faults"], expected);
  EXPECT_GE(faults["stack"], kPages * page);
  EXPECT_LE(faults["stack"], 2 * kPages * page);
}

TEST(Recording, MeasuresTheTimeOfAZone) {
  trace::Recording recording;
  const auto begin = std::chrono::steady_clock::now();
  {
    const trace::Zone zone("measured");
    std::this_thread::sleep_for(20ms);
  }
  const std::chrono::duration<double, std::micro> most = std::chrono::steady_clock::now() - begin;
  recording.stop();
  const double time = TraceFile::of(recording).time_in("measured");
  EXPECT_GE(time, 19'900);  // microseconds
  EXPECT_LE(time, 1.01 * most.count());
}

TEST(Recording, HasCountersMessagesAndFrames) {
  trace::Recording recording;
  const std::string name = "dynamic";
  trace::counter(trace::intern(name), 2.5);
  trace::counter("infinite", std::numeric_limits<double>::infinity());
  trace::message("a \"text\" with \\ and \t, \xff and \u00e4");
  trace::message(std::string(1000, 'x'));
  trace::message("");
  for (int i = 0; i < 4; ++i) trace::frame();
  trace::frame("physics");
  trace::frame("physics");
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  ASSERT_THAT(file.named("C", "dynamic"), SizeIs(1));
  EXPECT_EQ(file.named("C", "dynamic")[0]["args"]["value"], 2.5);
  EXPECT_THAT(file.named("C", "infinite"), SizeIs(1));
  const auto messages = file.of_category("i", "message");
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_EQ(messages[0]["name"], "a \"text\" with \\ and \\t, \\xff and \u00e4");
  EXPECT_EQ(messages[1]["name"], std::string(240, 'x'));
  EXPECT_EQ(messages[2]["name"], "");
  EXPECT_THAT(file.named("X", "frame"), SizeIs(3));
  EXPECT_THAT(file.named("X", "physics"), SizeIs(1));
}

TEST(Recording, CutsLongTextsBetweenCharacters) {
  std::string text(239, 'm');
  std::string name(70, 'f');
  trace::Recording recording;
  trace::message(text.append("\u00e9"));
  Scheduler scheduler({.worker_count = 1});
  scheduler.run([&name] { Fiber<void>([] {}, {.name = name.append("\u20ac")}).join(); });
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  EXPECT_THAT(file.named("i", std::string(239, 'm')), SizeIs(1));
  EXPECT_THAT(file.named("b", std::string(70, 'f')), SizeIs(1));
}

TEST(Recording, KeepsTheLastEventsOfAThread) {
  trace::Recording recording;
  constexpr int kZones = 100'000;
  std::thread([] {
    for (int i = 0; i < kZones; ++i) const trace::Zone zone("many");
    const trace::Zone last("last");
  }).join();
  recording.stop();
  const TraceFile file = TraceFile::of(recording);
  const std::size_t kept = file.named("B", "many").size();
  EXPECT_GE(kept, 32'000u);
  EXPECT_LE(kept, 32'768u);
  EXPECT_THAT(file.named("B", "last"), SizeIs(1));
}

TEST(Recording, LeavesOutWhatCameBeforeItAndAfterIt) {
  {
    const trace::Zone zone("nothing records");
  }
  trace::Recording first;
  {
    const trace::Zone zone("first");
  }
  const trace::Zone around("around");
  trace::Recording second;
  EXPECT_TRUE(trace::is_recording());
  {
    const trace::Zone zone("second");
  }
  first.stop();
  first.stop();
  {
    const trace::Zone zone("third");
  }
  second.stop();
  EXPECT_FALSE(trace::is_recording());
  {
    const trace::Zone zone("after");
  }
  const TraceFile one = TraceFile::of(first);
  const TraceFile two = TraceFile::of(second);
  for (const char* const name : {"first", "second", "around"})
    EXPECT_THAT(one.named("B", name), SizeIs(1)) << name;
  for (const char* const name : {"second", "third"})
    EXPECT_THAT(two.named("B", name), SizeIs(1)) << name;
  for (const char* const name : {"nothing records", "third", "after"})
    EXPECT_THAT(one.named("B", name), IsEmpty()) << name;
  for (const char* const name : {"nothing records", "first", "around", "after"})
    EXPECT_THAT(two.named("B", name), IsEmpty()) << name;
}

TEST(Recording, EndsOpenSlices) {
  trace::Recording recording;
  const trace::Zone zone("open");
  recording.stop();
  EXPECT_THAT(TraceFile::of(recording).named("B", "open"), SizeIs(1));
}

TEST(Recording, IsWrittenWhileThreadsRecord) {
  trace::Recording recording;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&stop] {
      while (!stop.load()) {
        const trace::Zone zone("busy");
        trace::message("0123456789012345678901234567890123456789");
      }
    });
  }
  for (int i = 0; i < 5; ++i) {
    const TraceFile file = TraceFile::of(recording);
    for (const auto& message : file.of_category("i", "message")) {
      // The text of the youngest message may be incomplete.
      EXPECT_THAT("0123456789012345678901234567890123456789",
                  StartsWith(message["name"].get<std::string>()));
    }
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
}

TEST(Recording, SurvivesManyShortThreads) {
  trace::Recording recording;
  for (int i = 0; i < 200; ++i) std::thread([] { const trace::Zone zone("short"); }).join();
  recording.stop();
  const std::size_t kept = TraceFile::of(recording).named("B", "short").size();
  EXPECT_GE(kept, 60u);
  EXPECT_LE(kept, 65u);
}

TEST(Recording, RefusesAFileThatCannotBeWritten) {
  const trace::Recording recording;
  try {
    recording.write("/nonexistent/run.json");
    ADD_FAILURE();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOENT);
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/run.json"));
  }
}

TEST(Recording, NamesTheFunctionOfAJob) {
  trace::Recording recording;
  {
    Scheduler scheduler({.worker_count = 1});
    Counter counter;
    scheduler.spawn(counter, [] {});
    counter.wait();
  }
  recording.stop();
  bool named = false;
  for (const auto& job : TraceFile::of(recording).of_category("B", "job"))
    named |= job["name"].get<std::string>().find("NamesTheFunctionOfAJob") != std::string::npos;
  EXPECT_TRUE(named);
}

// A ring of each thread has 2 MiB.
TEST(RecordingOfManyThreads, UsesTheMemoryOfItsEventsOnly) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has memory of its own for each thread";
  constexpr int kThreads = 100;
  const trace::Recording recording;
  const std::size_t before = resident_kib();
  ASSERT_NE(before, 0u);
  std::latch recorded(kThreads);
  std::latch measured(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      trace::frame("the only event");
      recorded.count_down();
      measured.wait();
    });
  }
  recorded.wait();
  const std::size_t now = resident_kib();
  measured.count_down();
  for (std::thread& thread : threads) thread.join();
  constexpr std::size_t kRingKib = 2048;
  EXPECT_LT(now - std::min(before, now), kThreads * kRingKib / 4);
}

}  // namespace
}  // namespace jobs::test
