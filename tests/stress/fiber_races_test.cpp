// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Storms of races around fibers. Values and exceptions from several senders race deadlines, sleeps
// and shields. Every operation on a fiber races the fiber's end. Each accepted message arrives once
// and in order. Each fiber ends once, and each of its exceptions is reported once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/this_fiber.hpp"
#include "jobs/wait_fibers.hpp"
#include "tests/stress/race.hpp"
#include "tests/support/operations.hpp"
#include "tests/support/scale.hpp"

namespace {

using jobs::FiberRef;
using jobs::FiberStart;
using jobs::FiberState;
using jobs::test::brief;
using jobs::test::dawdle;
using jobs::test::Interruption;
using jobs::test::Random;
using jobs::test::replay;

// --- messages -----------------------------------------------------------------------------------

struct Letter {
  unsigned sender;
  std::uint64_t number;  // 0: the letter is not counted
};

// One fiber that receives, and several senders. Each sender delivers as many values as exceptions.
struct Mail {
  static constexpr unsigned kSenders = 2;
  const std::uint64_t each;
  std::atomic<std::uint64_t>& operations;

  std::array<std::uint64_t, kSenders> values{}, exceptions{};

  bool complete() const {
    for (unsigned sender = 0; sender < kSenders; ++sender) {
      if (values[sender] != each || exceptions[sender] != each) return false;
    }
    return true;
  }

  void receive(Random random) {
    std::uint64_t count = 0;
    while (!complete()) {
      ++count;
      try {
        if (const std::optional<Letter> letter = wait_somehow(random);
            letter && letter->number != 0) {
          EXPECT_EQ(letter->number, ++values[letter->sender]) << replay();
        }
      } catch (const Interruption& interruption) {
        EXPECT_EQ(interruption.number, ++exceptions[interruption.sender]) << replay();
      } catch (const jobs::Cancelled&) {
        // the limit
      } catch (const jobs::Error&) {
        // It came with another type, and is lost.
      }
    }
    operations += count;
  }

  static std::optional<Letter> wait_somehow(Random& random) {
    using namespace jobs::this_fiber;
    switch (random.below(7)) {
      case 0:
        return suspend_for<Letter>(brief(random));
      case 1:
        return jobs::cancel_after(brief(random), [] { return suspend<Letter>(); });
      case 2:
        sleep_for(brief(random));
        return {};
      case 3: {
        const jobs::CancelShield only_values;
        return suspend_for<Letter>(brief(random));
      }
      case 4: {
        const jobs::CancelShield nothing;
        sleep_for(brief(random));
        return {};
      }
      case 5:
        static_cast<void>(jobs::Event().wait_for(brief(random)));
        return {};
      default:
        return suspend<Letter>();
    }
  }

  // Refused while the receiver waits for a Letter. Otherwise the value is kept, and the next wait
  // for a Letter discards it.
  static void send_what_nobody_wants(const FiberRef& receiver) {
    try {
      receiver.schedule(0);
    } catch (const jobs::Error&) {
    }
  }

  void send(const FiberRef& receiver, unsigned self, Random random) {
    std::uint64_t sent = 0, thrown = 0;
    while (sent < each || thrown < each) {
      dawdle(random);
      if (random.below(8) == 0) send_what_nobody_wants(receiver);
      const bool value = sent < each && (thrown == each || random.below(2) == 0);
      std::uint64_t& number = value ? sent : thrown;
      const bool accepted =
          value ? receiver.schedule(Letter{self, number + 1})
                : receiver.schedule_exception(jobs::test::interruption(self, number + 1));
      if (accepted) {
        ++number;
      } else {
        jobs::this_fiber::sleep_for(brief(random));
      }
    }
    // Until the fiber has ended, also during its end.
    while (receiver.state() != FiberState::kDead) {
      receiver.schedule(Letter{self, 0});
      jobs::this_fiber::sleep_for(brief(random));
    }
    EXPECT_FALSE(receiver.schedule(Letter{self, 0}));
    EXPECT_FALSE(receiver.schedule_exception(jobs::test::interruption(self, 0)));
    operations += sent + thrown;
  }
};

TEST(FiberRaces, OfMessagesAndWhatEndsAWaitLoseAndDoubleNone) {
  SCOPED_TRACE(replay());
  std::atomic<std::uint64_t> operations{0};
  std::uint64_t salt = 0;
  const auto play = [&](unsigned workers, std::size_t mails, std::uint64_t each,
                        bool thread_sends) {
    std::deque<Mail> all;
    std::vector<std::jthread> threads;
    jobs::Scheduler scheduler({.worker_count = workers});
    scheduler.run([&] {
      std::vector<jobs::Fiber<>> fibers;
      const auto random = [&] { return Random(jobs::test::seed() + salt++); };
      while (all.size() < mails) {
        Mail& mail = all.emplace_back(each, operations);
        fibers.emplace_back([&mail, dice = random()] { mail.receive(dice); });
        const FiberRef receiver = fibers.back();
        for (unsigned sender = 0; sender < Mail::kSenders; ++sender) {
          const auto send = [&mail, receiver, sender, dice = random()] {
            mail.send(receiver, sender, dice);
          };
          if (thread_sends && sender == 0) {
            threads.emplace_back(send);
          } else {
            fibers.emplace_back(send);
          }
        }
      }
      for (jobs::Fiber<>& fiber : fibers) fiber.join();
    });
  };
  for (int time = 0; time < 10; ++time) {
    const auto each = static_cast<std::uint64_t>(jobs::test::scaled(200));
    play(1, 4, each, false);
    play(2, 8, each, false);
    play(2, 1, each / 10, true);
  }
  jobs::test::add_operations(operations);
}

// --- ends ---------------------------------------------------------------------------------------

struct Failure {};

// Counts the end of the fiber once, also after moves.
class Counted {
 public:
  explicit Counted(std::atomic<std::uint64_t>& ends) : ends_(&ends) {}
  Counted(Counted&& other) noexcept : ends_(std::exchange(other.ends_, nullptr)) {}
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (ends_ != nullptr) ++*ends_;
  }

 private:
  std::atomic<std::uint64_t>* ends_;
};

// One thread creates and destroys fibers, and other threads operate on them meanwhile.
struct Ends {
  std::atomic<std::uint64_t>& operations;
  std::atomic<std::uint64_t> made{0}, ended{0}, failed{0}, reported{0};
  std::atomic<bool> over{false};
  jobs::Mutex mutex;  // guards the following members
  FiberRef present;
  bool takes_exceptions = false;

  void fail_now_and_then(std::uint32_t how, Random& random) {
    switch (how) {
      case 0:
        return;
      case 1:
        return jobs::yield();
      case 2:
        return jobs::this_fiber::sleep_for(brief(random));
      case 3:
        static_cast<void>(jobs::this_fiber::suspend_for(brief(random)));
        return;
      case 4:
        static_cast<void>(jobs::Event().wait_for(brief(random)));
        return;
      default:
        throw Failure();
    }
  }

  jobs::Fiber<std::uint64_t> make(std::uint64_t number, FiberStart start, Random& random) {
    ++made;
    return jobs::Fiber<std::uint64_t>(
        [this, number, how = random.below(6), dice = Random(random.next()),
         counted = Counted(ended)]() mutable {
          try {
            fail_now_and_then(how, dice);
          } catch (const jobs::Cancelled&) {
            throw;
          } catch (...) {
            ++failed;
            throw;
          }
          return number;
        },
        {.start = start});
  }

  void own(int rounds, Random random) {
    for (int round = 0; round < rounds; ++round) {
      const auto number = static_cast<std::uint64_t>(round);
      constexpr FiberStart kStarts[] = {FiberStart::kLater, FiberStart::kNow,
                                        FiberStart::kSuspended};
      const FiberStart start = kStarts[random.below(3)];
      jobs::Fiber<std::uint64_t> fiber = make(number, start, random);
      const FiberRef ref = fiber;
      {
        const std::scoped_lock lock(mutex);
        present = ref;
        // A fiber that has not started would end with it, uncounted.
        takes_exceptions = start != FiberStart::kSuspended;
      }
      dawdle(random);
      if (start == FiberStart::kSuspended) ref.schedule();
      dawdle(random);
      switch (random.below(4)) {
        case 0:
          fiber.detach();
          ref.wait();
          break;
        case 1: {
          const jobs::Fiber<std::uint64_t> ends_here = std::move(fiber);
        } break;
        case 2:
          while (!fiber.join_for(brief(random))) continue;
          [[fallthrough]];
        default:
          try {
            EXPECT_EQ(fiber.join(), number) << replay();
          } catch (const jobs::Cancelled&) {
          } catch (...) {
            ++reported;
          }
          EXPECT_FALSE(fiber.joinable());
      }
      EXPECT_EQ(ref.state(), FiberState::kDead) << replay();
      EXPECT_FALSE(jobs::find_fiber(ref.id())) << replay();
      EXPECT_FALSE(ref.schedule()) << replay();
      EXPECT_FALSE(ref.schedule_exception(jobs::test::interruption(0, 0))) << replay();
    }
    const std::scoped_lock lock(mutex);
    present = {};
    operations += static_cast<std::uint64_t>(rounds);
  }

  void disturb(Random random) {
    std::uint64_t count = 0;
    while (!over) {
      FiberRef fiber;
      bool may_throw = false;
      {
        const std::scoped_lock lock(mutex);
        fiber = present;
        may_throw = takes_exceptions;
      }
      dawdle(random);
      if (!fiber) continue;
      ++count;
      switch (random.below(8)) {
        case 0:
          fiber.request_stop();
          break;
        case 1:
          if (may_throw) fiber.schedule_exception(jobs::test::interruption(0, 0));
          break;
        case 2:
          fiber.schedule();
          break;
        case 3:
          fiber.wait();
          EXPECT_EQ(fiber.state(), FiberState::kDead) << replay();
          break;
        case 4:
          if (fiber.wait_for(brief(random))) {
            EXPECT_EQ(fiber.state(), FiberState::kDead) << replay();
          }
          break;
        case 5:
          if (const FiberRef found = jobs::find_fiber(fiber.id())) {
            EXPECT_TRUE(found == fiber) << replay();
            EXPECT_EQ(found.info().id, fiber.id()) << replay();
          }
          break;
        case 6:
          jobs::wait_any({fiber});
          EXPECT_EQ(fiber.state(), FiberState::kDead) << replay();
          break;
        default:
          for (const FiberRef& found : jobs::live_fibers()) found.info();
      }
    }
    operations += count;
  }
};

TEST(FiberRaces, OfEndsAndWhatIsDoneToFibersReportEachEndOnce) {
  SCOPED_TRACE(replay());
  std::atomic<std::uint64_t> operations{0};
  std::uint64_t salt = 0;
  const auto play = [&](unsigned workers, std::size_t tables, int rounds, bool thread_disturbs) {
    std::deque<Ends> all;
    std::atomic<std::uint64_t> unhandled{0};
    {
      jobs::Scheduler scheduler({.worker_count = workers,
                                 .on_unhandled = [&](const std::exception_ptr&) { ++unhandled; }});
      scheduler.run([&] {
        std::vector<std::jthread> threads;
        std::vector<jobs::Fiber<>> owners, others;
        const auto random = [&] { return Random(jobs::test::seed() + salt++); };
        while (all.size() < tables) {
          Ends& ends = all.emplace_back(operations);
          owners.emplace_back([&ends, rounds, dice = random()] {
            ends.own(rounds, dice);
            ends.over = true;
          });
          const auto disturb = [&ends, dice = random()] { ends.disturb(dice); };
          if (thread_disturbs) threads.emplace_back(disturb);
          others.emplace_back([&ends, dice = random()] { ends.disturb(dice); });
        }
        for (jobs::Fiber<>& owner : owners) owner.join();
        for (jobs::Fiber<>& other : others) other.join();
      });
    }
    std::uint64_t failed = 0, reported = unhandled;
    for (const Ends& ends : all) {
      EXPECT_EQ(ends.made, ends.ended) << replay();
      failed += ends.failed;
      reported += ends.reported;
    }
    EXPECT_EQ(failed, reported) << replay();
  };
  play(1, 2, jobs::test::scaled(1'000), false);
  play(2, 4, jobs::test::scaled(1'000), false);
  play(2, 1, jobs::test::scaled(500), true);
  jobs::test::add_operations(operations);
}

}  // namespace
