// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The order guarantees of jobs/runtime/README.md, each under its name. They hold on one worker,
// where order is defined.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberRef;
using jobs::FiberStart;
using jobs::FiberState;

// Runs the body as a job of a scheduler with one worker.
template <class F>
void on_one_worker(F&& body) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([&] { body(scheduler); });
}

struct Sleepers {
  std::vector<int> order;
  std::vector<jobs::Fiber<>> fibers;

  explicit Sleepers(int count) {
    for (int i = 0; i < count; ++i) {
      fibers.emplace_back([this, i] {
        jobs::this_fiber::suspend();
        order.push_back(i);
      });
      while (fibers.back().state() != FiberState::kWaiting) jobs::yield();
    }
  }
  void join() {
    for (auto& fiber : fibers) fiber.join();
  }
};

TEST(FiberOrder, WokenFibersRunInTheOrderOfTheirWakeUps) {
  on_one_worker([](jobs::Scheduler&) {
    Sleepers sleepers(50);
    std::vector<int> expected;
    for (int i = 0; i < 50; ++i) {
      const int chosen = (i * 7) % 50;
      expected.push_back(chosen);
      EXPECT_TRUE(sleepers.fibers[static_cast<std::size_t>(chosen)].schedule());
    }
    sleepers.join();
    EXPECT_EQ(sleepers.order, expected);
  });
}

TEST(FiberOrder, WokenFromAnotherThreadTheyKeepTheOrderToo) {
  on_one_worker([](jobs::Scheduler&) {
    Sleepers sleepers(50);
    std::jthread([&] {
      for (auto& fiber : sleepers.fibers) EXPECT_TRUE(fiber.schedule());
    }).join();
    sleepers.join();
    EXPECT_TRUE(std::is_sorted(sleepers.order.begin(), sleepers.order.end()));
  });
}

TEST(FiberOrder, ASecondWakeUpChangesNothing) {
  on_one_worker([](jobs::Scheduler&) {
    Sleepers sleepers(3);
    for (const std::size_t i : {2u, 0u, 2u, 1u, 2u, 0u}) sleepers.fibers[i].schedule();
    sleepers.join();
    EXPECT_EQ(sleepers.order, (std::vector{2, 0, 1}));
  });
}

TEST(FiberOrder, AWakeUpTakesEffectOnlyWhenTheWakerStops) {
  on_one_worker([](jobs::Scheduler&) {
    Sleepers sleepers(1);
    sleepers.fibers[0].schedule();
    EXPECT_EQ(sleepers.fibers[0].state(), FiberState::kRunnable);
    EXPECT_TRUE(sleepers.order.empty());
    sleepers.join();
  });
}

TEST(FiberOrder, ReadyFibersGoBeforeNewJobsButNotForEver) {
  on_one_worker([](jobs::Scheduler&) {
    Sleepers sleepers(9);
    jobs::Counter done;
    for (int i = 0; i < 9; ++i) jobs::spawn(done, [&sleepers] { sleepers.order.push_back(-1); });
    for (auto& fiber : sleepers.fibers) fiber.schedule();
    done.wait();
    sleepers.join();
    // While a job waits, at most three fibers run in a row, and a fiber runs first.
    int in_a_row = 0, longest = 0;
    const auto last_job = std::find(sleepers.order.rbegin(), sleepers.order.rend(), -1).base();
    for (auto at = sleepers.order.begin(); at != last_job; ++at) {
      in_a_row = *at == -1 ? 0 : in_a_row + 1;
      longest = std::max(longest, in_a_row);
    }
    EXPECT_EQ(sleepers.order.front(), 0);
    EXPECT_LE(longest, 3);
    EXPECT_EQ(sleepers.order.size(), 18u);
  });
}

TEST(FiberOrder, FibersThatWakeEachOtherDoNotStarveJobs) {
  on_one_worker([](jobs::Scheduler&) {
    bool job_ran = false;
    std::uint64_t turns = 0;
    jobs::Counter done;
    const auto spin = [&] {
      while (!job_ran) {
        ++turns;
        jobs::yield();
      }
    };
    jobs::Fiber<> a(spin), b(spin);
    while (turns < 2) jobs::yield();
    jobs::spawn(done, [&] { job_ran = true; });
    const std::uint64_t before = turns;
    done.wait();
    EXPECT_LE(turns - before, 10u);
    a.join();
    b.join();
  });
}

TEST(FiberOrder, FibersThatWakeEachOtherStarveNeitherTimersNorTheInbox) {
  on_one_worker([](jobs::Scheduler&) {
    bool stop = false;
    const auto spin = [&] {
      while (!stop) jobs::yield();
    };
    std::vector<jobs::Fiber<>> saturating;
    for (int i = 0; i < 20; ++i) saturating.emplace_back(spin);
    jobs::Event from_outside;
    const std::jthread outside([&] {
      std::this_thread::sleep_for(1ms);
      from_outside.signal();
    });
    from_outside.wait();
    const auto start = std::chrono::steady_clock::now();
    jobs::this_fiber::sleep_for(1ms);
    // The job runs at all; the machine may be busy.
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    stop = true;
    for (auto& fiber : saturating) fiber.join();
  });
}

TEST(FiberOrder, NestedStartsReturnToTheirCallersFirst) {
  on_one_worker([](jobs::Scheduler&) {
    std::string trace;
    jobs::Event go;
    Sleepers ready(2);
    for (auto& fiber : ready.fibers) fiber.schedule();
    jobs::Fiber<> b, c;
    jobs::Fiber<> a(
        [&] {
          b = jobs::Fiber<>(
              [&] {
                c = jobs::Fiber<>(
                    [&] {
                      trace += 'c';
                      go.wait();
                    },
                    {.start = FiberStart::kNow});
                trace += 'b';
                go.wait();
              },
              {.start = FiberStart::kNow});
          trace += 'a';
          go.wait();
        },
        {.start = FiberStart::kNow});
    EXPECT_EQ(trace, "cba");
    EXPECT_TRUE(ready.order.empty()) << "those who were ready before come after the chain";
    go.signal();
    a.join();
    b.join();
    c.join();
    ready.join();
  });
}

TEST(FiberOrder, AYieldGoesBehindAllReadyFibers) {
  on_one_worker([](jobs::Scheduler&) {
    std::string order;
    std::vector<jobs::Fiber<>> fibers;
    for (const char name : {'a', 'b', 'c'}) {
      fibers.emplace_back([&order, name] {
        jobs::this_fiber::suspend();
        for (int i = 0; i < 4; ++i) {
          order += name;
          jobs::yield();
        }
      });
      while (fibers.back().state() != FiberState::kWaiting) jobs::yield();
    }
    for (auto& fiber : fibers) fiber.schedule();
    for (auto& fiber : fibers) fiber.join();
    EXPECT_EQ(order, "abcabcabcabc");
  });
}

TEST(FiberOrder, ASleepOfNothingLetsTheOthersRunOnce) {
  on_one_worker([](jobs::Scheduler&) {
    Sleepers sleepers(3);
    for (auto& fiber : sleepers.fibers) fiber.schedule();
    // Three fibers in a row, then a check for new jobs.
    for (int i = 0; i < 2; ++i) jobs::this_fiber::sleep_for(0s);
    EXPECT_EQ(sleepers.order.size(), 3u);
    sleepers.join();
  });
}

TEST(FiberOrder, AtItsEndItIsDeadBeforeItsJoinersRun) {
  jobs::Scheduler scheduler({.worker_count = 4});
  scheduler.run([&] {
    for (int round = 0; round < 200; ++round) {
      jobs::Event go;
      bool captured_is_gone = false;
      struct Captured {
        bool* gone;
        explicit Captured(bool* flag) : gone(flag) {}
        Captured(Captured&& other) noexcept : gone(std::exchange(other.gone, nullptr)) {}
        ~Captured() {
          if (gone != nullptr) *gone = true;
        }
      };
      jobs::Fiber<> fiber([&go, captured = Captured(&captured_is_gone)] { go.wait(); });
      const FiberRef ref = fiber;
      std::vector<jobs::Fiber<bool>> joiners;
      for (int i = 0; i < 3; ++i) {
        joiners.emplace_back([ref, &captured_is_gone] {
          ref.wait();
          return ref.state() == FiberState::kDead && !ref.schedule() &&
                 !jobs::find_fiber(ref.id()) && captured_is_gone;
        });
      }
      go.signal();
      for (auto& joiner : joiners) EXPECT_TRUE(joiner.join());
      fiber.join();
    }
  });
}

TEST(FiberOrder, SwitchesDirectlyFromFiberToFiber) {
  on_one_worker([](jobs::Scheduler& scheduler) {
    // The number of fibers that run in a row without a check for new jobs.
    constexpr std::uint64_t kFibers = 3;
    std::vector<jobs::Fiber<>> fibers;
    std::uint64_t ran = 0;
    for (std::uint64_t i = 0; i < kFibers; ++i) {
      fibers.emplace_back([&] {
        jobs::this_fiber::suspend();
        ++ran;
        jobs::this_fiber::suspend();
      });
      while (fibers.back().state() != FiberState::kWaiting) jobs::yield();
    }
    jobs::Event never;
    static_cast<void>(never.wait_for(1us));  // starts a new turn of the loop
    for (auto& fiber : fibers) fiber.schedule();
    const std::uint64_t before = scheduler.stats().switches;
    jobs::yield();
    // n fibers and the way back: n + 1 switches. Switches through a scheduler loop would be 2n.
    // Every fourth turn checks for a job.
    EXPECT_EQ(ran, kFibers);
    EXPECT_LE(scheduler.stats().switches - before, kFibers + 2);
    for (auto& fiber : fibers) {
      fiber.schedule();
      fiber.join();
    }
  });
}

TEST(FiberOrder, ResumesAtOnceIfItIsTheOnlyOneThatIsReady) {
  on_one_worker([](jobs::Scheduler& scheduler) {
    jobs::yield();
    const std::uint64_t before = scheduler.stats().switches;
    for (int i = 0; i < 400; ++i) jobs::yield();
    // Every 16th yield checks the jobs of other workers, on another fiber; all other yields resume
    // at once.
    EXPECT_LE(scheduler.stats().switches - before, 2 * 400 / 16 + 2);
  });
}

TEST(FiberOrder, AJoinRunsItsFiberAtOnceUnlessOthersAreReady) {
  on_one_worker([](jobs::Scheduler& scheduler) {
    std::string order;
    jobs::Fiber<> ready([&] {
      jobs::this_fiber::suspend();
      order += "ready ";
    });
    while (ready.state() != FiberState::kWaiting) jobs::yield();
    const auto joined = [&] { jobs::Fiber<>([&] { order += "joined "; }).join(); };
    ready.schedule();
    joined();
    EXPECT_EQ(order, "ready joined ");
    const std::uint64_t before = scheduler.stats().switches;
    joined();
    EXPECT_EQ(scheduler.stats().switches - before, 2u);  // there and back
    ready.join();
  });
}

TEST(FiberOrder, AJoiningFiberIsSeenWaiting) {
  on_one_worker([](jobs::Scheduler&) {
    jobs::Fiber<FiberState> joiner([] {
      const FiberRef self = jobs::this_fiber::ref();
      return jobs::Fiber<FiberState>([&] { return self.state(); }).join();
    });
    EXPECT_EQ(joiner.join(), FiberState::kWaiting);
  });
}

TEST(FiberOrder, AJoinThatIsCancelledBeforeItBeginsRunsNothing) {
  on_one_worker([](jobs::Scheduler&) {
    bool ran = false;
    jobs::Fiber<> joiner([&] {
      jobs::Fiber<> joined([&] { ran = true; });
      jobs::this_fiber::ref().request_stop();
      EXPECT_THROW(joined.join(), jobs::Cancelled);
      EXPECT_FALSE(ran);
    });
    joiner.join();
  });
}

}  // namespace
