// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Storms of races around every kind of wait. Grants race deadlines, stop tokens, time limits,
// exceptions from other fibers and the stop of the whole fiber. One wait takes each grant, or
// leaves it to the next wait. Each exception is thrown once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/barrier.hpp"
#include "tests/stress/race.hpp"
#include "tests/support/operations.hpp"
#include "tests/support/scale.hpp"
#include "tests/sync/wait_kinds.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using jobs::test::brief;
using jobs::test::dawdle;
using jobs::test::Interruption;
using jobs::test::Kind;
using jobs::test::Random;
using jobs::test::replay;
using jobs::test::Wait;

// Counts the results of the waits, and the operations on them.
struct Tally {
  std::atomic<std::uint64_t> granted{0}, given_up{0}, limited{0}, interrupted{0}, grants{0},
      requests{0};

  std::uint64_t all() const {
    return granted + given_up + limited + interrupted + grants + requests;
  }
  void print() const {
    const auto text = [](const std::atomic<std::uint64_t>& count) {
      return static_cast<unsigned long long>(count);
    };
    std::printf(
        "waits: %llu granted, %llu late or stopped, %llu limited, %llu interrupted; %llu grants, "
        "%llu requests\n",
        text(granted), text(given_up), text(limited), text(interrupted), text(grants),
        text(requests));
    jobs::test::add_operations(all());
  }
};

// A waiting party: a Fiber, or an external thread, which cannot be interrupted.
struct Party {
  std::stop_source stop;     // of this round; the granting party creates it
  jobs::FiberRef fiber;      // empty: a thread
  std::uint64_t sent = 0;    // exceptions that the granting party reports as sent
  std::uint64_t thrown = 0;  // exceptions that came out of a wait
};

// Two parties wait for the same object. A third party creates it and grants it, round by round.
struct Table {
  explicit Table(const Kind& what, int how_often, Tally& all, std::uint64_t salt)
      : kind(what), rounds(how_often), tally(all), seed(jobs::test::seed() + 3 * salt) {}

  const Kind& kind;
  const int rounds;
  Tally& tally;
  const std::uint64_t seed;
  jobs::Barrier<> everybody{3};
  std::array<Party, 2> parties;
  std::unique_ptr<Wait> wait;
  std::atomic<unsigned> passed{0};
  std::atomic<int> inside{0};

  void meet() {
    const jobs::CancelShield shield;
    everybody.arrive_and_wait();
  }

  // A wait that various events may end. post: true: it was granted.
  bool try_to_pass(Party& self, Random& random, bool stubborn) {
    bool granted = false;
    try {
      switch (stubborn ? 0 : random.below(6)) {
        case 0:
          granted = wait->wait({});
          break;
        case 1:
          granted = wait->wait_until({}, {});
          break;
        case 2:
          granted = wait->wait_until(Clock::now() + brief(random), {});
          break;
        case 3:
          granted = wait->wait(self.stop.get_token());
          break;
        case 4:
          granted = wait->wait_until(Clock::now() + brief(random), self.stop.get_token());
          break;
        default:
          granted = jobs::cancel_after(brief(random), [&] { return wait->wait({}); });
      }
    } catch (const Interruption& interruption) {
      EXPECT_EQ(interruption.number, ++self.thrown) << replay();
      ++tally.interrupted;
      return false;
    } catch (const jobs::Cancelled&) {
      EXPECT_FALSE(stubborn) << replay();
      ++tally.limited;
      return false;
    }
    ++(granted ? tally.granted : tally.given_up);
    return granted;
  }

  // Called after a granted wait: passes the grant to the next wait.
  void pass_on(bool somebody_waits) {
    const jobs::CancelShield shield;
    wait->leave();
    if (!kind.is_for_one || kind.is_returned || !somebody_waits) return;
    ++tally.grants;
    wait->grant();
  }

  void play(std::size_t index) {
    Random random(seed + index);
    Party& self = parties[index];
    for (int round = 0; round < rounds; ++round) {
      meet();
      bool stubborn = false;
      while (!try_to_pass(self, random, stubborn)) stubborn = true;
      if (kind.is_for_one) {
        EXPECT_EQ(++inside, 1) << "one grant has let two pass; " << replay();
        --inside;
      }
      pass_on(++passed != parties.size());
      meet();
    }
    meet();  // after this no message is sent
    while (self.thrown != self.sent) {
      try {
        jobs::Event().wait();
      } catch (const Interruption& interruption) {
        EXPECT_EQ(interruption.number, ++self.thrown) << replay();
      }
    }
  }

  void grant_and_disturb() {
    Random random(seed + parties.size());
    for (int round = 0; round < rounds; ++round) {
      wait = kind.make();
      passed = 0;
      for (Party& party : parties) party.stop = std::stop_source();
      meet();
      const std::uint32_t first = random.below(5);
      for (std::uint32_t i = 0; i < 5; ++i) {
        dawdle(random);
        act((first + i) % 5, random);
      }
      meet();
      EXPECT_EQ(passed, parties.size()) << replay();
      if (kind.is_for_one && !kind.is_returned) {
        EXPECT_FALSE(wait->wait_until({}, {})) << "a grant too many; " << replay();
      }
    }
    meet();
  }

  void act(std::uint32_t what, Random& random) {
    if (what == 0) {
      ++tally.grants;
      return wait->grant();
    }
    if (random.below(2) == 0) return;
    ++tally.requests;
    Party& party = parties[what % 2];
    if (what <= 2) {
      party.stop.request_stop();
    } else if (party.fiber.schedule_exception(jobs::test::interruption(0, party.sent + 1))) {
      ++party.sent;
    }
  }
};

class WaitRaces : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, WaitRaces, testing::ValuesIn(jobs::test::all_waits()),
                         [](const auto& kind) {
                           std::string name = kind.param.name;
                           std::erase_if(name, [](char c) { return c == ' '; });
                           return name;
                         });

TEST_P(WaitRaces, OfGrantsAndWhatEndsAWaitLoseAndDoubleNothing) {
  SCOPED_TRACE(replay());
  Tally tally;
  std::uint64_t salt = 0;
  const auto play = [&](unsigned workers, bool thread_grants, bool thread_waits, std::size_t tables,
                        int rounds) {
    std::deque<Table> all;
    std::vector<std::jthread> threads;
    jobs::Scheduler scheduler({.worker_count = workers});
    scheduler.run([&] {
      std::vector<jobs::Fiber<>> fibers;
      while (all.size() < tables) {
        Table& table = all.emplace_back(GetParam(), rounds, tally, salt++);
        for (std::size_t index : {0u, 1u}) {
          if (thread_waits && index == 1) {
            threads.emplace_back([&table] { table.play(1); });
          } else {
            fibers.emplace_back([&table, index] { table.play(index); });
            table.parties[index].fiber = fibers.back();
          }
        }
        if (thread_grants) {
          threads.emplace_back([&table] { table.grant_and_disturb(); });
        } else {
          fibers.emplace_back([&table] { table.grant_and_disturb(); });
        }
      }
      for (jobs::Fiber<>& fiber : fibers) fiber.join();
    });
  };
  play(1, false, false, 4, jobs::test::scaled(300));
  play(2, false, false, 8, jobs::test::scaled(200));
  play(2, true, false, 1, jobs::test::scaled(50));
  play(2, false, true, 1, jobs::test::scaled(50));
  tally.print();
}

// Each fiber waits once and may be stopped meanwhile; after a granted wait it passes the grant on.
// So one grant is left in the end, and each fiber is joined while it ends.
TEST_P(WaitRaces, OfGrantsAndStoppedFibersLeaveOneGrant) {
  const Kind& kind = GetParam();
  if (!kind.keeps) GTEST_SKIP() << "a grant waits for a wait";
  SCOPED_TRACE(replay());
  Tally tally;
  const int rounds = jobs::test::scaled(300);
  const auto play = [&](Random random) {
    for (int round = 0; round < rounds; ++round) {
      const auto wait = kind.make();
      std::vector<jobs::Fiber<>> fibers;
      for (int i = 0; i < 3; ++i) {
        fibers.emplace_back([&] {
          try {
            wait->wait({});
          } catch (const jobs::Cancelled&) {
            ++tally.interrupted;
            throw;
          }
          ++tally.granted;
          wait->leave();
          if (!kind.is_for_one || kind.is_returned) return;
          const jobs::CancelShield shield;
          ++tally.grants;
          wait->grant();
        });
      }
      if (random.below(4) != 0) jobs::yield();  // by then most fibers have reached their waits
      const std::uint32_t when = random.below(4);
      for (std::uint32_t i = 0; i < 4; ++i) {
        dawdle(random);
        if (i == when) {
          ++tally.grants;
          wait->grant();
        } else if (random.below(2) == 0) {
          ++tally.requests;
          fibers[random.below(3)].request_stop();
        }
      }
      for (jobs::Fiber<>& fiber : fibers) {
        try {
          fiber.join();
        } catch (const jobs::Cancelled&) {
        }
      }
      EXPECT_TRUE(wait->wait_until({}, {})) << "the grant is lost; " << replay();
      if (kind.is_for_one) {
        EXPECT_FALSE(wait->wait_until({}, {})) << "a grant too many; " << replay();
      }
      wait->leave();
    }
  };
  for (const unsigned workers : {1u, 2u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    scheduler.run([&] {
      std::vector<jobs::Fiber<>> players;
      for (std::uint64_t i = 0; i < 4; ++i)
        players.emplace_back([&, i] { play(Random(jobs::test::seed() + 4 * workers + i)); });
      for (jobs::Fiber<>& player : players) player.join();
    });
  }
  tally.print();
}

}  // namespace
