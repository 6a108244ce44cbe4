// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools that are built on fibers: groups, waits for several fibers, locals, generators; hooks,
// accounts and time slices.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "jobs/fiber_group.hpp"
#include "jobs/fiber_local.hpp"
#include "jobs/generator.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/wait_fibers.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberRef;

// --- several fibers -----------------------------------------------------------------------------

class WaitFibers : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(WaitFibers);

TEST_P(WaitFibers, WaitAllReturnsWhenAllHaveEnded) {
  run([&] {
    std::atomic<int> ended{0};
    std::vector<jobs::Fiber<>> fibers;
    std::vector<FiberRef> refs;
    for (int i = 0; i < 10; ++i) {
      fibers.emplace_back([&, i] {
        jobs::this_fiber::sleep_for(std::chrono::microseconds(200 * (10 - i)));
        ++ended;
      });
      refs.emplace_back(fibers.back());
    }
    jobs::wait_all(refs);
    EXPECT_EQ(ended, 10);
    jobs::wait_all({});
    for (auto& fiber : fibers) fiber.join();
  });
}

TEST_P(WaitFibers, WaitAnyNamesTheFirstThatHasEnded) {
  run([&] {
    jobs::Event first, second;
    jobs::Fiber<int> a([&] {
      first.wait();
      return 1;
    });
    jobs::Fiber<int> b([&] {
      second.wait();
      return 2;
    });
    const std::vector<FiberRef> both{a, b};
    EXPECT_FALSE(jobs::wait_any_for(both, 1ms));
    second.signal();
    EXPECT_EQ(jobs::wait_any(both), 1u);
    EXPECT_EQ(jobs::wait_any_for(both, 0ms), 1u);
    EXPECT_EQ(b.join(), 2);
    first.signal();
    EXPECT_EQ(jobs::wait_any({a}), 0u);
    EXPECT_EQ(a.join(), 1);
    EXPECT_THROW(jobs::wait_any({}), jobs::Error);
    jobs::Fiber<bool> self([] {
      try {
        jobs::wait_any({jobs::this_fiber::ref()});
      } catch (const jobs::Error&) {
        return true;
      }
      return false;
    });
    EXPECT_TRUE(self.join());
  });
}

TEST_P(WaitFibers, WaitAnyMayBeUsedByMany) {
  run([&] {
    jobs::Event go;
    jobs::Fiber<> one([&] { go.wait(); });
    const FiberRef ref = one;
    std::vector<jobs::Fiber<std::size_t>> waiters;
    for (int i = 0; i < 8; ++i) waiters.emplace_back([ref] { return jobs::wait_any({ref}); });
    jobs::Fiber<std::size_t> stopped([ref] { return jobs::wait_any({ref}); });
    stopped.request_stop();
    EXPECT_THROW(stopped.join(), jobs::Cancelled);
    go.signal();
    for (auto& waiter : waiters) EXPECT_EQ(waiter.join(), 0u);
    one.join();
  });
}

TEST_P(WaitFibers, WaitAnySeesTheEndOfOneThatNeverBegan) {
  run([&] {
    for (const bool by_stop : {true, false}) {
      jobs::Fiber<> held([] { ADD_FAILURE() << "it has begun"; },
                         {.start = jobs::FiberStart::kSuspended});
      jobs::Fiber<std::size_t> waiter([ref = FiberRef(held)] { return jobs::wait_any({ref}); });
      while (waiter.state() != jobs::FiberState::kWaiting) jobs::yield();
      EXPECT_TRUE(by_stop ? held.request_stop()
                          : held.schedule_exception(std::make_exception_ptr(jobs::Cancelled())));
      EXPECT_EQ(waiter.join(), 0u);
      EXPECT_THROW(held.join(), jobs::Cancelled);
    }
  });
}

// --- groups -------------------------------------------------------------------------------------

class FiberGroup : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(FiberGroup);

TEST_P(FiberGroup, WaitsForAllAndThoseTheyStart) {
  run([&] {
    std::atomic<int> ended{0};
    jobs::FiberGroup group;
    for (int i = 0; i < 10; ++i) {
      group.start([&] {
        jobs::yield();
        group.start([&] { ++ended; });
        ++ended;
      });
    }
    group.wait();
    EXPECT_EQ(ended, 20);
    EXPECT_EQ(group.size(), 0u);
    group.start([&] { ++ended; });  // the group can be used again
    group.wait();
    EXPECT_EQ(ended, 21);
  });
}

TEST_P(FiberGroup, StopsTheOthersWhenOneFails) {
  run([&] {
    jobs::Event never;
    std::atomic<int> unwound{0};
    struct Unwound {
      std::atomic<int>& count;
      ~Unwound() { ++count; }
    };
    jobs::FiberGroup group;
    for (int i = 0; i < 5; ++i) {
      group.start([&] {
        const Unwound at_end{unwound};
        never.wait();
      });
    }
    group.start([] {
      jobs::this_fiber::sleep_for(1ms);
      throw std::runtime_error("the first");
    });
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_EQ(unwound, 5);
  });
}

TEST_P(FiberGroup, StartsFibersWithoutAStopAfterAFailureWasThrown) {
  run([&] {
    jobs::FiberGroup group;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 2; ++i) group.start([] { throw std::runtime_error("a member"); });
      EXPECT_THROW(group.wait(), std::runtime_error);
      bool is_stopped = true;
      group.start([&] { is_stopped = jobs::this_fiber::stop_token().stop_requested(); });
      group.wait();  // does not throw the second exception of the round
      EXPECT_FALSE(is_stopped);
    }
  });
}

TEST_P(FiberGroup, StaysStoppedWhileAFailedMemberWasNotWaitedFor) {
  run([&] {
    jobs::FiberGroup group;
    std::atomic<bool> has_begun{false};
    group.start([&] {
      has_begun = true;
      throw std::runtime_error("a member");
    });
    while (!has_begun || group.size() != 0) jobs::yield();
    std::atomic<bool> is_stopped{false};
    group.start([&] { is_stopped = jobs::this_fiber::stop_token().stop_requested(); });
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_TRUE(is_stopped);
  });
}

TEST_P(FiberGroup, StopsThoseThatAreLeftAtItsEnd) {
  run([&] {
    jobs::Event never;
    std::atomic<int> ended{0};
    struct Ended {
      std::atomic<int>& count;
      ~Ended() { ++count; }
    };
    {
      jobs::FiberGroup group;
      for (int i = 0; i < 5; ++i) {
        group.start([&] {
          const Ended at_end{ended};
          never.wait();
        });
      }
    }
    EXPECT_EQ(ended, 5);
    jobs::Fiber<> parent([&] {  // a cancelled parent cancels its children
      jobs::FiberGroup group;
      group.start([&] {
        const Ended at_end{ended};
        never.wait();
      });
      group.wait();
    });
    parent.request_stop();
    EXPECT_THROW(parent.join(), jobs::Cancelled);
    EXPECT_EQ(ended, 6);
  });
}

TEST_P(FiberGroup, PassesAStopTokenToMembersThatTakeOne) {
  run([&] {
    std::atomic<int> stopped{0};
    jobs::FiberGroup group;
    for (int i = 0; i < 3; ++i) {
      group.start([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) jobs::yield();
        ++stopped;
      });
    }
    EXPECT_EQ(stopped, 0);
    group.request_stop();
    group.wait();
    EXPECT_EQ(stopped, 3);
    group.start([&](const std::stop_token& stop) { stopped += stop.stop_requested() ? 100 : 1; });
    group.wait();
    EXPECT_EQ(stopped, 4);
  });
}

TEST_P(FiberGroup, RestartsAMemberThatFails) {
  run([&] {
    int calls = 0;
    std::vector<std::string> failures;
    jobs::FiberGroup group;
    group.supervise(
        [&, own = 0]() mutable {
          ++calls;
          if (++own < 4) throw std::runtime_error("call " + std::to_string(own));
        },
        {.most = 3, .on_restart = [&](const std::exception_ptr& failure) {
           try {
             std::rethrow_exception(failure);
           } catch (const std::runtime_error& error) {
             failures.emplace_back(error.what());
           }
         }});
    group.wait();
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(failures, (std::vector<std::string>{"call 1", "call 2", "call 3"}));
  });
}

TEST_P(FiberGroup, FailsWhenTheRestartsAreUsedUp) {
  run([&] {
    int calls = 0;
    std::atomic<bool> unwound{false};
    jobs::Event never;
    jobs::FiberGroup group;
    group.start([&] {
      struct Unwound {
        std::atomic<bool>& flag;
        ~Unwound() { flag = true; }
      } at_end{unwound};
      never.wait();
    });
    group.supervise(
        [&] {
          ++calls;
          throw std::runtime_error("always");
        },
        {.most = 2, .delay = 100us});
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_EQ(calls, 3);
    EXPECT_TRUE(unwound) << "the failure did not stop the other member";
  });
}

TEST_P(FiberGroup, RestartsNothingAfterAStop) {
  run([&] {
    std::atomic<int> calls{0};
    jobs::Event failed;
    jobs::FiberGroup group;
    group.supervise(
        [&] {
          ++calls;
          throw std::runtime_error("once");
        },
        {.delay = 1h, .on_restart = [&](const std::exception_ptr&) { failed.signal(); }});
    failed.wait();
    group.request_stop();  // ends the delay
    group.wait();
    EXPECT_EQ(calls, 1);

    group.supervise([&](const std::stop_token& stop) {
      ++calls;
      while (!stop.stop_requested()) jobs::yield();
      throw std::runtime_error("at the stop");
    });
    while (calls < 2) jobs::yield();
    group.request_stop();
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_EQ(calls, 2);
  });
}

TEST_P(FiberGroup, StopsWhatIsStartedAfterTheRequest) {
  run([&] {
    jobs::Event never;
    jobs::FiberGroup group;
    group.request_stop();
    group.start([&] { never.wait(); });
    group.wait();
    EXPECT_THROW(group.start([] {}, {.start = jobs::FiberStart::kSuspended}), jobs::Error);
    EXPECT_THROW(group.start([] {}, {.daemon = true}), jobs::Error);
  });
}

TEST_P(FiberGroup, WaitsForALimitedTime) {
  run([&] {
    jobs::Event go;
    std::atomic<int> ended{0};
    std::stop_source stopped;
    stopped.request_stop();
    const auto past = std::chrono::system_clock::now() - 1h;
    jobs::FiberGroup group;
    EXPECT_TRUE(group.wait_for(0ms)) << "it is empty";
    EXPECT_TRUE(group.wait(stopped.get_token())) << "success has precedence";
    for (int i = 0; i < 3; ++i) {
      group.start([&] {
        go.wait();
        ++ended;
      });
    }
    EXPECT_FALSE(group.wait_for(2ms));
    EXPECT_FALSE(group.wait_for(-1h));
    EXPECT_FALSE(group.wait_until(past));
    EXPECT_FALSE(group.wait_until(std::chrono::steady_clock::now() + 1ms));
    EXPECT_FALSE(group.wait(stopped.get_token()));
    EXPECT_FALSE(group.wait_for(1h, stopped.get_token()));
    EXPECT_FALSE(group.wait_until(std::chrono::steady_clock::now() + 1h, stopped.get_token()));
    EXPECT_EQ(ended, 0) << "no wait has stopped them";
    std::stop_source later;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(2ms);
      later.request_stop();
    });
    EXPECT_FALSE(group.wait(later.get_token()));
    EXPECT_THROW(static_cast<void>(group.wait_for(std::chrono::duration<double>(NAN))),
                 jobs::Error);
    go.signal();
    EXPECT_TRUE(group.wait_for(1h));
    EXPECT_EQ(ended, 3);
    group.start([] { throw std::runtime_error("it fails"); });
    EXPECT_THROW(static_cast<void>(group.wait_for(1h)), std::runtime_error);
  });
}

TEST_P(FiberGroup, IsLeftRunningByALimitedWaitAndStoppedByItsEnd) {
  run([&] {
    jobs::Event never;
    jobs::FiberGroup group;
    group.start([&] { never.wait(); });
    EXPECT_FALSE(group.wait_for(1ms));
    group.request_stop();
    EXPECT_TRUE(group.wait_for(1h));
    group.start([&] { never.wait(); });
    EXPECT_FALSE(group.wait_for(1ms)) << "a wait that succeeded ends the stop request";
    EXPECT_THROW(jobs::cancel_after(1ms, [&] { static_cast<void>(group.wait_for(1h)); }),
                 jobs::Cancelled);
  });
}

// --- locals -------------------------------------------------------------------------------------

class FiberLocal : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(FiberLocal);

TEST_P(FiberLocal, IsEachFibersOwn) {
  run([&] {
    jobs::FiberLocal<int> number;
    jobs::FiberLocal<std::string> last_error([] { return std::string("none"); });
    std::vector<jobs::Fiber<bool>> fibers;
    for (int i = 0; i < 20; ++i) {
      fibers.emplace_back([&, i] {
        bool own = *number == 0 && *last_error == "none";
        *number = i;
        *last_error = std::to_string(i);
        for (int j = 0; j < 5; ++j) jobs::yield();
        own = own && *number == i && last_error->size() == std::to_string(i).size();
        return own && *last_error == std::to_string(i);
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
    EXPECT_THROW(*number = 1, jobs::Error) << "no Fiber runs here";
  });
}

TEST_P(FiberLocal, IsDestroyedAtTheEndLastOneFirst) {
  run([&] {
    struct Logs {
      std::string* log;
      char name;
      ~Logs() {
        if (log != nullptr) *log += name;
      }
    };
    std::string log;
    jobs::FiberLocal<std::unique_ptr<Logs>> a, b, unused;
    jobs::Fiber<> fiber([&] {
      a->reset(new Logs{&log, 'a'});
      b->reset(new Logs{&log, 'b'});
      jobs::yield();
      EXPECT_EQ(log, "");
    });
    fiber.join();
    EXPECT_EQ(log, "ba");
  });
}

// --- generators ---------------------------------------------------------------------------------

class Generator : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Generator);

jobs::Generator<int> numbers(int n, jobs::Event* meanwhile = nullptr) {
  for (int i = 0; i < n; ++i) {
    if (meanwhile != nullptr) meanwhile->wait();
    co_yield i;
  }
}

jobs::Generator<std::string> words() {
  co_yield "one";
  std::string two = "two";
  co_yield two;
  throw std::runtime_error("no third");
}

TEST_P(Generator, ComputesOneElementAfterTheOther) {
  run([&] {
    int sum = 0;
    for (const int number : numbers(5)) sum += number;
    EXPECT_EQ(sum, 10);
    for ([[maybe_unused]] const int number : numbers(0)) ADD_FAILURE();
    jobs::Generator<int> unused = numbers(3);
    jobs::Generator<int> moved = std::move(unused);
    EXPECT_EQ(*moved.begin(), 0);
  });
}

TEST_P(Generator, ThrowsToTheCaller) {
  run([&] {
    std::string text;
    EXPECT_THROW(
        {
          for (const std::string& word : words()) text += word;
        },
        std::runtime_error);
    EXPECT_EQ(text, "onetwo");
  });
}

TEST_P(Generator, MayWaitInItsBody) {
  run([&] {
    jobs::Event go;
    jobs::Fiber<int> sum([&] {
      int total = 0;
      for (const int number : numbers(5, &go)) total += number;
      return total;
    });
    jobs::yield();
    go.signal();
    EXPECT_EQ(sum.join(), 10);
    jobs::Fiber<> cancelled([] {
      jobs::Event never;
      for ([[maybe_unused]] const int number : numbers(5, &never)) ADD_FAILURE();
    });
    cancelled.request_stop();
    EXPECT_THROW(cancelled.join(), jobs::Cancelled);
  });
}

// --- hooks and accounts -------------------------------------------------------------------------

TEST(FiberHooks, SeeEverySuspensionAndResumption) {
  std::mutex mutex;
  std::map<jobs::FiberId, std::pair<int, int>> seen;  // resumed, suspended
  jobs::FiberId id{};
  {
    // One worker: a job that finds the fiber waiting then finds it suspended, too.
    jobs::Scheduler scheduler({.worker_count = 1,
                               .on_suspend =
                                   [&](jobs::FiberId fiber) {
                                     const std::scoped_lock lock(mutex);
                                     ++seen[fiber].second;
                                   },
                               .on_resume =
                                   [&](jobs::FiberId fiber) {
                                     const std::scoped_lock lock(mutex);
                                     ++seen[fiber].first;
                                   }});
    scheduler.run([&] {
      jobs::Semaphore turns(0);
      jobs::Fiber<> fiber([&] {
        for (int i = 0; i < 7; ++i) turns.acquire();
      });
      id = fiber.id();
      for (int i = 0; i < 7; ++i) {
        while (fiber.state() != jobs::FiberState::kWaiting) jobs::yield();
        turns.release();
      }
      fiber.join();
    });
  }
  EXPECT_EQ(seen[id], std::pair(8, 8));  // its start and its waits; its waits and its end
}

TEST(FiberHooks, ReportWhenAWorkerParks) {
  std::atomic<int> calls[2] = {};
  {
    jobs::Scheduler scheduler(
        {.worker_count = 2, .on_idle = [&](unsigned worker) { ++calls[worker]; }});
    for (int i = 0; i < 10; ++i) {
      scheduler.run([] {});
      std::this_thread::sleep_for(1ms);
    }
    while (calls[0] + calls[1] < 2) std::this_thread::sleep_for(1ms);
    // A worker counts its sleep before it calls the hook, so the figures agree when it has ended.
    scheduler.shutdown();
    EXPECT_EQ(static_cast<std::uint64_t>(calls[0] + calls[1]), scheduler.stats().parks);
  }
}

TEST(FiberAccount, MeasuresRunTimeIfItIsAskedTo) {
  const auto work = [](jobs::Scheduler& scheduler) {
    return scheduler.run([] {
      // Not sleeps: a sleep does not switch if its end has passed before it starts.
      jobs::Semaphore turns(0);
      jobs::Fiber<> fiber([&turns] {
        for (int i = 0; i < 4; ++i) {
          const auto start = std::chrono::steady_clock::now();
          while (std::chrono::steady_clock::now() - start < 2ms) {
          }
          turns.acquire();
        }
      });
      const FiberRef ref = fiber;
      for (int i = 0; i < 4; ++i) {
        while (ref.state() != jobs::FiberState::kWaiting) jobs::yield();
        turns.release();
      }
      fiber.join();
      return ref.info();
    });
  };
  jobs::Scheduler with({.worker_count = 1, .account_run_time = true}), without({.worker_count = 1});
  const jobs::FiberInfo info = work(with);
  EXPECT_GE(info.run_time, 8ms);
  EXPECT_EQ(info.switches, 4u);
  EXPECT_EQ(work(without).run_time, 0ns);
}

// The first call after a switch begins a slice. A later call ends the slice once its time has
// passed. The thread may lose its CPU between any two lines, so each time is between two others.
TEST(TimeSlice, IsEndedByMaybeYield) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSlice = 500us;
  constexpr int kSlices = 5;
  jobs::Scheduler scheduler({.worker_count = 1, .time_slice = kSlice});
  scheduler.run([&] {
    std::atomic<bool> enough = false;
    jobs::Fiber<> other;  // It is always ready, so each yield is a switch.
    for (int slice = 0; slice < kSlices; ++slice) {
      const auto before_begin = Clock::now();
      EXPECT_FALSE(jobs::maybe_yield()) << "a slice has just begun";
      const auto after_begin = Clock::now();
      if (slice == 0) {
        other = jobs::Fiber<>([&] {
          while (!enough) jobs::yield();
        });
      }
      for (auto now = Clock::now(); !jobs::maybe_yield(); now = Clock::now())
        ASSERT_LT(now, after_begin + kSlice) << "the slice is over";
      EXPECT_GE(Clock::now(), before_begin + kSlice);
    }
    EXPECT_EQ(scheduler.stats().overruns, static_cast<std::uint64_t>(kSlices));
    enough = true;
    other.join();
  });
  EXPECT_FALSE(jobs::maybe_yield());
}

}  // namespace
