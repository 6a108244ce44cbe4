// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The waits of a task for a Mutex, a SharedMutex and a ConditionVariable until a deadline or a
// stop, together with fibers and threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "jobs/coroutine.hpp"
#include "jobs/error.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "tests/support/is_free.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::ConditionVariable;
using jobs::Counter;
using jobs::Latch;
using jobs::Mutex;
using jobs::SharedMutex;
using jobs::Task;
using jobs::TaskLock;
using jobs::TaskReaderLock;
using jobs::TaskWriterLock;
using jobs::test::is_free;
using std::chrono::microseconds;
using std::chrono::steady_clock;

class TaskLimits : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskLimits);

// --- Mutex ---------------------------------------------------------------------------------------

TEST_P(TaskLimits, LockAFreeMutexAtOnce) {
  run([] {
    Mutex mutex;
    std::stop_source stop;
    stop.request_stop();
    const auto body = [&]() -> Task<> {
      TaskLock lock = co_await jobs::this_task::try_lock_for(mutex, 0s);
      EXPECT_TRUE(lock.owns_lock());
      lock.unlock();
      lock = co_await jobs::this_task::try_lock_until(mutex, steady_clock::now() - 1h);
      EXPECT_TRUE(lock.owns_lock());
      lock.unlock();
      lock = co_await jobs::this_task::lock(mutex, stop.get_token());
      EXPECT_TRUE(lock.owns_lock());
    };
    jobs::sync_wait(body());
    EXPECT_TRUE(is_free(mutex));
  });
}

TEST_P(TaskLimits, EndAWaitForAMutex) {
  run([] {
    Mutex mutex;
    std::stop_source stop, never;
    const auto body = [&]() -> Task<> {
      TaskLock owned = co_await mutex;
      TaskLock lock = co_await jobs::this_task::try_lock_for(mutex, 0s);
      EXPECT_FALSE(lock.owns_lock());
      const auto start = steady_clock::now();
      lock = co_await jobs::this_task::try_lock_for(mutex, 1ms, never.get_token());
      EXPECT_FALSE(lock.owns_lock());
      EXPECT_GE(steady_clock::now() - start, 1ms);
      lock = co_await jobs::this_task::try_lock_until(mutex, steady_clock::now() + 1ms);
      EXPECT_FALSE(lock.owns_lock());
      stop.request_stop();
      lock = co_await jobs::this_task::try_lock_for(mutex, 1h, stop.get_token());
      EXPECT_FALSE(lock.owns_lock());
      lock = co_await jobs::this_task::lock(mutex, stop.get_token());
      EXPECT_FALSE(lock.owns_lock());
      owned.unlock();
      lock = co_await jobs::this_task::try_lock_for(mutex, 1h, stop.get_token());
      EXPECT_TRUE(lock.owns_lock());
    };
    jobs::sync_wait(body());
    EXPECT_TRUE(is_free(mutex));
  });
}

TEST_P(TaskLimits, RefuseNaN) {
  run([] {
    Mutex mutex;
    const auto body = [&]() -> Task<> {
      const std::chrono::duration<double> nan(std::numeric_limits<double>::quiet_NaN());
      EXPECT_THROW(static_cast<void>(jobs::this_task::try_lock_for(mutex, nan)), jobs::Error);
      co_return;
    };
    jobs::sync_wait(body());
  });
}

// A thread that is no worker requests the stop, and another one unlocks.
TEST_P(TaskLimits, EndAWaitByAStopOfAThread) {
  run([] {
    Mutex mutex;
    std::stop_source stop;
    Counter waiting, stopped;
    Latch linked(2);
    std::atomic<int> owned = 0, refused = 0;
    const auto wait_stopped = [&](std::chrono::hours patience) -> Task<> {
      linked.count_down();
      const TaskLock lock =
          co_await jobs::this_task::try_lock_for(mutex, patience, stop.get_token());
      lock.owns_lock() ? ++owned : ++refused;
    };
    const auto wait_longer = [&]() -> Task<> {
      const TaskLock lock = co_await jobs::this_task::try_lock_for(mutex, 1h);
      EXPECT_TRUE(lock.owns_lock());
    };
    Latch held(1), ended(1);
    std::thread thread([&] {
      mutex.lock();
      held.count_down();
      linked.wait();
      stop.request_stop();
      stopped.wait();
      ended.count_down();
      mutex.unlock();
    });
    held.wait();
    jobs::start(stopped, wait_stopped(1h));
    jobs::start(stopped, wait_stopped(std::chrono::hours::max()));
    jobs::start(waiting, wait_longer());
    stopped.wait();
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(owned, 0);
    ended.wait();
    waiting.wait();
    thread.join();
    EXPECT_TRUE(is_free(mutex));
  });
}

// Deadlines and stops race with grants by tasks and threads. Each wait has one result.
TEST_P(TaskLimits, RaceWithGrantsOfAMutex) {
  run([] {
    const int rounds = jobs::test::scaled(200);
    Mutex mutex;
    int inside = 0, locked = 0;
    std::atomic<int> granted = 0;
    Counter counter;
    const auto enter = [&] {
      EXPECT_EQ(++inside, 1);
      ++locked;
      ++granted;
      --inside;
    };
    const auto body = [&](int number) -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        std::stop_source stop;
        std::optional<std::jthread> stopper;
        if (number == 0 && i % 10 == 0) stopper.emplace([&] { stop.request_stop(); });
        const microseconds patience((number * 7 + i) % 30);
        const TaskLock lock =
            co_await jobs::this_task::try_lock_for(mutex, patience, stop.get_token());
        if (!lock.owns_lock()) continue;
        enter();
        if (i % 3 == 0) co_await jobs::this_task::yield();
      }
    };
    const auto body_without_limit = [&]() -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        const TaskLock lock = co_await mutex;
        enter();
      }
    };
    for (int i = 0; i < 8; ++i) jobs::start(counter, body(i));
    jobs::start(counter, body_without_limit());
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          const std::scoped_lock lock(mutex);
          enter();
        }
      });
    }
    counter.wait();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(locked, granted);
    EXPECT_GE(locked, 3 * rounds);
    EXPECT_TRUE(is_free(mutex));
  });
}

// The owner may destroy the mutex although its deadline and a stop may come at the same time.
TEST_P(TaskLimits, LeaveAMutexThatItsOwnerDestroys) {
  run([] {
    const int rounds = jobs::test::scaled(200);
    for (int i = 0; i < rounds; ++i) {
      auto mutex = std::make_unique<Mutex>();
      std::stop_source stop;
      Counter counter;
      std::atomic<int> left = 2;
      const auto last_destroys = [&] {
        if (--left == 0) mutex.reset();
      };
      const auto hold = [&]() -> Task<> {
        TaskLock lock = co_await *mutex;
        co_await jobs::this_task::yield();
        lock.unlock();
        last_destroys();
      };
      const auto wait = [&]() -> Task<> {
        TaskLock lock =
            co_await jobs::this_task::try_lock_for(*mutex, microseconds(i % 20), stop.get_token());
        lock.unlock();
        last_destroys();
      };
      jobs::start(counter, hold());
      jobs::start(counter, wait());
      jobs::spawn(counter, [&] { stop.request_stop(); });
      counter.wait();
      EXPECT_EQ(mutex, nullptr);
    }
  });
}

// --- SharedMutex ---------------------------------------------------------------------------------

TEST_P(TaskLimits, EndAWaitForASharedMutex) {
  run([] {
    SharedMutex mutex;
    std::stop_source stop;
    const auto body = [&]() -> Task<> {
      TaskReaderLock reader = co_await jobs::this_task::try_lock_shared_for(mutex, 0s);
      EXPECT_TRUE(reader.owns_lock());
      TaskWriterLock writer = co_await jobs::this_task::try_lock_for(mutex, 0s);
      EXPECT_FALSE(writer.owns_lock());
      writer = co_await jobs::this_task::try_lock_for(mutex, 1ms);
      EXPECT_FALSE(writer.owns_lock());
      reader.unlock();
      writer = co_await jobs::this_task::try_lock_until(mutex, steady_clock::now() + 1h);
      EXPECT_TRUE(writer.owns_lock());
      reader = co_await jobs::this_task::try_lock_shared_until(mutex, steady_clock::now() + 1ms);
      EXPECT_FALSE(reader.owns_lock());
      stop.request_stop();
      reader = co_await jobs::this_task::lock_shared(mutex, stop.get_token());
      EXPECT_FALSE(reader.owns_lock());
      TaskWriterLock second = co_await jobs::this_task::lock(mutex, stop.get_token());
      EXPECT_FALSE(second.owns_lock());
      writer.unlock();
      second = co_await jobs::this_task::lock(mutex, stop.get_token());
      EXPECT_TRUE(second.owns_lock());
    };
    jobs::sync_wait(body());
    EXPECT_TRUE(is_free(mutex));
  });
}

TEST_P(TaskLimits, LetReadersInIfAWriterGivesUp) {
  run([] {
    SharedMutex mutex;
    std::stop_source stop;
    Counter counter;
    Latch begun(1), read(3);
    const auto write = [&]() -> Task<> {
      begun.count_down();
      const TaskWriterLock lock = co_await jobs::this_task::lock(mutex, stop.get_token());
      EXPECT_FALSE(lock.owns_lock());
    };
    const auto read_once = [&]() -> Task<> {
      const TaskReaderLock lock = co_await jobs::this_task::try_lock_shared_for(mutex, 1h);
      EXPECT_TRUE(lock.owns_lock());
      read.count_down();
    };
    const auto body = [&]() -> Task<> {
      const TaskReaderLock first = co_await jobs::this_task::lock_shared(mutex);
      jobs::start(counter, write());
      co_await begun;
      for (int i = 0; i < 3; ++i) jobs::start(counter, read_once());
      stop.request_stop();
      co_await read;
    };
    jobs::sync_wait(body());
    counter.wait();
    EXPECT_TRUE(is_free(mutex));
  });
}

TEST_P(TaskLimits, RaceWithGrantsOfASharedMutex) {
  run([] {
    const int rounds = jobs::test::scaled(200);
    SharedMutex mutex;
    std::atomic<int> readers = 0, writers = 0;
    int written = 0;
    std::atomic<int> granted = 0;
    Counter counter;
    const auto write = [&](int number) -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        const TaskWriterLock lock =
            co_await jobs::this_task::try_lock_for(mutex, microseconds((number * 7 + i) % 30));
        if (!lock.owns_lock()) continue;
        EXPECT_EQ(++writers, 1);
        EXPECT_EQ(readers, 0);
        ++written;
        ++granted;
        if (i % 4 == 0) co_await jobs::this_task::yield();
        --writers;
      }
    };
    const auto read = [&](int number) -> Task<> {
      for (int i = 0; i < rounds; ++i) {
        const TaskReaderLock lock = co_await jobs::this_task::try_lock_shared_for(
            mutex, microseconds((number * 5 + i) % 30));
        if (!lock.owns_lock()) continue;
        ++readers;
        EXPECT_EQ(writers, 0);
        if (i % 4 == 0) co_await jobs::this_task::yield();
        --readers;
      }
    };
    for (int i = 0; i < 4; ++i) {
      jobs::start(counter, write(i));
      jobs::start(counter, read(i));
    }
    std::thread thread([&] {
      for (int i = 0; i < rounds; ++i) {
        const std::scoped_lock lock(mutex);
        EXPECT_EQ(++writers, 1);
        ++written;
        ++granted;
        --writers;
      }
    });
    counter.wait();
    thread.join();
    EXPECT_EQ(written, granted);
    EXPECT_TRUE(is_free(mutex));
  });
}

// --- ConditionVariable ---------------------------------------------------------------------------

TEST_P(TaskLimits, EndAWaitForAConditionWithTheMutexLocked) {
  run([] {
    Mutex mutex;
    ConditionVariable changed;
    std::stop_source stop;
    const auto body = [&]() -> Task<> {
      TaskLock lock = co_await mutex;
      EXPECT_FALSE(co_await jobs::this_task::wait_for(changed, lock, 0s));
      EXPECT_FALSE(co_await jobs::this_task::wait_for(changed, lock, 1ms));
      EXPECT_TRUE(lock.owns_lock());
      EXPECT_FALSE(is_free(mutex));
      EXPECT_FALSE(co_await jobs::this_task::wait_until(changed, lock, steady_clock::now() + 1ms));
      stop.request_stop();
      EXPECT_FALSE(co_await jobs::this_task::wait(changed, lock, stop.get_token()));
      EXPECT_FALSE(co_await jobs::this_task::wait_for(changed, lock, 1h, stop.get_token()));
      EXPECT_TRUE(lock.owns_lock());
      EXPECT_FALSE(is_free(mutex));
    };
    jobs::sync_wait(body());
    EXPECT_TRUE(is_free(mutex));
  });
}

TEST_P(TaskLimits, AllowANotification) {
  run([] {
    Mutex mutex;
    ConditionVariable changed;
    bool ready = false;
    std::stop_source never;
    Counter counter;
    const auto body = [&]() -> Task<> {
      TaskLock lock = co_await mutex;
      while (!ready) {
        const bool notified =
            co_await jobs::this_task::wait_for(changed, lock, 1h, never.get_token());
        EXPECT_TRUE(notified);
      }
      EXPECT_TRUE(lock.owns_lock());
    };
    for (int i = 0; i < 10; ++i) jobs::start(counter, body());
    std::thread thread([&] {
      {
        const std::scoped_lock lock(mutex);
        ready = true;
      }
      changed.notify_all();
    });
    counter.wait();
    thread.join();
  });
}

// After the deadline the task waits until a thread unlocks the mutex.
TEST_P(TaskLimits, LeaveTheWaitForTheMutexOfAConditionUnlimited) {
  run([] {
    Mutex mutex;
    ConditionVariable changed;
    Latch begun(1);
    Counter counter;
    bool is_locked = false;
    const auto body = [&]() -> Task<> {
      TaskLock lock = co_await mutex;
      begun.count_down();
      while (!is_locked)
        EXPECT_FALSE(co_await jobs::this_task::wait_for(changed, lock, microseconds(10)));
      EXPECT_FALSE(is_free(mutex));
    };
    jobs::start(counter, body());
    std::thread thread([&] {
      begun.wait();
      const std::scoped_lock lock(mutex);
      std::this_thread::sleep_for(1ms);  // the deadline may pass meanwhile
      is_locked = true;
    });
    counter.wait();
    thread.join();
    EXPECT_TRUE(is_free(mutex));
  });
}

// Deadlines and stops race with notifications. No item is lost, and the mutex has one owner.
TEST_P(TaskLimits, RaceWithNotifications) {
  run([] {
    constexpr int kTasks = 6;
    const int rounds = jobs::test::scaled(100);
    Mutex mutex;
    ConditionVariable changed;
    int items = 0, taken = 0, inside = 0;
    Counter counter;
    const auto take = [&](int number) -> Task<> {
      std::stop_source stop;
      for (int i = 0; i < rounds; ++i) {
        TaskLock lock = co_await mutex;
        while (items == 0) {
          if (i % 20 == 19) jobs::spawn(counter, [stop]() mutable { stop.request_stop(); });
          const microseconds patience((number * 7 + i) % 30);
          static_cast<void>(
              co_await jobs::this_task::wait_for(changed, lock, patience, stop.get_token()));
          EXPECT_EQ(++inside, 1);
          --inside;
          stop = std::stop_source();
        }
        --items;
        ++taken;
      }
    };
    for (int i = 0; i < kTasks; ++i) jobs::start(counter, take(i));
    std::thread thread([&] {
      for (int i = 0; i < kTasks * rounds; ++i) {
        {
          const std::scoped_lock lock(mutex);
          EXPECT_EQ(++inside, 1);
          ++items;
          --inside;
        }
        changed.notify_one();
      }
    });
    counter.wait();
    thread.join();
    EXPECT_EQ(items, 0);
    EXPECT_EQ(taken, kTasks * rounds);
    EXPECT_TRUE(is_free(mutex));
  });
}

}  // namespace
