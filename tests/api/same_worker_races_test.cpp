// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Order between two fibers of one worker: only operations that would order them on two workers
// count. A build with JOBS_TSAN_NO_SYNC reports all other pairs as races, here, too, and reports
// none of the ordered ones. Other builds report nothing, and the sums are right.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "jobs/base/annotate.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;

// One worker: no worker steals, so plain data is never torn, in any order.
void on_one_worker(const std::function<void(int& value)>& body) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_idle_stacks = 1});
  int value = 0;
  scheduler.run([&] { body(value); });
  EXPECT_EQ(value, 3);
}

// Two fibers access plain data; the wait between the accesses does not order them.
void expect_race([[maybe_unused]] const std::function<void(int& value)>& body) {
#if defined(JOBS_ANNOTATE_SYNC)
  // A report changes the exit status.
  EXPECT_DEATH((on_one_worker(body), std::exit(0)), "data race");
#else
  on_one_worker(body);
#endif
}

TEST(SameWorkerDeathTest, YieldsOrderNothing) {
  expect_race([](int& value) {
    const auto add = [&] {
      jobs::yield();
      ++value;
    };
    jobs::Fiber<> first(add, {.start = jobs::FiberStart::kNow});
    jobs::Fiber<> second(add, {.start = jobs::FiberStart::kNow});
    first.join();
    second.join();
    ++value;
  });
}

TEST(SameWorkerDeathTest, TurnsOrderNothing) {
  expect_race([](int& value) {
    jobs::Counter done;
    jobs::Event go_on;
    jobs::spawn(done, [&] { go_on.signal(); });
    jobs::spawn(done, [&] { ++value; });
    jobs::spawn(done, [&] {  // the youngest job runs first
      ++value;
      go_on.wait();
      ++value;
    });
    done.wait();
  });
}

TEST(SameWorkerDeathTest, TimeOrdersNothing) {
  expect_race([](int& value) {
    jobs::Counter done;
    for (const auto delay : {1ms, 20ms, 40ms}) {
      jobs::spawn(done, [&value, delay] {
        jobs::this_fiber::sleep_for(delay);
        ++value;
      });
    }
    done.wait();
  });
}

TEST(SameWorker, StartsAndJoinsOrder) {
  on_one_worker([](int& value) {
    ++value;
    for (const auto start : {jobs::FiberStart::kLater, jobs::FiberStart::kNow}) {
      jobs::Fiber<> fiber(
          [&] {
            jobs::yield();
            ++value;
          },
          {.start = start});
      fiber.join();
    }
  });
}

TEST(SameWorker, JoinsOfForksOrder) {
  on_one_worker([](int& value) {
    int other = 0;
    jobs::fork_join(
        [&] {
          jobs::yield();  // the other fiber runs meanwhile
          ++value;
        },
        [&] {
          jobs::yield();
          ++other;
        });
    value += other;
    ++value;
  });
}

TEST(SameWorker, CountersOrder) {
  on_one_worker([](int& value) {
    for (int i = 0; i < 3; ++i) {
      jobs::Counter done;
      jobs::spawn(done, [&] {
        jobs::yield();
        ++value;
      });
      done.wait();
    }
  });
}

TEST(SameWorker, MutexesOrder) {
  on_one_worker([](int& value) {
    jobs::Mutex mutex;
    jobs::Counter done;
    for (int i = 0; i < 3; ++i) {
      jobs::spawn(done, [&] {
        const std::lock_guard guard(mutex);
        jobs::yield();
        ++value;
      });
    }
    done.wait();
  });
}

TEST(SameWorker, EventsOrder) {
  on_one_worker([](int& value) {
    jobs::Event first;
    jobs::Event second;
    jobs::Counter done;
    jobs::spawn(done, [&] {
      second.wait();
      ++value;
    });
    jobs::spawn(done, [&] {
      first.wait();
      ++value;
      second.signal();
    });
    jobs::spawn(done, [&] {
      ++value;
      first.signal();
    });
    done.wait();
  });
}

TEST(SameWorker, ChannelsOrder) {
  on_one_worker([](int& value) {
    jobs::Channel<int*> values(1);
    jobs::Counter done;
    jobs::spawn(done, [&] {
      while (const auto at = values.pop()) ++**at;
    });
    ++value;
    ASSERT_TRUE(values.push(&value));
    values.close();
    done.wait();
    ++value;
  });
}

TEST(SameWorker, MessagesOrder) {
  on_one_worker([](int& value) {
    jobs::Fiber<> fiber([&] {
      jobs::this_fiber::suspend();
      ++value;
    });
    jobs::yield();
    value += 2;
    fiber.schedule();
    fiber.join();
  });
}

TEST(SameWorker, PerWorkerNeedsNoOrder) {
  on_one_worker([](int& value) {
    jobs::PerWorker<int> values;
    {
      std::vector<jobs::Fiber<>> fibers(3);
      for (auto& fiber : fibers) {
        fiber = jobs::Fiber<>(
            [&] {
              jobs::yield();
              ++values.local();
            },
            {.start = jobs::FiberStart::kNow});
      }
      for (auto& fiber : fibers) fiber.join();
    }
    values.for_each([&](int part) { value += part; });
  });
}

// A fiber gets the memory that another fiber has freed; no other operation orders the two.
TEST(SameWorker, MemoryAndStacksAreHandedOver) {
  on_one_worker([](int& value) {
    const auto use_some = [] {
      for (int i = 0; i < 20; ++i) {
        jobs::Counter done;
        for (int j = 0; j < 3; ++j) {
          jobs::spawn(done, [text = std::string(40, 'x')]() mutable {
            volatile char local[512];
            for (volatile char& c : local) c = 'y';
            jobs::yield();
            text += local[0];
          });
        }
        done.wait();
        jobs::Fiber<>(
            [i] {
              volatile int local = i;
              jobs::yield();
              local = local + 1;
            },
            {.stack_size = 256 * 1024, .start = jobs::FiberStart::kNow})
            .join();
        jobs::yield();
      }
    };
    jobs::Fiber<> first(use_some, {.start = jobs::FiberStart::kNow});
    jobs::Fiber<> second(use_some, {.start = jobs::FiberStart::kNow});
    first.join();
    second.join();
    value = 3;
  });
}

}  // namespace
