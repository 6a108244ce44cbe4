// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: options, run(), several schedulers. shutdown_test.cpp has the shutdown.
#include "jobs/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/fork_join.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SchedulerRun : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(SchedulerRun);

TEST_P(SchedulerRun, ReturnsTheResult) {
  jobs::Scheduler other({.worker_count = 2});
  run([&] {
    int here = 0;
    EXPECT_EQ(other.run([] { return 42; }), 42);
    EXPECT_EQ(*other.run([] { return std::make_unique<int>(7); }), 7);
    EXPECT_EQ(&other.run([&here]() -> int& { return here; }), &here);
    other.run([&here] { here = 1; });
    EXPECT_EQ(here, 1);
  });
}

TEST_P(SchedulerRun, RethrowsTheException) {
  jobs::Scheduler other({.worker_count = 2});
  run([&] {
    EXPECT_THROW(other.run([] { throw std::runtime_error("in run"); }), std::runtime_error);
    EXPECT_EQ(other.run([] { return 1; }), 1) << "and goes on";
  });
}

TEST_P(SchedulerRun, DestroysAResultThatCannotBeMoved) {
  struct Value {
    explicit Value(std::atomic<int>& count) : live(&count) { ++*live; }
    Value(Value&& other) : live(other.live) { throw std::runtime_error("in a move"); }
    ~Value() { --*live; }
    std::atomic<int>* live;
  };
  jobs::Scheduler other({.worker_count = 2});
  run([&] {
    std::atomic<int> live{0};
    EXPECT_THROW(static_cast<void>(other.run([&] { return Value(live); })), std::runtime_error);
    EXPECT_EQ(live, 0);
  });
}

TEST_P(SchedulerRun, RunsOnAThreadOfTheScheduler) {
  jobs::Scheduler other({.worker_count = 3});
  run([&] {
    const auto here = std::this_thread::get_id();
    EXPECT_NE(other.run([] { return std::this_thread::get_id(); }), here);
    EXPECT_EQ(other.run([] { return jobs::worker_count(); }), 3u);
  });
}

TEST_P(SchedulerRun, RunsInPlaceWhereItIsCalledByAWorkerOfItsOwn) {
  if (is_external()) GTEST_SKIP() << "a guest is not a worker";
  run([&] {
    const auto here = std::this_thread::get_id();
    EXPECT_EQ(scheduler().run([] { return std::this_thread::get_id(); }), here);
    EXPECT_EQ(scheduler().run([&] { return scheduler().run([] { return 3; }); }), 3);
  });
}

TEST_P(SchedulerRun, LetsTwoSchedulersWaitForEachOther) {
  // Each scheduler has a worker that waits for the other: it must serve jobs meanwhile.
  jobs::Scheduler other({.worker_count = 1});
  run([&] {
    jobs::Scheduler third({.worker_count = 1});
    const int depth = other.run([&] {
      return third.run([&] { return other.run([&] { return third.run([] { return 4; }); }); });
    });
    EXPECT_EQ(depth, 4);
  });
}

TEST_P(SchedulerRun, ServesManyExternalThreadsAtOnce) {
  jobs::Scheduler other({.worker_count = 2});
  run([&] {
    std::atomic<int> sum{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&other, &sum, i] {
        for (int j = 0; j < 100; ++j) sum += other.run([i] { return i; });
      });
    }
    threads.clear();
    EXPECT_EQ(sum, 100 * 28);
  });
}

std::set<std::string> thread_ids() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ids.insert(task.path().filename());
  return ids;
}

// The threads of the process that have started since the construction. A thread that another thread
// has joined may stay in the list of the system for a while.
class NewThreads {
 public:
  std::size_t count() const {
    std::set<std::string> added;
    std::ranges::set_difference(thread_ids(), before_, std::inserter(added, added.end()));
    return added.size();
  }
  bool end() const {
    return jobs::test::is_true_in_time([this] { return count() == 0; });
  }

 private:
  const std::set<std::string> before_ = [] {
    std::thread([] {}).join();  // a sanitizer starts a thread of its own beside the first
    return thread_ids();
  }();
};

TEST(Scheduler, StartsAsManyThreadsAsItHasWorkers) {
  const NewThreads threads;
  jobs::Scheduler scheduler({.worker_count = 5});
  EXPECT_EQ(threads.count(), 5u);
  EXPECT_EQ(scheduler.worker_count(), 5u);
}

TEST(Scheduler, CountsTheBoundThreadAsAWorker) {
  const NewThreads threads;
  {
    jobs::Scheduler scheduler({.worker_count = 3, .bind_caller = true});
    EXPECT_EQ(threads.count(), 2u);
    EXPECT_EQ(jobs::worker_count(), 3u);
  }
  EXPECT_TRUE(threads.end());
  {
    jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
    EXPECT_EQ(threads.count(), 0u) << "no other thread at all";
    jobs::Counter done;
    std::atomic<int> ran = 0;
    for (int i = 0; i < 10; ++i) jobs::spawn(done, [&ran] { ++ran; });
    EXPECT_EQ(ran, 0) << "it serves jobs while it waits, not before";
    done.wait();
    EXPECT_EQ(ran, 10);
  }
  EXPECT_EQ(threads.count(), 0u);
}

TEST(Scheduler, OfTheBoundThreadAloneStartsNoThread) {
  const NewThreads threads;
  jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  EXPECT_EQ(scheduler.run([] { return jobs::worker_index(); }), std::optional(0u));
  jobs::Counter done;
  jobs::spawn(done, [] { jobs::yield(); });
  done.wait();
  EXPECT_EQ(threads.count(), 0u);
}

TEST(Scheduler, LeavesTheBoundThreadOnItsOwnStackWithoutAnId) {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  // The frame's address: a sanitizer keeps local variables elsewhere.
  const auto is_on_stack = [&](const void* frame) {
    return frame >= low && frame < static_cast<const char*>(low) + size;
  };
  jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
  const auto check_root = [&](const char* when) {
    EXPECT_TRUE(is_on_stack(__builtin_frame_address(0))) << when;
    EXPECT_EQ(jobs::this_fiber::id(), jobs::FiberId{}) << when;
    EXPECT_EQ(jobs::worker_index(), std::optional(0u)) << when;
  };
  check_root("before a wait");
  // The figure counts a worker that is about to start its first loop.
  EXPECT_TRUE(jobs::test::is_true_in_time([&] { return scheduler.stats().fibers_blocked == 0; }));
  jobs::Counter done;
  jobs::spawn(done,
              [&] {
                EXPECT_FALSE(is_on_stack(__builtin_frame_address(0))) << "a job runs on a fiber";
                EXPECT_NE(jobs::this_fiber::id(), jobs::FiberId{});
              },
              {.on = jobs::main_thread});
  done.wait();
  check_root("after a wait");
}

// For debugging: no other thread, and the same order in each run.
TEST(Scheduler, OfTheCallerAloneRunsAllJobsInlineAndInOneOrder) {
  const auto run = [] {
    std::string order;
    const auto here = std::this_thread::get_id();
    jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
    const auto note = [&](char name) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      order += name;
    };
    jobs::Counter done;
    for (char name = 'a'; name < 'f'; ++name) {
      jobs::spawn(done, [&, name] {
        note(name);
        jobs::yield();
        note(static_cast<char>(name - 'a' + 'A'));
      });
    }
    jobs::fork_join([&] { note('1'); }, [&] { note('2'); }, [&] { note('3'); });
    done.wait();
    return order;
  };
  const std::string first = run();
  EXPECT_EQ(first.size(), 13u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run(), first);
}

TEST(Scheduler, CanBeBoundAgainAfterItsEnd) {
  for (int i = 0; i < 10; ++i) {
    jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
    const auto [a, b] = jobs::fork_join([] { return 1; }, [] { return 2; });
    ASSERT_EQ(a + b, 3);
  }
}

TEST(Scheduler, RefusesToBindAThreadThatIsBound) {
  jobs::Scheduler scheduler({.worker_count = 1, .bind_caller = true});
  try {
    jobs::Scheduler second({.worker_count = 1, .bind_caller = true});
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadArgument);
  }
  const auto bind_in_job = [] { jobs::Scheduler second({.worker_count = 1, .bind_caller = true}); };
  jobs::Scheduler other({.worker_count = 1});
  EXPECT_THROW(other.run(bind_in_job), jobs::Error);
}

TEST(Scheduler, SaysWhatItChoseAndWhy) {
  EXPECT_THAT(jobs::Scheduler({.worker_count = 6}).describe(),
              StartsWith("6 workers: asked for by the program"));
  ASSERT_EQ(setenv("JOBS_NUM_WORKERS", "3", 1), 0);
  EXPECT_THAT(jobs::Scheduler().describe(), StartsWith("3 workers: JOBS_NUM_WORKERS=3"));
  ASSERT_EQ(unsetenv("JOBS_NUM_WORKERS"), 0);
  EXPECT_THAT(jobs::Scheduler().describe(), HasSubstr("in the affinity mask"));
  EXPECT_THAT(jobs::Scheduler().describe(), testing::Not(HasSubstr("\n")));
}

TEST(Scheduler, NamesTheSwitchOfFibers) {
#if !defined(JOBS_NATIVE_CONTEXT)
  constexpr auto* kName = "; fibers switched by Boost.Context 1.";
#elif defined(__x86_64__)
  constexpr auto* kName = "; fibers switched by native x86-64;";
#else
  constexpr auto* kName = "; fibers switched by native AArch64;";
#endif
  EXPECT_THAT(jobs::Scheduler({.worker_count = 1}).describe(), HasSubstr(kName));
}

TEST(Scheduler, NamesABadVariableOfTheEnvironment) {
  ASSERT_EQ(setenv("JOBS_NUM_WORKERS", "many", 1), 0);
  try {
    jobs::Scheduler scheduler;
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("JOBS_NUM_WORKERS=\"many\""));
  }
  EXPECT_EQ(jobs::Scheduler({.worker_count = 2}).worker_count(), 2u)
      << "what the program says goes first";
  ASSERT_EQ(unsetenv("JOBS_NUM_WORKERS"), 0);
}

TEST(Scheduler, ReadsEveryVariableOfTheEnvironmentStrictly) {
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {"JOBS_NUM_WORKERS", {"4x", " 4", "0", "-1", "4097", "1e3", "0x10", "4,4"}},
      {"JOBS_DEADLOCK_MS", {"5s", "-1", "1.5", "99999999999999999999"}},
      {"JOBS_STALL_MS", {"x", "-0x1", "10 "}},
      {"JOBS_FENCED", {"yes", "2", "true", "1 "}},
      {"JOBS_RAID", {"1", "Eager", "eager "}},
      {"JOBS_STACK_GUARD", {"MPROTECT", "none", "1"}},
#if defined(JOBS_CHAOS)
      {"JOBS_CHAOS", {"x", "-1", "1 ", "0x1", "99999999999999999999"}},
#endif
  };
  for (const auto& [variable, values] : cases) {
    const char* const before = std::getenv(variable);
    const std::optional<std::string> kept =
        before != nullptr ? std::optional<std::string>(before) : std::nullopt;
    for (const char* const value : values) {
      ASSERT_EQ(setenv(variable, value, 1), 0);
      try {
        jobs::Scheduler scheduler;
        ADD_FAILURE() << variable << "=\"" << value << "\" is accepted";
      } catch (const jobs::Error& error) {
        EXPECT_EQ(error.code(), jobs::ErrorCode::kBadEnvironment);
        EXPECT_THAT(error.what(), HasSubstr(std::string(variable) + "=\"" + value + "\""))
            << "names both";
      }
    }
    ASSERT_EQ(kept ? setenv(variable, kept->c_str(), 1) : unsetenv(variable), 0);
  }
  EXPECT_EQ(jobs::Scheduler().run([] { return 1; }), 1) << "nothing is left of it";
}

TEST(Scheduler, TakesAnEmptyVariableForAnUnsetOne) {
  for (const char* const variable : {"JOBS_NUM_WORKERS", "JOBS_DEADLOCK_MS", "JOBS_STALL_MS",
                                     "JOBS_FENCED", "JOBS_RAID", "JOBS_STACK_GUARD"}) {
    const char* const before = std::getenv(variable);
    const std::optional<std::string> kept =
        before != nullptr ? std::optional<std::string>(before) : std::nullopt;
    ASSERT_EQ(setenv(variable, "", 1), 0);
    EXPECT_EQ(jobs::Scheduler().run([] { return 1; }), 1) << variable;
    ASSERT_EQ(kept ? setenv(variable, kept->c_str(), 1) : unsetenv(variable), 0);
  }
}

TEST(Scheduler, RefusesImpossibleOptions) {
  const auto code_of = [](jobs::SchedulerOptions options) {
    try {
      jobs::Scheduler scheduler(options);
    } catch (const jobs::Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "expected an Error";
    return jobs::ErrorCode();
  };
  EXPECT_EQ(code_of({.worker_count = 5000}), jobs::ErrorCode::kBadArgument);
  EXPECT_EQ(code_of({.worker_count = 1, .stack_size = 0}), jobs::ErrorCode::kBadArgument);
  EXPECT_EQ(code_of({.worker_count = 1, .stack_size = 4095}), jobs::ErrorCode::kBadArgument);
  for (const double share : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(code_of({.worker_count = 1, .spin_budget = share}), jobs::ErrorCode::kBadArgument);
  EXPECT_EQ(code_of({.worker_count = 1, .stack_size = SIZE_MAX}), jobs::ErrorCode::kBadArgument);
}

TEST(Scheduler, GivesJobsTheStackThatWasAskedFor) {
  jobs::Scheduler scheduler({.worker_count = 1, .stack_size = 4 << 20});
  EXPECT_EQ(scheduler.run([] {
    volatile char large[3 << 20];
    large[0] = 1;
    large[sizeof large - 1] = 2;
    return large[0] + large[sizeof large - 1];
  }),
            3);
}

TEST(Scheduler, RunsWithItsWorkersPinned) {
  jobs::Scheduler scheduler({.worker_count = 4, .pin_workers = true});
  EXPECT_EQ(scheduler.run([] {
    const auto [a, b] = jobs::fork_join([] { return 1; }, [] { return 2; });
    return a + b;
  }),
            3);
  EXPECT_THAT(scheduler.describe(), HasSubstr(", pinned"));
}

TEST(Scheduler, LeavesSignalsToTheThreadsOfTheProgram) {
  jobs::Scheduler scheduler({.worker_count = 2});
  sigset_t blocked;
  sigemptyset(&blocked);
  scheduler.run([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD, SIGPROF, SIGWINCH}) {
    EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    EXPECT_EQ(sigismember(&blocked, signal), 0) << signal;
}

TEST(Scheduler, ThrowsWhereAWaitNeedsMoreFibersThanAllowed) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_fibers = 4});
  std::atomic<int> refused{0}, waited{0};
  scheduler.run([&] {
    jobs::Event open;
    jobs::Counter done;
    for (int i = 0; i < 20; ++i) {
      jobs::spawn(done, [&] {
        try {
          jobs::Counter never_used(1);
          const auto release = [&never_used] { never_used.done(); };
          jobs::Counter helper;
          jobs::spawn(helper, release);
          never_used.wait();
          helper.wait();
          ++waited;
        } catch (const jobs::Error& error) {
          EXPECT_EQ(error.code(), jobs::ErrorCode::kNoStack);
          ++refused;
        }
      });
    }
    done.wait();
  });
  EXPECT_EQ(refused + waited, 20);
}

TEST(Scheduler, CountsWhatItDoes) {
  jobs::Scheduler scheduler({.worker_count = 2});
  const jobs::Stats before = scheduler.stats();
  scheduler.run([] {
    jobs::Counter done;
    for (int i = 0; i < 100; ++i) jobs::spawn(done, [] {});
    done.wait();
  });
  const jobs::Stats after = scheduler.stats();
  EXPECT_EQ(after.jobs - before.jobs, 101u);
  EXPECT_GE(after.fibers, 2u);
}

// Repeats reading until the figures are the expected ones, because they are not taken at one
// instant.
template <class Expected>
void expect_soon(const jobs::Scheduler& scheduler, const Expected& expected) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!expected(scheduler.stats()) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const jobs::Stats stats = scheduler.stats();
  EXPECT_TRUE(expected(stats)) << stats.fibers_blocked << " fibers blocked, " << stats.waiting_jobs
                               << " jobs wait";
}

class SchedulerFigures : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, SchedulerFigures, testing::Values(1u, 2u, 4u, 16u));

TEST_P(SchedulerFigures, CountBlockedFibersAndJobsThatWaitInQueues) {
  const unsigned workers = GetParam();
  jobs::Scheduler scheduler({.worker_count = workers});
  jobs::Event open;
  jobs::Counter waiting, busy, queued;
  for (int i = 0; i < 10; ++i) scheduler.spawn(waiting, [&open] { open.wait(); });
  expect_soon(scheduler, [](const jobs::Stats& stats) {
    return stats.fibers_blocked == 10 && stats.waiting_jobs == 0;
  });

  std::atomic<bool> released{false};
  std::atomic<unsigned> started{0};
  for (unsigned i = 0; i < workers; ++i) {
    scheduler.spawn(busy, [&] {
      ++started;
      while (!released) std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  }
  while (started != workers) std::this_thread::yield();
  for (int i = 0; i < 25; ++i)
    scheduler.spawn(queued, [] {},
                    {.priority = i % 2 == 0 ? jobs::Priority::kNormal : jobs::Priority::kLow});
  const jobs::Stats stats = scheduler.stats();
  EXPECT_EQ(stats.fibers_blocked, 10u);
  EXPECT_EQ(stats.waiting_jobs, 25u);

  released = true;
  open.signal();
  waiting.wait();
  busy.wait();
  queued.wait();
  expect_soon(scheduler, [](const jobs::Stats& at_end) {
    return at_end.fibers_blocked == 0 && at_end.waiting_jobs == 0;
  });
}

TEST(Scheduler, CountsTheFibersOfTheWorkerThatHasTheMost) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event end;
  jobs::Counter done;
  std::atomic<int> started{0};
  for (unsigned i = 0; i < 30; ++i) {
    const auto wait = [&] {
      ++started;
      end.wait();
    };
    scheduler.spawn(done, wait, {.on = jobs::worker(i % 3 == 0 ? 0 : 1)});
  }
  while (started != 30) std::this_thread::yield();
  const std::size_t most = scheduler.stats().max_worker_fibers;
  end.signal();
  done.wait();
  EXPECT_GE(most, 20u);
  EXPECT_LE(most, 21u);  // A loop may run beside the jobs that wait.
}

}  // namespace
