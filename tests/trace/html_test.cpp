// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recordings in the page of the viewer. Each HtmlTrace checks that slices nest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/support/with_workers.hpp"
#include "tests/trace/html_trace.hpp"
#include "tests/trace/until_waiting.hpp"

namespace jobs::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HtmlRecordingIn : public WithWorkers {
 protected:
  // Tracks stay until the process ends.
  void SetUp() override {
    WithWorkers::SetUp();
    uses_default_scheduler();
  }
};

TEST_P(HtmlRecordingIn, HasTheSlicesOfChromesFormat) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    Counter counter;
    for (int i = 0; i < 200; ++i) {
      spawn(counter, [&mutex] {
        const trace::Zone zone("a job");
        const std::scoped_lock lock(mutex);
        const trace::Zone inner("inner");
        jobs::yield();
      });
    }
    counter.wait();
  });
  // Both files end at the same time.
  std::this_thread::sleep_for(1ms);
  recording.stop();
  const std::vector<TraceSlice> expected = TraceFile::of(recording).slices();
  const HtmlTrace file = HtmlTrace::of(recording);
  ASSERT_EQ(file.slices().size(), expected.size());
  EXPECT_GE(file.named("inner").size(), 200u);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TraceSlice& slice = file.slices()[i];
    EXPECT_EQ(slice.track, expected[i].track);
    EXPECT_EQ(slice.name, expected[i].name);
    EXPECT_EQ(slice.category, expected[i].category);
    // Each file calibrates the clock.
    EXPECT_NEAR(slice.begin, expected[i].begin, 1000 + expected[i].begin / 100);
    EXPECT_NEAR(slice.end, expected[i].end, 1000 + expected[i].end / 100);
  }
}

TEST_P(HtmlRecordingIn, FollowsAFiberThroughItsWait) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    mutex.lock();
    Fiber<void> fiber([&mutex] { const std::scoped_lock lock(mutex); }, {.name = "follower"});
    until_waiting(fiber);
    mutex.unlock();
    fiber.join();
  });
  recording.stop();
  const HtmlTrace file = HtmlTrace::of(recording);
  for (const auto& fiber : file.data().at("fibers")) {
    if (fiber.at("name") != "follower") continue;
    const auto runs = HtmlTrace::unpack(fiber.at("runs"), 2);
    const auto waits = HtmlTrace::unpack(fiber.at("waits"), 4);
    ASSERT_THAT(runs, SizeIs(2));
    ASSERT_THAT(waits, SizeIs(1));
    EXPECT_EQ(file.name(waits[0][2]), "wait: Mutex");
    EXPECT_THAT(file.name(waits[0][3]), testing::StartsWith("0x"));
    EXPECT_EQ(runs[0][0] + runs[0][1], waits[0][0]);
    EXPECT_EQ(waits[0][0] + waits[0][1], runs[1][0]);
    EXPECT_LE(fiber.at("begin").get<std::uint64_t>(), runs[0][0]);
    EXPECT_EQ(runs[1][0] + runs[1][1], fiber.at("end"));
    return;
  }
  FAIL() << "the file has no such fiber";
}

TEST_P(HtmlRecordingIn, HasATrackForAMutexThatWasWaitedFor) {
  trace::Recording recording;
  run([] {
    Mutex mutex;
    mutex.lock();
    Fiber<void> fiber([&mutex] { const std::scoped_lock lock(mutex); }, {.name = "second"});
    until_waiting(fiber);
    mutex.unlock();
    fiber.join();
  });
  recording.stop();
  const HtmlTrace file = HtmlTrace::of(recording);
  std::vector<std::string> tracks;
  for (const auto& object : file.data().at("objects")) {
    if (!object.at("name").get<std::string>().starts_with("Mutex 0x")) continue;
    const auto holds = HtmlTrace::unpack(object.at("holds"), 4);
    const auto waits = HtmlTrace::unpack(object.at("waits"), 4);
    ASSERT_THAT(holds, SizeIs(1));
    ASSERT_THAT(waits, SizeIs(1));
    EXPECT_EQ(file.name(waits[0][2]), "second");
    EXPECT_EQ(file.category(waits[0][2]), "waiter");
    // The waiter comes, the owner unlocks, the waiter has it.
    EXPECT_EQ(holds[0][0], waits[0][0]);
    EXPECT_LE(holds[0][1], waits[0][1]);
    return;
  }
  FAIL() << "the file has no such object";
}

TEST_P(HtmlRecordingIn, HasAnArrowToTheEndOfAWait) {
  trace::Recording recording;
  run([] {
    Event event;
    Fiber<void> fiber([&event] { event.wait(); }, {.name = "woken"});
    until_waiting(fiber);
    event.signal();
    fiber.join();
  });
  recording.stop();
  const HtmlTrace file = HtmlTrace::of(recording);
  for (const auto& fiber : file.data().at("fibers")) {
    if (fiber.at("name") != "woken") continue;
    const auto waits = HtmlTrace::unpack(fiber.at("waits"), 4);
    ASSERT_THAT(waits, SizeIs(1));
    std::size_t found = 0;
    for (const auto& arrow : HtmlTrace::unpack(file.data().at("arrows"), 5)) {
      if (arrow[0] != waits[0][0] + waits[0][1] || arrow[3] != fiber.at("track")) continue;
      EXPECT_EQ(arrow[4], 1u);
      EXPECT_LE(arrow[1], waits[0][1]);
      ++found;
    }
    EXPECT_EQ(found, 1u);
    return;
  }
  FAIL() << "the file has no such fiber";
}

JOBS_TEST_IN_ALL_PLACES(HtmlRecordingIn);

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(HtmlRecording, EscapesNamesThatCouldEndItsScript) {
  const std::vector<const char*> names = {"</script><script>alert(1)</script>", "<!-- <script>",
                                          "\"quoted\" and \\", "\x01\n\x7f \xff"};
  trace::Recording empty;
  empty.stop();
  trace::Recording recording;
  for (const char* const name : names) const trace::Zone zone(name);
  trace::message("</script>");
  trace::counter("</script>", 1);
  trace::frame("</script>");
  trace::frame("</script>");
  recording.stop();
  const HtmlTrace file = HtmlTrace::of(recording);
  EXPECT_THAT(file.named(names[0]), SizeIs(1));
  EXPECT_THAT(file.named(names[1]), SizeIs(1));
  EXPECT_THAT(file.named(names[2]), SizeIs(1));
  EXPECT_THAT(file.named("\\x01\\n\\x7f \\xff"), SizeIs(1));
  for (const char* const part : {"</script", "<script", "<!--"})
    EXPECT_EQ(count(file.page(), part), count(HtmlTrace::of(empty).page(), part)) << part;
}

TEST(HtmlRecording, HasCountersMessagesAndFrames) {
  trace::Recording recording;
  trace::counter("level", 2.5);
  trace::counter("level", std::numeric_limits<double>::infinity());
  trace::message("a text");
  for (int i = 0; i < 4; ++i) trace::frame("physics");
  recording.stop();
  const HtmlTrace file = HtmlTrace::of(recording);
  const auto& curves = file.data().at("curves");
  ASSERT_THAT(curves, SizeIs(1));
  EXPECT_EQ(file.name(curves[0].at("name")), "level");
  EXPECT_EQ(curves[0].at("values")[0], 2.5);
  EXPECT_TRUE(curves[0].at("values")[1].is_null());
  EXPECT_THAT(HtmlTrace::unpack(curves[0].at("times"), 1), SizeIs(2));
  std::vector<std::string> marks;
  for (const auto& track : file.data().at("tracks")) {
    for (const auto& mark : HtmlTrace::unpack(track.at("marks"), 2)) {
      if (file.category(mark[1]) == "faults") continue;  // the thread may have some
      marks.push_back(file.category(mark[1]) + " " + file.name(mark[1]));
    }
  }
  EXPECT_THAT(marks, testing::ElementsAre("message a text"));
  const auto& frames = file.data().at("frames");
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(file.name(frames[0].at("name")), "physics");
  EXPECT_THAT(HtmlTrace::unpack(frames[0].at("frames"), 2), SizeIs(3));
}

TEST(HtmlRecording, NeedsNoNetwork) {
  trace::Recording recording;
  recording.stop();
  const std::string page = HtmlTrace::of(recording).page();
  for (const char* const part : {"http:", "https:", "src=", "<link", "@import", "url("})
    EXPECT_EQ(count(page, part), 0u) << part;
}

TEST(HtmlRecording, RefusesAFileThatCannotBeWritten) {
  const trace::Recording recording;
  try {
    recording.write("/nonexistent/run.html");
    ADD_FAILURE();
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOENT);
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/run.html"));
  }
}

}  // namespace
}  // namespace jobs::test
