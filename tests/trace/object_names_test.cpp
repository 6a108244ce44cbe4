// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// trace::name_object(): each result shows the name of an object and the place of the call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/profile.hpp"
#include "jobs/trace.hpp"
#include "jobs/trace/tools/raw_reader.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/with_workers.hpp"
#include "tests/trace/html_trace.hpp"
#include "tests/trace/trace_file.hpp"
#include "tests/trace/until_waiting.hpp"

namespace jobs::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using trace::ProfilePlace;

std::string here(const char* name, unsigned line) {
  return std::string(name) + " (object_names_test.cpp:" + std::to_string(line) + ")";
}

// Objects that are named before the run, and a recording in which fibers wait for them.
class NamesOfObjectsIn : public WithWorkers {
 protected:
  NamesOfObjectsIn() {
    constexpr unsigned kLine = __LINE__ + 1;
    trace::name_object(&mutex_, "the cache");
    trace::name_object(&semaphore_, "the places");
    mutex_name_ = here("the cache", kLine);
    semaphore_name_ = here("the places", kLine + 1);
  }
  ~NamesOfObjectsIn() override {
    trace::forget_object(&mutex_);
    trace::forget_object(&semaphore_);
  }
  // Tracks stay until the process ends.
  void SetUp() override {
    WithWorkers::SetUp();
    uses_default_scheduler();
  }
  void wait_for_both() {
    run([this] {
      mutex_.lock();
      Fiber<void> locks([this] { const std::scoped_lock lock(mutex_); }, {.name = "locks"});
      Fiber<void> acquires([this] { semaphore_.acquire(); }, {.name = "acquires"});
      until_waiting(locks);
      until_waiting(acquires);
      mutex_.unlock();
      semaphore_.release();
      locks.join();
      acquires.join();
    });
  }
  // What a file in Chrome's format shows of both.
  void expect_names(const TraceFile& file) const {
    EXPECT_THAT(file.named("B", "lock Mutex " + mutex_name_), Not(IsEmpty()));
    EXPECT_THAT(file.named("b", "hold Mutex " + mutex_name_), Not(IsEmpty()));
    EXPECT_EQ(object_name_of(file, "wait: Mutex"), mutex_name_);
    EXPECT_EQ(object_name_of(file, "wait: Semaphore"), semaphore_name_);
  }
  // The name of the object of the only wait of that kind.
  static std::string object_name_of(const TraceFile& file, std::string_view wait) {
    const auto waits = file.named("b", wait);
    if (waits.size() != 1 || !waits[0].at("args").contains("object_name")) return "no name";
    return waits[0].at("args").at("object_name");
  }

  Mutex mutex_;
  Semaphore semaphore_{0};
  std::string mutex_name_;
  std::string semaphore_name_;
};

TEST_P(NamesOfObjectsIn, AreInChromesFormat) {
  trace::Recording recording;
  wait_for_both();
  recording.stop();
  expect_names(TraceFile::of(recording));
}

TEST_P(NamesOfObjectsIn, SurviveTheRawFile) {
  trace::Recording recording;
  wait_for_both();
  recording.stop();
  const std::string raw = temporary_file(".jtr");
  recording.write(raw);
  trace::forget_object(&mutex_);  // jobs-trace is another process.
  trace::forget_object(&semaphore_);
  const std::string converted = temporary_file(".json");
  trace::detail::RawReader(raw).write(converted);
  expect_names(TraceFile(converted));
  std::remove(raw.c_str());
  std::remove(converted.c_str());
}

TEST_P(NamesOfObjectsIn, AreInThePage) {
  trace::Recording recording;
  wait_for_both();
  recording.stop();
  const HtmlTrace file = HtmlTrace::of(recording);
  // "Mutex 0x12 the cache (…)", and the same without the kind as the object of a wait.
  std::vector<std::string> objects;
  for (const auto& object : file.data().at("objects")) objects.push_back(object.at("name"));
  const auto is_named = [](const char* kind, const std::string& name) {
    return testing::AllOf(StartsWith(std::string(kind) + " 0x"), testing::EndsWith(" " + name));
  };
  EXPECT_THAT(objects, Contains(is_named("Mutex", mutex_name_)));
  EXPECT_THAT(objects, Contains(is_named("Semaphore", semaphore_name_)));
  for (const auto& fiber : file.data().at("fibers")) {
    if (fiber.at("name") != "locks") continue;
    const auto waits = HtmlTrace::unpack(fiber.at("waits"), 4);
    ASSERT_THAT(waits, testing::SizeIs(1));
    EXPECT_THAT(objects, Contains("Mutex " + file.name(waits[0][3])));
    return;
  }
  FAIL() << "the file has no such fiber";
}

JOBS_TEST_IN_ALL_PLACES(NamesOfObjectsIn);

// The wait of a Fiber for one mutex, in a profile.
class NameOfAMutex : public testing::TestWithParam<unsigned> {
 protected:
  ~NameOfAMutex() override { trace::forget_object(&mutex_); }

  ProfilePlace wait() {
    const trace::Profile profile;
    {
      Scheduler scheduler({.worker_count = GetParam()});
      scheduler.run([this] {
        mutex_.lock();
        Fiber<void> fiber([this] { const std::scoped_lock lock(mutex_); });
        until_waiting(fiber);
        mutex_.unlock();
        fiber.join();
      });
    }
    text_ = profile.text();
    for (const ProfilePlace& place : profile.waits()) {
      if (place.wait == "Mutex") return place;
    }
    ADD_FAILURE() << "the profile has no wait for a mutex";
    return {};
  }
  std::string shown() { return wait().object_name; }

  Mutex mutex_;
  std::string text_;  // of the last profile
};

TEST_P(NameOfAMutex, IsInTheProfile) {
  EXPECT_EQ(wait().object_name, "");
  EXPECT_THAT(text_, Not(HasSubstr("the cache")));
  constexpr unsigned kLine = __LINE__ + 1;
  trace::name_object(&mutex_, "the cache");
  const ProfilePlace place = wait();
  EXPECT_EQ(place.object, &mutex_);
  EXPECT_EQ(place.object_name, here("the cache", kLine));
  EXPECT_THAT(text_, HasSubstr("Mutex " + place.object_name + " in Fiber "));
}

TEST_P(NameOfAMutex, MayBeGivenAfterTheWaits) {
  trace::Profile profile;
  static_cast<void>(wait());
  trace::name_object(&mutex_, "late");
  profile.stop();
  EXPECT_THAT(profile.text(), HasSubstr("Mutex late (object_names_test.cpp:"));
}

TEST_P(NameOfAMutex, IsTheLastOne) {
  trace::name_object(&mutex_, "first");
  trace::name_object(&mutex_, "second");
  EXPECT_THAT(shown(), StartsWith("second ("));
  trace::forget_object(&mutex_);
  EXPECT_EQ(shown(), "");
  trace::forget_object(&mutex_);  // Without a name, nothing happens.
}

TEST_P(NameOfAMutex, IsThePlaceIfThereIsNoText) {
  const auto place = std::source_location::current();
  trace::name_object(&mutex_, {}, place);
  EXPECT_EQ(shown(), "object_names_test.cpp:" + std::to_string(place.line()));
}

TEST_P(NameOfAMutex, IsPrintableAndNotTooLong) {
  trace::name_object(&mutex_, "two\nlines \xff");
  EXPECT_THAT(shown(), StartsWith("two\\nlines \\xff ("));
  trace::name_object(&mutex_, std::string(1000, 'x'));
  const std::string longest = shown();
  EXPECT_THAT(longest, StartsWith(std::string(97, 'x') + "... (object_names_test.cpp:"));
  EXPECT_LE(longest.size(), 160u);
}

INSTANTIATE_TEST_SUITE_P(Workers, NameOfAMutex, testing::Values(1, 2, 4, 16));

// Events, Latches and Counters usually lie in a frame: the object, and its name, end before the
// profile is read.
template <class Object>
struct OfAFrame;

template <>
struct OfAFrame<Event> {
  static constexpr const char* kWait = "Event";
  static void open(Event& event) { event.signal(); }
  Event object;
};

template <>
struct OfAFrame<Latch> {
  static constexpr const char* kWait = "Latch";
  static void open(Latch& latch) { latch.count_down(); }
  Latch object{1};
};

template <>
struct OfAFrame<Counter> {
  static constexpr const char* kWait = "Counter";
  OfAFrame() { object.add(); }
  static void open(Counter& counter) { counter.done(); }
  Counter object;
};

// Two waits for objects at different addresses, in a profile.
template <class Object>
class NameOfAnObjectInAFrame : public testing::Test {
 protected:
  using Frame = OfAFrame<Object>;

  // A name that is null: the object has none.
  void wait_for_two(const char* first, const char* second) {
    const trace::Profile profile;
    {
      Scheduler scheduler({.worker_count = 2});
      scheduler.run([first, second] {
        std::array<Frame, 2> frames;
        for (Frame& frame : frames) {
          const char* const name = &frame == frames.data() ? first : second;
          if (name != nullptr) trace::name_object(&frame.object, name, {});
          Fiber<void> fiber([&frame] { frame.object.wait(); });
          until_waiting(fiber);
          Frame::open(frame.object);
          fiber.join();
          trace::forget_object(&frame.object);
        }
      });
    }
    text_ = profile.text();
    for (const ProfilePlace& place : profile.waits()) {
      if (place.wait == Frame::kWait && place.name.starts_with("Fiber ")) places_.push_back(place);
    }
  }

  std::vector<ProfilePlace> places_;
  std::string text_;
};

using ObjectsOfFrames = testing::Types<Event, Latch, Counter>;
TYPED_TEST_SUITE(NameOfAnObjectInAFrame, ObjectsOfFrames);

TYPED_TEST(NameOfAnObjectInAFrame, IsInTheProfile) {
  this->wait_for_two("both ready", "both ready");
  ASSERT_THAT(this->places_, testing::SizeIs(1));
  EXPECT_THAT(this->places_[0].object_name, StartsWith("both ready ("));
  EXPECT_EQ(this->places_[0].object, nullptr);
  EXPECT_EQ(this->places_[0].count, 2u);
  EXPECT_THAT(this->text_, HasSubstr(std::string(TestFixture::Frame::kWait) + " both ready ("));
}

TYPED_TEST(NameOfAnObjectInAFrame, SeparatesTheSites) {
  this->wait_for_two("first", nullptr);
  std::vector<std::string> names;
  for (const ProfilePlace& place : this->places_) {
    names.push_back(place.object_name.substr(0, place.object_name.find(' ')));
    EXPECT_EQ(place.count, 1u);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("first", ""));
}

TEST(NamesOfObjects, CanBeGivenInAForkedChild) {
  const trace::Profile profile;  // A process that has measured registers for forks.
  constexpr int kForks = 20;
  // A thread of the parent reads many names, so it holds the lock most of the time.
  std::vector<char> objects(20'000);
  for (const char& object : objects) trace::name_object(&object, "of the parent");
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop.load()) static_cast<void>(profile.waits());
  });
  for (int i = 0; i < kForks && !HasFailure(); ++i) {
    EXPECT_EQ(in_child([&objects] {
                trace::name_object(objects.data(), "of the child");
                return 0;
              }),
              0);
  }
  stop.store(true);
  reader.join();
  for (const char& object : objects) trace::forget_object(&object);
}

TEST(NamesOfObjects, RefuseAnObjectThatIsNull) {
  try {
    trace::name_object(nullptr, "nothing");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadArgument);
    EXPECT_THAT(error.what(), HasSubstr("name_object"));
  }
  trace::forget_object(nullptr);
}

}  // namespace
}  // namespace jobs::test
