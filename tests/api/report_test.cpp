// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The reports of a program that hangs. The tests wait for reports without a time limit: no test
// depends on the speed of a thread.
#include "jobs/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/base/sanitizer.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/error.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberReport;
using jobs::Report;
using jobs::WaitKind;

constexpr auto kPatient = 1h;

// The arguments of on_report.
class Reports {
 public:
  void operator()(const Report& report) {
    const std::scoped_lock lock(mutex_);
    reports_.push_back(report);
    came_.notify_all();
  }
  // Waits for the first matching report.
  template <class Matches>
  Report await_any(Matches&& matches) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = std::ranges::find_if(reports_, matches);
      if (found != reports_.end()) return *found;
      came_.wait(lock);
    }
  }
  // Waits for the report with this index, in order of arrival.
  Report await(std::size_t index) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return reports_.size() > index; });
    return reports_[index];
  }
  template <class Matches>
  std::ptrdiff_t count(Matches&& matches) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::count_if(reports_, matches);
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Report> reports_;
};

const FiberReport* find(const Report& report, jobs::FiberId id) {
  const auto found = std::ranges::find(report.fibers, id, &FiberReport::id);
  return found != report.fibers.end() ? &*found : nullptr;
}

std::string number(jobs::FiberId id) { return std::to_string(static_cast<std::uint64_t>(id)); }

class Reporting : public testing::TestWithParam<unsigned> {
 protected:
  jobs::SchedulerOptions watching_rest() {
    return {.worker_count = GetParam(),
            .deadlock_after = 5ms,
            .on_report = [this](const Report& report) { reports(report); }};
  }
  jobs::SchedulerOptions watching_stalls() {
    return {.worker_count = GetParam(),
            .stall_after = 5ms,
            .on_report = [this](const Report& report) { reports(report); }};
  }
  Reports reports;
};
INSTANTIATE_TEST_SUITE_P(Workers, Reporting, testing::Values(1, 2, 4, 16));

// Two fibers of that scheduler lock two mutexes in opposite order.
class Embrace {
 public:
  explicit Embrace(jobs::Scheduler& scheduler) {
    scheduler.run([this] {
      fibers_.emplace_back([this] { lock_both(one, other); }, jobs::FiberOptions{.name = "a"});
      fibers_.emplace_back([this] { lock_both(other, one); }, jobs::FiberOptions{.name = "b"});
    });
  }
  ~Embrace() {
    for (auto& fiber : fibers_) fiber.request_stop();
    EXPECT_THROW(fibers_[0].join(), jobs::Cancelled);
    try {
      fibers_[1].join();  // the fiber may have locked its mutex, and ended, before the stop
    } catch (const jobs::Cancelled&) {
    }
  }
  jobs::FiberId a() const { return fibers_[0].id(); }
  jobs::FiberId b() const { return fibers_[1].id(); }

  jobs::Mutex one;
  jobs::Mutex other;

 private:
  void lock_both(jobs::Mutex& first, jobs::Mutex& second) {
    const std::scoped_lock lock(first);
    both_.arrive_and_wait();
    const std::scoped_lock embrace(second);
    jobs::this_fiber::check_cancelled();  // the fiber may lock its mutex in spite of the stop
  }

  jobs::Barrier<> both_{2};
  std::vector<jobs::Fiber<>> fibers_;
};

void expect_embrace(const Report& report, const Embrace& embrace) {
  ASSERT_EQ(report.cycles.size(), 1u);
  EXPECT_THAT(report.cycles[0], testing::UnorderedElementsAre(embrace.a(), embrace.b()));
  const FiberReport* const a = find(report, embrace.a());
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->name, "a");
  EXPECT_FALSE(a->is_job);
  EXPECT_EQ(a->state, jobs::FiberState::kWaiting);
  EXPECT_EQ(a->waits_for, WaitKind::kMutex);
  EXPECT_EQ(a->object, &embrace.other);
  EXPECT_EQ(a->owner_kind, FiberReport::OwnerKind::kFiber);
  EXPECT_EQ(a->owner, embrace.b());
#if defined(JOBS_NATIVE_CONTEXT)
  EXPECT_GT(a->frames.size(), 4u);
#endif
  std::ostringstream a_waits_for_b;
  a_waits_for_b << "fiber " << number(embrace.a()) << " \"a\" waits for mutex " << &embrace.other
                << " owned by fiber " << number(embrace.b()) << " \"b\"";
  std::ostringstream b_waits_for_a;
  b_waits_for_a << " waits for mutex " << &embrace.one << " owned by fiber " << number(embrace.a())
                << " \"a\"";
  const std::string text = report.text();
  const bool from_a = text.find("jobs: deadlock: " + a_waits_for_b.str() + ", which" +
                                b_waits_for_a.str() + "\n") != text.npos;
  const bool from_b =
      text.find(", which" + a_waits_for_b.str().substr(a_waits_for_b.str().find(" waits"))) !=
      text.npos;
  EXPECT_TRUE(from_a || from_b) << text;
}

TEST_P(Reporting, NamesTheRoundOfFibersThatWaitForEachOther) {
  jobs::Scheduler scheduler(watching_rest());
  const Embrace embrace(scheduler);
  const Report report = reports.await(0);
  EXPECT_EQ(report.reason, Report::Reason::kDeadlock);
  EXPECT_EQ(report.workers.size(), GetParam());
  EXPECT_EQ(report.fibers.size(), 2u);
  EXPECT_GE(report.quiet, 5ms);
  expect_embrace(report, embrace);
  for (const FiberReport& fiber : report.fibers) EXPECT_TRUE(fiber.waited.has_value());
}

TEST_P(Reporting, NamesTheJoiningAndTheJoinedFiber) {
  jobs::Scheduler scheduler(watching_rest());
  jobs::FiberRef first;
  jobs::FiberRef second;
  jobs::Event known;
  std::vector<jobs::Fiber<>> fibers;
  scheduler.run([&] {
    fibers.emplace_back([&] { known.wait(), second.wait(); });
    fibers.emplace_back([&] { known.wait(), first.wait(); });
  });
  first = fibers[0];
  second = fibers[1];
  known.signal();
  const Report report =
      reports.await_any([](const Report& candidate) { return !candidate.cycles.empty(); });
  EXPECT_THAT(report.cycles[0], testing::UnorderedElementsAre(first.id(), second.id()));
  EXPECT_EQ(find(report, first.id())->waits_for, WaitKind::kJoin);
  EXPECT_EQ(find(report, first.id())->owner, second.id());
  EXPECT_THAT(report.text(),
              testing::HasSubstr(" waits for the end of fiber " + number(second.id())));
  first.request_stop();
  EXPECT_THROW(fibers[0].join(), jobs::Cancelled);
  fibers[1].join();
}

TEST_P(Reporting, SaysThatAThreadOwnsIt) {
  jobs::Scheduler scheduler(watching_rest());
  jobs::Mutex mutex;
  std::unique_lock held(mutex);
  jobs::Counter done;
  scheduler.run([&] { jobs::spawn(done, [&] { const std::scoped_lock lock(mutex); }); });
  const Report report = reports.await(0);
  ASSERT_EQ(report.fibers.size(), 1u);
  EXPECT_TRUE(report.fibers[0].is_job);
  EXPECT_NE(report.fibers[0].function, nullptr);
  EXPECT_EQ(report.fibers[0].owner_kind, FiberReport::OwnerKind::kOutside);
  EXPECT_EQ(report.fibers[0].object, &mutex);
  EXPECT_TRUE(report.cycles.empty());
  held.unlock();
  done.wait();
}

TEST_P(Reporting, ComesOnceForEachIdlePeriod) {
  {
    jobs::Scheduler scheduler(watching_rest());
    jobs::Event first;
    jobs::Event second;
    jobs::Counter done;
    scheduler.run([&] { jobs::spawn(done, [&] { first.wait(), second.wait(); }); });
    EXPECT_EQ(reports.await(0).fibers.at(0).object, &first);
    std::this_thread::sleep_for(30ms);  // time for one report too many
    first.signal();
    EXPECT_EQ(reports.await(1).fibers.at(0).object, &second);
    second.signal();
    done.wait();
  }
  EXPECT_EQ(reports.count([](const Report&) { return true; }), 2);
}

TEST_P(Reporting, IsSilentAsLongAsSomethingCanHappen) {
  {
    jobs::Scheduler scheduler(watching_rest());
    scheduler.run([] {
      jobs::Event never;
      EXPECT_FALSE(never.wait_for(40ms));
      jobs::this_fiber::sleep_for(40ms);
      jobs::blocking([] { std::this_thread::sleep_for(40ms); });
      jobs::Fiber<> server([] { jobs::this_fiber::suspend(); }, {.daemon = true});
      server.detach();
    });
    std::this_thread::sleep_for(40ms);  // a waiting daemon is no deadlock
  }
  EXPECT_EQ(reports.count([](const Report&) { return true; }), 0);
}

bool has_thread(std::string_view name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string text;
    std::getline(std::ifstream(task.path() / "comm"), text);
    if (text == name) return true;
  }
  return false;
}

TEST_P(Reporting, EndsWithTheShutdown) {
  const auto waits_for = [](bool wanted) {
    for (int i = 0; i < 5'000 && has_thread("jobs watchdog") != wanted; ++i)
      std::this_thread::sleep_for(1ms);
    return has_thread("jobs watchdog") == wanted;
  };
  jobs::Scheduler scheduler(watching_rest());
  EXPECT_TRUE(waits_for(true));
  scheduler.shutdown();
  EXPECT_TRUE(waits_for(false));
}

// --- stalls -------------------------------------------------------------------------------------

TEST_P(Reporting, NamesTheFiberThatKeepsItsWorker) {
  jobs::FiberId busy{};
  {
    jobs::Scheduler scheduler(watching_stalls());
    std::atomic<bool> reported = false;
    std::vector<jobs::Fiber<>> fibers;
    scheduler.run([&] {
      fibers.emplace_back(
          [&] {
            while (!reported) std::this_thread::sleep_for(1ms);
            std::this_thread::sleep_for(20ms);  // time for one report too many
          },
          jobs::FiberOptions{.name = "busy"});
    });
    busy = fibers[0].id();
    const Report report = reports.await_any(
        [&](const Report& candidate) { return candidate.workers[0].running == busy; });
    EXPECT_EQ(report.reason, Report::Reason::kStall);
    EXPECT_EQ(report.workers[0].name, "busy");
    EXPECT_GE(report.workers[0].stalled, 5ms);
    EXPECT_THAT(report.text(),
                testing::MatchesRegex(
                    "jobs: stall: worker [0-9]+ has run fiber " + number(busy) +
                    " \"busy\", created at .*:[0-9]+, for [0-9.]+ s without a scheduling point\n"));
    reported = true;
    fibers[0].join();
  }
  EXPECT_EQ(reports.count([&](const Report& report) { return report.workers[0].running == busy; }),
            1);
}

// --- on demand ----------------------------------------------------------------------------------

TEST_P(Reporting, ShowsWhatEachFiberWaitsFor) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  jobs::Event event;
  jobs::Counter counter(1);
  jobs::Latch latch(1);
  jobs::Barrier<> barrier(2);
  jobs::Semaphore semaphore(0);
  jobs::SharedMutex shared;
  jobs::Channel<int> channel(1);
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  std::vector<jobs::Fiber<>> fibers;
  std::vector<std::pair<WaitKind, const void*>> expected;
  const std::shared_lock reading(shared);
  scheduler.run([&] {
    const auto start = [&](WaitKind kind, const void* object, auto wait) {
      fibers.emplace_back(wait);
      expected.emplace_back(kind, object);
    };
    start(WaitKind::kEvent, &event, [&] { event.wait(); });
    start(WaitKind::kCounter, &counter, [&] { counter.wait(); });
    start(WaitKind::kLatch, &latch, [&] { latch.wait(); });
    start(WaitKind::kBarrier, nullptr, [&] { barrier.arrive_and_wait(); });
    start(WaitKind::kSemaphore, &semaphore, [&] { semaphore.acquire(); });
    start(WaitKind::kSharedMutex, &shared, [&] { const std::scoped_lock lock(shared); });
    start(WaitKind::kChannel, nullptr, [&] { static_cast<void>(channel.pop()); });
    start(WaitKind::kConditionVariable, &changed, [&] {
      std::unique_lock lock(mutex);
      changed.wait(lock);
    });
    start(WaitKind::kSelect, nullptr, [&] { static_cast<void>(jobs::select(event.on_signal())); });
    start(WaitKind::kSchedule, nullptr, [&] { jobs::this_fiber::suspend(); });
    start(WaitKind::kSleep, nullptr, [&] { jobs::this_fiber::sleep_for(10h); });
  });
  for (const jobs::Fiber<>& fiber : fibers) {
    while (fiber.state() != jobs::FiberState::kWaiting) std::this_thread::yield();
  }
  const std::vector<Report> all = jobs::reports(kPatient);
  ASSERT_EQ(all.size(), 1u);
  for (std::size_t i = 0; i < fibers.size(); ++i) {
    const FiberReport* const fiber = find(all[0], fibers[i].id());
    ASSERT_NE(fiber, nullptr) << i;
    EXPECT_EQ(fiber->waits_for, expected[i].first) << i;
    if (expected[i].second != nullptr) {
      EXPECT_EQ(fiber->object, expected[i].second) << i;
    }
    EXPECT_EQ(fiber->owner_kind, FiberReport::OwnerKind::kUnknown) << i;
  }
  for (jobs::Fiber<>& fiber : fibers) fiber.request_stop();
  for (jobs::Fiber<>& fiber : fibers) EXPECT_THROW(fiber.join(), jobs::Cancelled);
  counter.done();
}

TEST_P(Reporting, ShowsTheCycleOnDemandToo) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  const Embrace embrace(scheduler);
  for (const jobs::FiberId id : {embrace.a(), embrace.b()}) {
    const auto waits_for_a_mutex = [id] {
      const std::vector<Report> all = jobs::reports(kPatient);
      const FiberReport* const fiber = find(all.at(0), id);
      return fiber != nullptr && fiber->waits_for == WaitKind::kMutex;
    };
    while (!waits_for_a_mutex()) std::this_thread::yield();
  }
  expect_embrace(jobs::reports(kPatient).at(0), embrace);
}

TEST_P(Reporting, IsMadeByAJobToo) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  scheduler.run([&] {
    const std::vector<Report> all = jobs::reports(kPatient);
    ASSERT_EQ(all.size(), 1u);
    ASSERT_EQ(all[0].workers.size(), GetParam());
    const jobs::WorkerReport& here = all[0].workers[*jobs::worker_index()];
    EXPECT_TRUE(here.answered);
    EXPECT_FALSE(here.idle);
    EXPECT_EQ(here.running, jobs::this_fiber::id());
  });
}

TEST_P(Reporting, SaysWhatKeepsAWorkerThatDoesNotAnswer) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  std::atomic<bool> started = false;
  std::atomic<bool> released = false;
  std::vector<jobs::Fiber<>> fibers;
  scheduler.run([&] {
    fibers.emplace_back(
        [&] {
          started = true;
          while (!released) std::this_thread::sleep_for(1ms);
        },
        jobs::FiberOptions{.name = "busy"});
  });
  while (!started) std::this_thread::yield();
  const std::vector<Report> all = jobs::reports(1ms);
  const auto kept =
      std::ranges::find(all.at(0).workers, fibers[0].id(), &jobs::WorkerReport::running);
  ASSERT_NE(kept, all[0].workers.end());
  EXPECT_FALSE(kept->answered);
  EXPECT_EQ(kept->name, "busy");
  EXPECT_THAT(all[0].text(), testing::HasSubstr(" does not answer; it runs fiber " +
                                                number(fibers[0].id()) + " \"busy\", created at "));
  released = true;
  fibers[0].join();
}

TEST_P(Reporting, ShowsFibersThatHaveNotBegun) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  std::vector<jobs::Fiber<>> fibers;
  scheduler.run([&] {
    fibers.emplace_back([] {},
                        jobs::FiberOptions{.name = "held", .start = jobs::FiberStart::kSuspended});
  });
  const std::vector<Report> all = jobs::reports(kPatient);
  const FiberReport* const held = find(all.at(0), fibers[0].id());
  ASSERT_NE(held, nullptr);
  EXPECT_FALSE(held->has_begun);
  EXPECT_EQ(held->state, jobs::FiberState::kWaiting);
  fibers[0].schedule();
  fibers[0].join();
}

TEST_P(Reporting, EscapesTheNamesOfFibers) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  std::vector<jobs::Fiber<>> fibers;
  fibers.reserve(3);  // the fibers use it while it grows
  const std::string name = "\x1b[2J\njobs: \"\xff";
  scheduler.run([&] {
    fibers.emplace_back([] {},
                        jobs::FiberOptions{.name = name, .start = jobs::FiberStart::kSuspended});
    fibers.emplace_back([&] { fibers[0].join(); },
                        jobs::FiberOptions{.name = std::string(10'000, 'x')});
  });
  while (fibers[1].state() != jobs::FiberState::kWaiting) std::this_thread::yield();
  const Report report = jobs::reports(kPatient).at(0);
  const std::string text = report.text();
  EXPECT_EQ(find(report, fibers[0].id())->name, name) << "the program gets it as it is";
  EXPECT_EQ(text.find('\x1b'), text.npos) << text;
  EXPECT_EQ(text.find('\xff'), text.npos) << text;
  EXPECT_THAT(text, testing::HasSubstr(R"("\x1b[2J\njobs: \"\xff", created at )"));
  EXPECT_THAT(text, testing::HasSubstr("\"" + std::string(97, 'x') + "...\", created at "));
  fibers[0].schedule();
  fibers[1].join();
}

TEST_P(Reporting, NamesAFiberWithoutANameByItsCreationSite) {
  jobs::Scheduler scheduler({.worker_count = GetParam()});
  std::atomic<bool> started = false;
  std::atomic<bool> released = false;
  std::vector<jobs::Fiber<>> fibers;
  fibers.reserve(3);  // the fibers use it while it grows
  const auto keep_worker = [&] {
    started = true;
    while (!released) std::this_thread::sleep_for(1ms);
  };
  const unsigned line = __LINE__ + 2;
  scheduler.run([&] {
    fibers.push_back(jobs::Fiber<>([] {}, {.start = jobs::FiberStart::kSuspended}));
    fibers.push_back(jobs::Fiber<>([&] { fibers[0].join(); }));
    fibers.push_back(jobs::Fiber<>(keep_worker));
  });
  while (!started) std::this_thread::yield();
  const auto label = [&](std::size_t i) {
    return "fiber " + number(fibers[i].id()) + " created at " + __FILE__ + ":" +
           std::to_string(line + i);
  };
  // With one worker, the busy fiber keeps the worker from describing the others.
  const Report busy = jobs::reports(1ms).at(0);
  EXPECT_THAT(busy.text(), testing::HasSubstr(" runs " + label(2) + "\n"));
  released = true;
  fibers[2].join();
  while (fibers[1].state() != jobs::FiberState::kWaiting) std::this_thread::yield();
  const Report report = jobs::reports(kPatient).at(0);
  EXPECT_EQ(find(report, fibers[1].id())->file, __FILE__);
  EXPECT_EQ(find(report, fibers[1].id())->line, line + 1);
  EXPECT_THAT(report.text(), testing::HasSubstr("jobs:   " + label(0) + ": has not begun"));
  EXPECT_THAT(report.text(), testing::HasSubstr("jobs:   " + label(1) + " (worker "));
  EXPECT_THAT(report.text(), testing::HasSubstr(" waits for the end of " + label(0) + "\n"));
  fibers[0].schedule();
  fibers[1].join();
}

TEST(Reports, OfAProcessWithoutASchedulerAreNone) { EXPECT_TRUE(jobs::reports().empty()); }

// --- on the standard error ----------------------------------------------------------------------

// Captures the standard error of the process.
class StandardError {
 public:
  StandardError() : before_(dup(STDERR_FILENO)) {
    EXPECT_EQ(pipe(ends_), 0);
    dup2(ends_[1], STDERR_FILENO);
  }
  ~StandardError() {
    dup2(before_, STDERR_FILENO);
    for (const int end : {before_, ends_[0], ends_[1]}) close(end);
  }
  std::string read_up_to(const std::string& wanted) {
    std::string text;
    char letter = 0;
    while (text.find(wanted) == text.npos && ::read(ends_[0], &letter, 1) == 1) text += letter;
    return text;
  }

 private:
  int before_;
  int ends_[2] = {};
};

TEST(Reports, GoToTheStandardErrorIfTheEnvironmentAsksForThem) {
  setenv("JOBS_DEADLOCK_MS", "5", 1);
  jobs::Scheduler scheduler({.worker_count = 2});
  unsetenv("JOBS_DEADLOCK_MS");
  StandardError output;
  const Embrace embrace(scheduler);
  const std::string text = output.read_up_to("jobs: deadlock: fiber ");
  EXPECT_THAT(text, testing::HasSubstr("all 2 workers of a scheduler are idle"));
}

TEST(Reports, AreMadeOnASignal) {
  jobs::dump_on_signal(SIGQUIT);
  jobs::Scheduler scheduler({.worker_count = 3});
  StandardError output;
  for (int i = 0; i < 2; ++i) {
    std::raise(SIGQUIT);
    EXPECT_THAT(output.read_up_to(" fibers that wait or are ready\n"),
                testing::HasSubstr("jobs: a scheduler with 3 workers"));
  }
}

TEST(Reports, WantAnEnvironmentThatMeansSomething) {
  for (const char* const variable : {"JOBS_DEADLOCK_MS", "JOBS_STALL_MS"}) {
    for (const char* const value :
         {"abc", "-1", " 8", "4x", "1e3", "0x8", "86400001", "99999999999999999999"}) {
      setenv(variable, value, 1);
      try {
        const jobs::Scheduler scheduler({.worker_count = 1});
        ADD_FAILURE() << variable << "=" << value;
      } catch (const jobs::Error& error) {
        EXPECT_EQ(error.code(), jobs::ErrorCode::kBadEnvironment);
        EXPECT_THAT(error.what(),
                    testing::StartsWith(std::string(variable) + "=\"" + value + "\" is not"));
      }
      const jobs::Scheduler scheduler({.worker_count = 1,
                                       .deadlock_after = std::chrono::milliseconds::max(),
                                       .stall_after = 1h});
    }
    setenv(variable, "0", 1);
    const jobs::Scheduler scheduler({.worker_count = 1});
    unsetenv(variable);
  }
  EXPECT_THROW(jobs::Scheduler({.worker_count = 1, .stall_after = -1ms}), jobs::Error);
  EXPECT_THROW(jobs::Scheduler({.worker_count = 1, .deadlock_after = 25h}), jobs::Error);
}

}  // namespace
