// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ten million waits, some of which park a worker; every wait must end. A lost wake-up shows as a
// test without progress. The watchdog then prints its progress and its seed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "jobs/base/random.hpp"
#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::detail::Random;

constexpr std::uint64_t kAllWaits = jobs::test::kSanitized ? 100'000 : 10'000'000;

// Ends the program if `progress` has not changed for a while.
class Watchdog {
 public:
  explicit Watchdog(const std::atomic<std::uint64_t>& progress)
      : thread_([&progress](std::stop_token stop) {
          std::uint64_t last = progress;
          auto moved = std::chrono::steady_clock::now();
          while (!stop.stop_requested()) {
            std::this_thread::sleep_for(10ms);
            const auto now = std::chrono::steady_clock::now();
            if (progress != last) {
              last = progress;
              moved = now;
            } else if (now - moved > 30s) {
              std::fprintf(stderr, "lost wake-up: stands still after %llu waits; %s\n",
                           static_cast<unsigned long long>(last), jobs::test::replay().c_str());
              std::abort();
            }
          }
        }) {}

 private:
  std::jthread thread_;
};

// Sleeps in `sleeps` of 256 calls, long enough that the other player parks. In the other calls it
// pauses for a short random time, so that wakers and waiters meet half-way.
void dawdle(Random& random, unsigned sleeps) {
  const std::uint32_t dice = random.below(256);
  if (dice < sleeps) {
    std::this_thread::sleep_for(70us);
  } else if (dice < 2 * sleeps) {
    for (std::uint32_t i = random.below(200); i > 0; --i) jobs::detail::cpu_relax();
  }
}

// Two players that take turns by one primitive.
struct EventTurns {
  jobs::Event turns[2];
  void take(unsigned player) {
    turns[player].wait();
    turns[player].reset();
  }
  void pass(unsigned player) { turns[1 - player].signal(); }
};

struct CounterTurns {
  std::unique_ptr<jobs::Counter> turns[2] = {std::make_unique<jobs::Counter>(1),
                                             std::make_unique<jobs::Counter>(1)};
  void take(unsigned player) {
    turns[player]->wait();
    turns[player] =
        std::make_unique<jobs::Counter>(1);  // destroyed as soon as its wait has returned
  }
  void pass(unsigned player) { turns[1 - player]->done(); }
  ~CounterTurns() { turns[1]->done(); }  // no player takes the turn after the last
};

struct ConditionTurns {
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  unsigned turn = 2;
  void take(unsigned player) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return turn == player; });
    turn = 2;
  }
  void pass(unsigned player) {
    {
      const std::scoped_lock lock(mutex);
      turn = 1 - player;
    }
    changed.notify_all();
  }
};

template <class Turns>
class LostWakeup : public testing::Test {};
using AllTurns = testing::Types<EventTurns, CounterTurns, ConditionTurns>;
TYPED_TEST_SUITE(LostWakeup, AllTurns);

// Plays `rounds` rounds of pairs of fibers, spread over the workers, and of one pair with an
// external thread. Returns the number of waits.
template <class Turns>
std::uint64_t play(jobs::Scheduler& scheduler, unsigned pairs, std::uint64_t rounds,
                   unsigned sleeps, std::atomic<std::uint64_t>& progress) {
  static std::atomic<std::uint64_t> salt{0};
  const auto player = [&, rounds, sleeps](Turns& turns, unsigned index) {
    Random random(jobs::test::seed() + salt++);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      turns.take(index);
      if (sleeps != 0) dawdle(random, sleeps);
      progress.fetch_add(1, std::memory_order_relaxed);
      turns.pass(index);
    }
  };
  std::deque<Turns> tables(pairs + 1);
  std::jthread outside([&] { player(tables[pairs], 1); });
  scheduler.run([&] {
    jobs::Counter done;
    for (Turns& turns : tables) {
      jobs::spawn(done, [&] { player(turns, 0); });
      if (&turns != &tables[pairs]) jobs::spawn(done, [&] { player(turns, 1); });
      turns.pass(1);  // player 0 begins
    }
    done.wait();
  });
  outside.join();
  return 2 * rounds * (pairs + 1);
}

TYPED_TEST(LostWakeup, NeverHappensWithinAThirdOfTheWaits) {
  SCOPED_TRACE(jobs::test::replay());
  std::atomic<std::uint64_t> progress{0};
  const Watchdog watchdog(progress);
  constexpr std::uint64_t kWaits = kAllWaits / 3 + 1;
  std::uint64_t waits = 0, parks = 0;
  const auto series = [&](unsigned workers, unsigned pairs, std::uint64_t share, unsigned sleeps) {
    jobs::Scheduler scheduler({.worker_count = workers});
    const std::uint64_t rounds = kWaits * share / 1000 / (2 * (pairs + 1)) + 1;
    waits += play<TypeParam>(scheduler, pairs, rounds, sleeps, progress);
    parks += scheduler.stats().parks;
  };
  series(2, 2, 100, 0);   // quick alternation between two workers
  series(8, 6, 100, 2);   // more workers than cores
  series(2, 40, 750, 0);  // always busy: waits meet wakers on the same worker
  // Hardly any work: workers park all the time, until they have parked often enough.
  do {
    series(2, 1, 10, 64);
  } while (waits < kWaits || parks < waits / 100);
  std::printf("%llu waits, %llu of them parked a worker\n", static_cast<unsigned long long>(waits),
              static_cast<unsigned long long>(parks));
}

}  // namespace
