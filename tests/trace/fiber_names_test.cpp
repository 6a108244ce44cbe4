// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of Fibers whose creation the recording does not have: its event is overwritten, or came
// before the recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"
#include "jobs/trace/tools/raw_reader.hpp"
#include "tests/support/with_workers.hpp"
#include "tests/trace/html_trace.hpp"
#include "tests/trace/trace_file.hpp"
#include "tests/trace/until_waiting.hpp"

namespace jobs::test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using trace::detail::RawReader;

constexpr std::string_view kName = "long-lived, with a name of several parts";

// The ring of the calling thread loses all earlier events: each message has 11 slots.
void lose_events() {
  const std::string text(240, 'x');
  for (int i = 0; i < 10'000; ++i) trace::message(text);
}

std::vector<std::string> names_of_lives(const TraceFile& file) {
  std::vector<std::string> names;
  for (const auto& life : file.of_category("b", "fiber")) names.push_back(life["name"]);
  return names;
}

class FiberNamesIn : public WithWorkers {
 protected:
  // Tracks stay until the process ends.
  void SetUp() override {
    WithWorkers::SetUp();
    uses_default_scheduler();
  }
};

TEST_P(FiberNamesIn, OutliveTheEventOfTheCreation) {
  trace::Recording recording;
  run([&] {
    Event event;
    Fiber<void> fiber(
        [&event] {
          lose_events();
          event.wait();
        },
        {.name = std::string(kName)});
    lose_events();
    until_waiting(fiber);
    const TraceFile living = TraceFile::of(recording);
    EXPECT_THAT(living.named("b", kName), SizeIs(1));
    event.signal();
    fiber.join();
  });
  recording.stop();
  const TraceFile ended = TraceFile::of(recording);
  EXPECT_THAT(ended.named("b", kName), SizeIs(1));
  // The run before the wait has lost its begin.
  EXPECT_THAT(ended.named("B", kName), SizeIs(1));
}

TEST_P(FiberNamesIn, AreKnownToARecordingThatBeginsLater) {
  run([] {
    Event event;
    Event passed;
    Event end;
    Fiber<void> ends([&event] { event.wait(); }, {.name = std::string(kName)});
    Fiber<void> lives(
        [&] {
          event.wait();
          passed.signal();
          end.wait();
        },
        {.name = "lives on"});
    until_waiting(ends);
    until_waiting(lives);
    trace::Recording recording;
    event.signal();
    ends.join();
    passed.wait();
    until_waiting(lives);
    const TraceFile file = TraceFile::of(recording);
    EXPECT_THAT(file.named("b", kName), SizeIs(1));
    EXPECT_THAT(file.named("b", "lives on"), SizeIs(1));
    for (const std::string_view name : {kName, std::string_view("lives on")})
      EXPECT_THAT(file.named("B", name), SizeIs(1));
    end.signal();
    lives.join();
  });
}

TEST_P(FiberNamesIn, AreThoseOfTheLastRenaming) {
  trace::Recording recording;
  run([&] {
    Event event;
    Fiber<void> fiber(
        [&event] {
          this_fiber::set_name("renamed");
          event.wait();
          this_fiber::set_name("renamed again");
        },
        {.name = "first name"});
    until_waiting(fiber);
    EXPECT_THAT(names_of_lives(TraceFile::of(recording)), Contains("renamed"));
    event.signal();
    fiber.join();
  });
  recording.stop();
  const std::vector<std::string> names = names_of_lives(TraceFile::of(recording));
  EXPECT_THAT(names, Contains("renamed again"));
  EXPECT_THAT(names, Not(Contains("first name")));
  EXPECT_THAT(names, Not(Contains("renamed")));
}

JOBS_TEST_IN_ALL_PLACES(FiberNamesIn);

// In each format: a Fiber that lives on, one that has ended, and one without a name. All of them
// have lost the event of their creation, and have an event after it.
class NamesOfOldFibers : public testing::Test {
 protected:
  ~NamesOfOldFibers() override {
    for (const std::string& path : {path_, converted_}) std::remove(path.c_str());
  }

  // Returns the names that the file must have.
  std::array<std::string, 3> record(std::string_view ending) {
    path_ = temporary_file(ending);
    std::string site("fiber_names_test.cpp:");
    trace::Recording recording;
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&] {
      Event event;
      Event end;
      Fiber<void> living(
          [&] {
            event.wait();
            end.wait();
          },
          {.name = std::string(kName)});
      Fiber<void> ended([&event] { event.wait(); }, {.name = "ended"});
      Fiber<void> unnamed([&event] { event.wait(); });
      site += std::to_string(__LINE__ - 1);
      for (const Fiber<void>* const fiber : {&living, &ended, &unnamed}) until_waiting(*fiber);
      lose_events();
      event.signal();
      ended.join();
      unnamed.join();
      until_waiting(living);
      recording.write(path_);
      end.signal();
      living.join();
    });
    return {std::string(kName), "ended", site};
  }

  std::string path_;
  std::string converted_ = temporary_file(".converted.json");
};

TEST_F(NamesOfOldFibers, AreInChromesFormat) {
  const auto expected = record(".json");
  EXPECT_THAT(names_of_lives(TraceFile(path_)), IsSupersetOf(expected));
}

TEST_F(NamesOfOldFibers, AreInThePage) {
  const auto expected = record(".html");
  std::vector<std::string> names;
  const HtmlTrace file(path_);
  for (const auto& fiber : file.data().at("fibers")) names.push_back(fiber.at("name"));
  EXPECT_THAT(names, IsSupersetOf(expected));
}

TEST_F(NamesOfOldFibers, AreInTheRawFile) {
  const auto expected = record(".jtr");
  RawReader(path_).write(converted_);
  EXPECT_THAT(names_of_lives(TraceFile(converted_)), IsSupersetOf(expected));
}

// Fibers begin and end while the registry is read. Pauses and short recordings keep the files
// small. Under AddressSanitizer, the 130,000 events of full buffers take minutes on a busy machine.
TEST(FiberNames, AreReadWhileFibersEnd) {
  std::atomic<bool> stop{false};
  std::atomic<unsigned> ended{0};
  Scheduler scheduler({.worker_count = 2});
  Counter counter;
  for (int i = 0; i < 2; ++i) {
    scheduler.spawn(counter, [&] {
      while (!stop.load()) {
        Fiber<void> fiber([] { jobs::yield(); }, {.name = std::string(kName)});
        fiber.join();
        if (++ended % 20 == 0) jobs::this_fiber::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  for (int i = 0; i < 5; ++i) {
    trace::Recording recording;
    const unsigned before = ended.load();
    while (ended.load() - before < 100) std::this_thread::yield();
    // The text of the youngest name may be incomplete: each event has 24 bytes of it.
    for (const std::string& name : names_of_lives(TraceFile::of(recording))) {
      if (name.starts_with("long")) {
        EXPECT_THAT(std::string(kName), StartsWith(name));
      }
    }
  }
  stop.store(true);
  counter.wait();
}

}  // namespace
}  // namespace jobs::test
