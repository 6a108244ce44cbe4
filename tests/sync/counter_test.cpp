// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "jobs/error.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::Counter;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;
using jobs::test::threads;

std::exception_ptr failure(const char* what) {
  return std::make_exception_ptr(std::runtime_error(what));
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Counter, WaitReturnsAtOnceWhenNothingIsOutstanding) {
  Counter counter;
  counter.wait();
  EXPECT_TRUE(counter.wait_for(std::chrono::seconds(0)));
}

TEST(Counter, WaitReturnsAfterTheLastDone) {
  Counter counter(2);
  counter.done();
  EXPECT_FALSE(counter.wait_for(std::chrono::seconds(0)));
  counter.done();
  counter.wait();
}

TEST(Counter, DoneTellsTheLastCaller) {
  jobs::Counter counter;
  counter.add(2);
  EXPECT_FALSE(counter.done());
  counter.add();
  EXPECT_FALSE(counter.done());
  EXPECT_TRUE(counter.done());
  constexpr int kThreads = 4;
  for (int round = 0; round < 200; ++round) {
    counter.add(kThreads);
    std::atomic<int> last{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        if (counter.done()) ++last;
      });
    }
    threads.clear();
    EXPECT_EQ(last, 1);
  }
}

TEST(Counter, WaitSeesTheEffectsOfAllJobs) {
  for (int round = 0; round < 200; ++round) {
    int slots[4] = {};  // not atomic: the thread sanitizer checks what wait() promises
    Counter counter(4);
    const auto workers = threads(4, [&](std::size_t index) {
      slots[index] = 1;
      counter.done();
    });
    counter.wait();
    for (const int slot : slots) EXPECT_EQ(slot, 1);
  }
}

TEST(Counter, AddWhileJobsRunIsWaitedForToo) {
  Counter counter(1);
  std::atomic<int> ended{0};
  const std::jthread worker([&] {
    settle();
    for (int child = 0; child < 100; ++child) {
      counter.add();
      ++ended;
      counter.done();
    }
    counter.done();
  });
  counter.wait();
  EXPECT_EQ(ended, 100);
}

TEST(Counter, WakesAllItsWaiters) {
  Counter counter(1);
  std::atomic<int> passed{0};
  {
    const auto waiters = threads(4, [&](std::size_t) {
      counter.wait();
      ++passed;
    });
    settle();
    counter.done();
  }
  EXPECT_EQ(passed, 4);
}

TEST(Counter, CanBeUsedAgain) {
  Counter counter;
  for (int round = 0; round < 3; ++round) {
    counter.add(2);
    const auto workers = threads(2, [&](std::size_t) { counter.done(); });
    counter.wait();
  }
}

TEST(Counter, WaitUntilAtMostReturnsWhenTheCountHasFallen) {
  Counter counter(5);
  counter.wait_until_at_most(5);
  std::atomic<int> passed{0};
  std::jthread waiter([&] {
    counter.wait_until_at_most(3);
    ++passed;
    counter.wait();
    ++passed;
  });
  settle();
  counter.done();
  settle();
  EXPECT_EQ(passed, 0) << "four jobs are outstanding";
  counter.done();
  while (passed == 0) std::this_thread::yield();
  settle();
  EXPECT_EQ(passed, 1) << "three jobs are outstanding";
  for (int i = 0; i < 3; ++i) counter.done();
  waiter.join();
  EXPECT_EQ(passed, 2);
}

TEST(Counter, WaitUntilAtMostBoundsTheJobsInFlight) {
  constexpr int kMost = 4;
  Counter counter;
  std::atomic<int> in_flight{0}, queued{0}, ran{0};
  std::atomic<bool> over{false};
  int most = 0;
  {
    const auto workers = threads(2, [&](std::size_t) {
      while (!over || queued > 0) {
        int left = queued;
        if (left > 0 && queued.compare_exchange_strong(left, left - 1)) {
          --in_flight;
          ++ran;
          counter.done();
        } else {
          std::this_thread::yield();
        }
      }
    });
    for (int i = 0; i < 2000; ++i) {
      counter.wait_until_at_most(kMost - 1);
      counter.add();
      most = std::max(most, ++in_flight);
      ++queued;
    }
    over = true;
    counter.wait();
  }
  EXPECT_EQ(ran, 2000);
  EXPECT_LE(most, kMost);
}

TEST(Counter, WaitUntilAtMostGivesUpAtItsDeadlineAndByAStop) {
  Counter counter(2);
  EXPECT_FALSE(counter.wait_until_at_most(1, std::chrono::steady_clock::now() + kShort));
  EXPECT_FALSE(counter.wait_until_at_most(1, std::chrono::steady_clock::time_point::min()));
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(
      counter.wait_until_at_most(1, std::chrono::steady_clock::now() + kLong, source.get_token()));
  EXPECT_TRUE(counter.wait_until_at_most(2, std::chrono::steady_clock::now() + kLong));
  EXPECT_FALSE(counter.done());
  EXPECT_TRUE(counter.wait_until_at_most(1, std::chrono::steady_clock::now() + kLong));
  EXPECT_TRUE(counter.done()) << "the mark of a waiter is no job";
}

TEST(Counter, TimedWaitGivesUpAndCanBeRepeated) {
  Counter counter(1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(counter.wait_for(kShort));
  EXPECT_GE(std::chrono::steady_clock::now() - start, kShort);
  EXPECT_FALSE(counter.wait_until(std::chrono::steady_clock::now() + kShort));
  EXPECT_FALSE(counter.wait_until(std::chrono::system_clock::now() + kShort));
  EXPECT_FALSE(counter.wait_until(std::chrono::system_clock::now() - kLong));
  counter.done();
  EXPECT_TRUE(counter.wait_until(std::chrono::steady_clock::now() - kLong))
      << "open: the deadline does not matter";
}

TEST(Counter, TimedWaitIsWokenBeforeItsDeadline) {
  Counter counter(1);
  const std::jthread worker([&] {
    settle();
    counter.done();
  });
  EXPECT_TRUE(counter.wait_for(kLong));
}

TEST(Counter, TimedWaitRefusesNotANumber) {
  Counter counter(1);
  const std::chrono::duration<double> nan(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(static_cast<void>(counter.wait_for(nan)), jobs::Error);
  counter.done();
}

TEST(Counter, WaitRethrowsTheFirstException) {
  Counter counter(3);
  counter.fail(failure("first"));
  counter.done();
  counter.fail(failure("second"));
  counter.done();
  counter.done();
  EXPECT_EQ(message_of([&] { counter.wait(); }), "first");
  EXPECT_EQ(counter.dropped_exceptions(), 1u);
}

TEST(Counter, TimedWaitRethrowsOnlyWhenAllAreDone) {
  Counter counter(2);
  counter.fail(failure("failed"));
  counter.done();
  EXPECT_FALSE(counter.wait_for(kShort));
  counter.done();
  EXPECT_EQ(message_of([&] { static_cast<void>(counter.wait_for(kShort)); }), "failed");
}

TEST(Counter, IsCleanAfterItHasRethrown) {
  Counter counter(1);
  counter.fail(failure("once"));
  counter.done();
  EXPECT_EQ(message_of([&] { counter.wait(); }), "once");
  counter.wait();
  counter.add();
  counter.done();
  counter.wait();
  counter.add();
  counter.fail(failure("again"));
  counter.done();
  EXPECT_EQ(message_of([&] { counter.wait(); }), "again");
  EXPECT_EQ(counter.dropped_exceptions(), 0u);
}

TEST(Counter, OneOfSeveralWaitersGetsTheException) {
  for (int round = 0; round < 100; ++round) {
    Counter counter(2);
    std::atomic<int> thrown{0};
    {
      const auto waiters = threads(3, [&](std::size_t) {
        if (message_of([&] { counter.wait(); }) == "failed") ++thrown;
      });
      const auto workers = threads(2, [&](std::size_t) {
        counter.fail(failure("failed"));
        counter.done();
      });
    }
    EXPECT_EQ(thrown, 1);
  }
}

TEST(Counter, DestructorWaitsWhileTheStackIsUnwinding) {
  std::atomic<bool> ended{false};
  std::jthread worker;
  EXPECT_EQ(message_of([&] {
              Counter counter(1);
              worker = std::jthread([&] {
                settle();
                ended = true;
                counter.done();
              });
              throw std::runtime_error("unwinding");
            }),
            "unwinding");
  EXPECT_TRUE(ended);
}

// The thread that calls done() may be at any point inside it when the waiter frees the counter.
// Each round takes turns of two threads, for which a busy machine may need milliseconds: it makes
// fewer rounds.
TEST(Counter, MayBeDestroyedAsSoonAsWaitReturns) {
  Counter last(1);
  std::atomic<Counter*> handed_over{nullptr};
  const std::jthread worker([&] {
    for (Counter* counter = nullptr; counter != &last;) {
      handed_over.wait(nullptr);
      counter = handed_over.exchange(nullptr);
      counter->done();
    }
  });
  const auto hand_over = [&](Counter& counter) {
    handed_over = &counter;
    handed_over.notify_one();
  };
  jobs::test::repeat_for_a_while(100'000, [&](int round) {
    const auto counter = std::make_unique<Counter>(1);
    hand_over(*counter);
    if (round % 3 != 0 || !counter->wait_for(std::chrono::microseconds(1))) counter->wait();
  });
  hand_over(last);
  last.wait();
}

}  // namespace
