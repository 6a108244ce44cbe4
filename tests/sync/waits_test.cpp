// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The guarantees of every wait, tested with every kind of wait. The waits are satisfied, late,
// stopped, satisfied and stopped at once, and destroyed right after. They run between jobs, between
// a job and an external thread, and on every kind of host.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"
#include "tests/sync/threads.hpp"
#include "tests/sync/wait_kinds.hpp"

namespace {

using jobs::Counter;
using jobs::test::Kind;
using jobs::test::kLong;
using jobs::test::kShort;
using Clock = std::chrono::steady_clock;

const std::stop_token kNoStop;

// The party that waits: a job, or an external thread.
enum class Operation { kJob, kThread };

class Waits : public jobs::test::WithWorkers {
 protected:
  void SetUp() override {
    {
      SCOPED_TRACE("allocates once for each thread, so before that is counted");
    }
    WithWorkers::SetUp();
  }

  // Runs f() on the host of the waiting party.
  using Elsewhere = std::function<void(std::function<void()> f)>;
  using Test = std::function<void(const Kind&, const Elsewhere&, Counter& ended)>;

  // Runs the test for each kind of wait and both kinds of party. `ended` counts the calls that
  // still run elsewhere.
  void with_each(const Test& test) {
    for (const Operation party : {Operation::kJob, Operation::kThread}) {
      for (const Kind& kind : jobs::test::all_waits()) {
        SCOPED_TRACE(std::string(kind.name) +
                     (party == Operation::kJob ? ", in a job" : ", on an external thread"));
        run([&] {
          Counter ended;
          std::vector<std::jthread> threads;
          const auto elsewhere = [&](std::function<void()> f) {
            if (party == Operation::kJob) return jobs::spawn(ended, std::move(f));
            ended.add();
            threads.emplace_back([&ended, f = std::move(f)] {
              f();
              ended.done();
            });
          };
          test(kind, elsewhere, ended);
          ended.wait();
        });
      }
    }
  }

  // Gives the other parties time to reach their waits.
  static void settle() { jobs::this_fiber::sleep_for(std::chrono::microseconds(300)); }
};
JOBS_TEST_IN_ALL_PLACES(Waits);

TEST_P(Waits, PassWhenGranted) {
  with_each([](const Kind& kind, const Elsewhere& elsewhere, Counter& ended) {
    const auto wait = kind.make();
    elsewhere([&] {
      EXPECT_TRUE(wait->wait_until(Clock::now() + kLong, kNoStop));
      wait->leave();
    });
    settle();
    wait->grant();
    ended.wait();
  });
}

TEST_P(Waits, PassAtOnceIfGrantedBefore) {
  with_each([](const Kind& kind, const Elsewhere& elsewhere, Counter& ended) {
    if (!kind.keeps) return;
    const auto wait = kind.make();
    wait->grant();
    elsewhere([&] {
      std::stop_source stopped;
      stopped.request_stop();
      EXPECT_TRUE(wait->wait_until(Clock::now() - kLong, stopped.get_token()))
          << "neither is asked if there is no wait";
      wait->leave();
    });
    ended.wait();
  });
}

TEST_P(Waits, GiveUpAtTheDeadlineAndCanBeRepeated) {
  with_each([](const Kind& kind, const Elsewhere& elsewhere, Counter& ended) {
    const auto wait = kind.make();
    elsewhere([&] {
      EXPECT_FALSE(wait->wait_until(Clock::now() - kLong, kNoStop));
      const auto start = Clock::now();
      EXPECT_FALSE(wait->wait_until(start + std::chrono::milliseconds(1), kNoStop));
      EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(1));
    });
    ended.wait();
    elsewhere([&] {
      EXPECT_TRUE(wait->wait_until(Clock::now() + kLong, kNoStop));
      wait->leave();
    });
    settle();
    wait->grant();
    ended.wait();
  });
}

TEST_P(Waits, GiveUpWhenStoppedAndCanBeRepeated) {
  with_each([](const Kind& kind, const Elsewhere& elsewhere, Counter& ended) {
    const auto wait = kind.make();
    std::stop_source stop;
    elsewhere([&] { EXPECT_FALSE(wait->wait(stop.get_token())); });
    settle();
    stop.request_stop();
    ended.wait();
    elsewhere([&] { EXPECT_FALSE(wait->wait(stop.get_token())) << "requested before"; });
    ended.wait();
    elsewhere([&] {
      EXPECT_TRUE(wait->wait(std::stop_source().get_token()));
      wait->leave();
    });
    settle();
    wait->grant();
    ended.wait();
  });
}

// A party destroys the object after its wait has passed, though the other side may still be inside
// grant().
TEST_P(Waits, MayBeFollowedByDestruction) {
  with_each([](const Kind& kind, const Elsewhere& elsewhere, Counter& ended) {
    for (int round = 0; round < jobs::test::scaled(10); ++round) {
      jobs::test::Wait* const wait = kind.make().release();
      elsewhere([wait, round] {
        EXPECT_TRUE(round % 2 == 0 ? wait->wait(kNoStop)
                                   : wait->wait_until(Clock::now() + kLong, kNoStop));
        wait->leave();
        delete wait;
      });
      if (round % 4 == 0) jobs::yield();
      wait->grant();
      ended.wait();
    }
  });
}

// A grant races a deadline or a stop. Exactly one wait uses it: this one or, if this one has ended
// without it, the next one.
TEST_P(Waits, LoseNoGrantToADeadlineOrAStop) {
  const int rounds = jobs::test::scaled(20);
  with_each([rounds](const Kind& kind, const Elsewhere& elsewhere, Counter& ended) {
    if (!kind.keeps) return;
    std::mt19937_64 random(jobs::test::seed());
    for (int round = 0; round < rounds; ++round) {
      const auto wait = kind.make();
      std::stop_source stop;
      const auto limit = Clock::now() + std::chrono::nanoseconds(random() % 30'000);
      const bool by_stop = random() % 2 == 0;
      std::atomic<bool> waiting{false};
      elsewhere([&] {
        waiting = true;
        const bool granted =
            by_stop ? wait->wait(stop.get_token()) : wait->wait_until(limit, kNoStop);
        if (!granted) {
          EXPECT_TRUE(wait->wait_until(Clock::now() + kLong, kNoStop)) << jobs::test::replay();
        }
        if (kind.is_for_one) {
          EXPECT_FALSE(wait->wait_until({}, kNoStop)) << "granted once; " << jobs::test::replay();
        }
        wait->leave();
      });
      while (!waiting) jobs::this_fiber::sleep_for(std::chrono::microseconds(1));
      if (by_stop && round % 2 == 0) {
        std::jthread stopper;
        if (round % 8 == 0)
          stopper = std::jthread([&] { stop.request_stop(); });
        else
          stop.request_stop();
        wait->grant();
      } else {
        wait->grant();
        stop.request_stop();
      }
      ended.wait();
    }
  });
}

}  // namespace
