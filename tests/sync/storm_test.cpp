// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Storms: many parties, on fibers and on external threads, perform random operations on few objects
// for a while. At the end, in every run: no party hangs, no update is lost, and every produced item
// was consumed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/sync/channel.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/sync/shared_mutex.hpp"
#include "tests/support/operations.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"
#include "tests/sync/fiber_thread.hpp"
#include "tests/sync/threads.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::ConditionVariable;
using jobs::Counter;
using jobs::Event;
using jobs::Mutex;
using jobs::test::scale;
using jobs::test::scaled;

// The participants: `hosts` threads with `fibers` each, and external threads.
struct Shape {
  std::size_t hosts, fibers, externals;
  std::size_t parties() const { return hosts * fibers + externals; }
  friend void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.hosts << "x" << shape.fibers << "fibers_" << shape.externals << "threads";
  }
};

struct Storm : testing::TestWithParam<Shape> {
  // `each`: number of operations of one party.
  template <class N>
  static void count(N each) {
    jobs::test::add_operations(static_cast<std::uint64_t>(each) * GetParam().parties());
  }

  // Runs body(party, random) once for each party; returns after all have returned.
  template <class F>
  void run(F body) {
    const Shape shape = GetParam();
    const auto party = [&body](std::size_t index) {
      std::mt19937_64 random(jobs::test::seed() + index);
      body(index, random);
    };
    std::vector<std::jthread> running;
    for (std::size_t host = 0; host < shape.hosts; ++host) {
      running.emplace_back([&, host] {
        std::vector<jobs::test::Body> bodies;
        for (std::size_t fiber = 0; fiber < shape.fibers; ++fiber) {
          bodies.push_back([&party, index = host * shape.fibers + fiber] { party(index); });
        }
        jobs::test::run_fibers(std::move(bodies));
      });
    }
    for (std::size_t index = shape.hosts * shape.fibers; index < shape.parties(); ++index) {
      running.emplace_back([&party, index] { party(index); });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, Storm,
                         testing::Values(Shape{0, 0, 4}, Shape{1, 8, 0}, Shape{2, 4, 0},
                                         Shape{2, 4, 2}),
                         testing::PrintToStringParamName());

// Suspends the calling party only.
void pause() { EXPECT_FALSE(Event().wait_for(1us)); }

// A timeout that may or may not pass.
std::chrono::nanoseconds brief(std::mt19937_64& random) {
  return std::chrono::nanoseconds(random() % 20'000);
}

TEST_P(Storm, OfTimedAndUntimedLocksLosesNoUpdate) {
  const int rounds = 50'000 * scale();
  Mutex mutex;
  std::uint64_t locked = 0;
  std::atomic<std::uint64_t> expected{0};
  run([&](std::size_t, std::mt19937_64& random) {
    std::uint64_t mine = 0;
    for (int round = 0; round < rounds; ++round) {
      std::unique_lock lock(mutex, std::defer_lock);
      switch (random() % 4) {
        case 0:
          static_cast<void>(lock.try_lock_for(brief(random)));
          break;
        case 1:
          static_cast<void>(lock.try_lock());
          break;
        default:
          lock.lock();
      }
      if (!lock.owns_lock()) continue;
      ++locked;
      ++mine;
      if (random() % 64 == 0) pause();  // while it owns the mutex
    }
    expected += mine;
  });
  EXPECT_EQ(locked, expected);
  count(rounds);
}

TEST_P(Storm, OfItemsThroughAConditionVariableLosesNone) {
  const auto items_each = static_cast<std::uint64_t>(50'000 * scale());
  Mutex mutex;
  ConditionVariable changed;
  std::deque<std::uint64_t> queue;
  std::uint64_t made = 0;
  std::uint64_t made_sum = 0;
  std::uint64_t taken = 0;
  std::uint64_t taken_sum = 0;
  const std::uint64_t all = items_each * GetParam().parties();
  run([&](std::size_t index, std::mt19937_64& random) {
    std::uint64_t mine = 0;
    for (;;) {
      std::unique_lock lock(mutex);
      if (taken == all) break;
      if (mine < items_each && (random() % 2 == 0 || queue.empty())) {
        ++mine;
        queue.push_back(index + made++);
        made_sum += queue.back();
        if (random() % 2 == 0) lock.unlock();
        changed.notify_one();
        continue;
      }
      const auto something = [&] { return !queue.empty() || taken == all; };
      if (random() % 4 == 0) {
        if (!changed.wait_for(lock, brief(random), something)) continue;
      } else if (mine == items_each) {
        changed.wait(lock, something);
      }
      if (queue.empty()) continue;
      taken_sum += queue.front();
      queue.pop_front();
      if (++taken == all) changed.notify_all();
    }
  });
  EXPECT_EQ(taken_sum, made_sum);
  EXPECT_TRUE(queue.empty());
  count(2 * items_each);
}

TEST_P(Storm, OfCountersThatDieAtOnceEnds) {
  const int rounds = 20'000 * scale();
  // Each party waits for its own counters; any other party may complete them.
  Mutex mutex;
  std::vector<Counter*> outstanding;
  std::atomic<std::size_t> active{GetParam().parties()};
  const auto complete_one = [&](std::mt19937_64& random) {
    Counter* counter = nullptr;
    {
      const std::scoped_lock lock(mutex);
      if (outstanding.empty()) return false;
      std::swap(outstanding[random() % outstanding.size()], outstanding.back());
      counter = outstanding.back();
      outstanding.pop_back();
    }
    counter->done();
    return true;
  };
  run([&](std::size_t, std::mt19937_64& random) {
    for (int round = 0; round < rounds; ++round) {
      const std::size_t jobs = 1 + random() % 3;
      const auto counter = std::make_unique<Counter>(jobs);
      {
        const std::scoped_lock lock(mutex);
        outstanding.insert(outstanding.end(), jobs, counter.get());
      }
      // Completes the number of jobs that it added, so that some party always remains to complete
      // the jobs that it waits for.
      for (std::size_t job = 0; job < jobs; ++job) complete_one(random);
      while (!counter->wait_for(brief(random))) {
        if (random() % 2 == 0) continue;
        counter->wait();
        break;
      }
    }
  });
  EXPECT_TRUE(outstanding.empty());
  count(2 * rounds);
}

TEST_P(Storm, OfSignalsAndResetsMissesNothing) {
  const int rounds = 50'000 * scale();
  // Odd parties announce, even parties collect. A lost announcement would leave a collector asleep.
  const std::size_t pairs = GetParam().parties() / 2;
  struct Channel {
    Event event;
    std::atomic<int> announced{0};
  };
  std::vector<Channel> channels(pairs);
  run([&](std::size_t index, std::mt19937_64& random) {
    Channel& channel = channels[index / 2];
    if (index % 2 == 1) {
      for (int round = 0; round < rounds; ++round) {
        channel.announced.fetch_add(1, std::memory_order_relaxed);
        channel.event.signal();
        if (random() % 32 == 0) pause();
      }
      return;
    }
    for (;;) {
      channel.event.reset();
      if (channel.announced.load(std::memory_order_relaxed) == rounds) break;
      if (random() % 4 == 0) {
        static_cast<void>(channel.event.wait_for(brief(random)));
      } else {
        channel.event.wait();
      }
    }
  });
  count(rounds);
}

// A waiter for a permit may time out, or another party may stop it, while permits are released. No
// permit is lost, none is created.
TEST_P(Storm, OfStoppedAndLateWaitersLosesNoPermit) {
  const int rounds = scaled(5'000);
  constexpr std::size_t kPermits = 2;
  jobs::Semaphore semaphore(kPermits);
  std::vector<std::stop_source> stops(GetParam().parties());
  Mutex stops_mutex;
  std::atomic<int> inside{0};
  run([&](std::size_t index, std::mt19937_64& random) {
    for (int round = 0; round < rounds; ++round) {
      std::stop_token stop;
      {
        const std::scoped_lock lock(stops_mutex);
        if (stops[index].stop_requested()) stops[index] = std::stop_source();
        stop = stops[index].get_token();
        if (random() % 4 == 0) stops[random() % stops.size()].request_stop();
      }
      const bool acquired = random() % 2 == 0 ? semaphore.acquire(stop)
                                              : semaphore.try_acquire_for(brief(random), stop);
      if (!acquired) continue;
      EXPECT_LE(++inside, int{kPermits}) << jobs::test::replay();
      if (random() % 16 == 0) pause();
      --inside;
      semaphore.release();
    }
  });
  for (std::size_t permit = 0; permit < kPermits; ++permit)
    EXPECT_TRUE(semaphore.try_acquire()) << jobs::test::replay();
  EXPECT_FALSE(semaphore.try_acquire()) << jobs::test::replay();
  count(rounds);
}

TEST_P(Storm, OfReadersAndLateWritersKeepsThemApart) {
  const int rounds = scaled(5'000);
  jobs::SharedMutex mutex;
  std::uint64_t value = 0;  // not atomic: the thread sanitizer checks the exclusion
  std::atomic<std::uint64_t> expected{0};
  run([&](std::size_t, std::mt19937_64& random) {
    std::uint64_t seen = 0;
    for (int round = 0; round < rounds; ++round) {
      if (random() % 3 == 0) {
        std::unique_lock lock(mutex, std::defer_lock);
        if (random() % 2 == 0) {
          lock.lock();
        } else {
          static_cast<void>(lock.try_lock_for(brief(random)));
        }
        if (!lock.owns_lock()) continue;
        ++value;
        ++expected;
        if (random() % 32 == 0) pause();
      } else {
        std::shared_lock lock(mutex, std::defer_lock);
        if (random() % 2 == 0) {
          lock.lock();
        } else {
          static_cast<void>(lock.try_lock_for(brief(random)));
        }
        if (!lock.owns_lock()) continue;
        EXPECT_GE(value, seen) << jobs::test::replay();
        seen = value;
        if (random() % 32 == 0) pause();
      }
    }
  });
  EXPECT_EQ(value, expected) << jobs::test::replay();
  count(rounds);
}

// Items pass through three channels by plain, timed and selecting pushes and pops. Every party does
// both until all items have passed.
TEST_P(Storm, OfChannelsAndSelectionsCarriesEachItemOnce) {
  const auto items_each = static_cast<std::uint64_t>(scaled(3'000));
  jobs::Channel<std::uint64_t> rendezvous(0);
  jobs::Channel<std::uint64_t> bounded(2);
  jobs::Channel<std::uint64_t> unbounded(jobs::Channel<std::uint64_t>::kUnbounded);
  const std::uint64_t all = items_each * GetParam().parties();
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> sum{0};
  run([&](std::size_t index, std::mt19937_64& random) {
    std::uint64_t pushed = 0;
    const auto take = [&](std::optional<std::uint64_t> item) {
      if (!item) return;
      sum += *item;
      if (++taken != all) return;
      for (auto* channel : {&rendezvous, &bounded, &unbounded}) channel->close();
    };
    while (taken != all) {
      std::optional<std::uint64_t> out;
      std::optional<std::uint64_t> in;
      if (pushed < items_each) out = index * items_each + pushed;
      switch (random() % 6) {
        case 0:
          if (out && unbounded.push(std::uint64_t{*out})) out.reset();
          break;
        case 1:
          if (out && bounded.try_push_for(std::uint64_t{*out}, brief(random))) out.reset();
          break;
        case 2:
          take(rendezvous.try_pop_for(brief(random)));
          break;
        case 3:
          if (out) {
            static_cast<void>(jobs::select_for(brief(random), rendezvous.on_push(out),
                                               bounded.on_pop(in), unbounded.on_pop(in)));
          }
          break;
        case 4:
          if (out) {
            static_cast<void>(jobs::select_for(brief(random), bounded.on_push(out),
                                               rendezvous.on_pop(in), unbounded.on_pop(in)));
          }
          break;
        default:
          if (pushed == items_each) {  // only pops remain for this party
            static_cast<void>(
                jobs::select(rendezvous.on_pop(in), unbounded.on_pop(in), bounded.on_pop(in)));
          } else {
            static_cast<void>(
                jobs::try_select(unbounded.on_pop(in), bounded.on_pop(in), rendezvous.on_pop(in)));
          }
      }
      if (pushed < items_each && !out) ++pushed;
      take(in);
    }
  });
  EXPECT_EQ(sum, all * (all - 1) / 2) << jobs::test::replay();
  count(2 * items_each);
}

}  // namespace
