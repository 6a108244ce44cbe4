// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A broken contract ends the program with one line that names the object and the rule.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/barrier.hpp"
#include "jobs/sync/call_once.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/latch.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/sync/shared_mutex.hpp"
#include "jobs/sync/spin_lock.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::ConditionVariable;
using jobs::Counter;
using jobs::Event;
using jobs::Mutex;
using jobs::test::settle;

// Clang's thread-safety analysis finds most of these mistakes in the code; this helper hides them
// from it.
template <class M>
void lock(M& mutex) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  mutex.lock();
}
template <class M>
void unlock(M& mutex) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  mutex.unlock();
}
void lock_shared(jobs::SharedMutex& mutex) JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.lock_shared(); }
void unlock_shared(jobs::SharedMutex& mutex) JOBS_NO_THREAD_SAFETY_ANALYSIS {
  mutex.unlock_shared();
}

struct MisuseDeathTest : testing::Test {
  // The death test runs in a fresh process without threads of other tests.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static std::string line(const char* type, const char* rule) {
    return "jobs: " + std::string(type) + " 0x[0-9a-f]+: " + rule + " \\[external thread\\]\n";
  }
};

// Destroys `object` while a thread is inside wait(*object).
template <class T, class F>
void destroy_while_waited_on(std::unique_ptr<T> object, F wait) {
  T* target = object.get();
  std::thread([target, wait] { wait(*target); }).detach();
  // Every primitive begins with its wait word; bit 1 means that a thread waits.
  while (!(__atomic_load_n(reinterpret_cast<const std::uint64_t*>(target), __ATOMIC_RELAXED) & 2))
    settle();
  object.reset();
}

TEST_F(MisuseDeathTest, CounterBelowZero) {
  Counter counter;
  EXPECT_DEATH(counter.done(), line("Counter", "done\\(\\) without a job outstanding"));
}

TEST_F(MisuseDeathTest, CounterDestroyedWithJobsOutstanding) {
  EXPECT_DEATH({ Counter counter(1); }, line("Counter", "destroyed with jobs outstanding"));
}

TEST_F(MisuseDeathTest, CounterDestroyedWhileWaitedOn) {
  EXPECT_DEATH(destroy_while_waited_on(std::make_unique<Counter>(1),
                                       [](Counter& counter) { counter.wait(); }),
               line("Counter", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, CounterWithTooManyJobs) {
  EXPECT_DEATH(Counter counter(SIZE_MAX), line("Counter", "more than 2\\^60 jobs outstanding"));
  Counter counter;
  EXPECT_DEATH(counter.add(SIZE_MAX), line("Counter", "more than 2\\^60 jobs outstanding"));
  EXPECT_DEATH(
      {
        counter.add(std::size_t{1} << 60);
        counter.add();
      },
      line("Counter", "more than 2\\^60 jobs outstanding"));
}

TEST_F(MisuseDeathTest, EventDestroyedWhileWaitedOn) {
  EXPECT_DEATH(
      destroy_while_waited_on(std::make_unique<Event>(), [](Event& event) { event.wait(); }),
      line("Event", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, MutexUnlockedByAnother) {
  Mutex mutex;
  EXPECT_DEATH(unlock(mutex),
               line("Mutex", "unlock\\(\\) by a fiber or thread that does not own it"));
  EXPECT_DEATH(
      {
        lock(mutex);
        std::jthread([&] { unlock(mutex); }).join();
      },
      line("Mutex", "unlock\\(\\) by a fiber or thread that does not own it"));
}

TEST_F(MisuseDeathTest, MutexLockedTwice) {
  Mutex mutex;
  const std::string expected = line("Mutex", "lock\\(\\) by the fiber or thread that owns it");
  EXPECT_DEATH(
      {
        lock(mutex);
        lock(mutex);
      },
      expected);
  EXPECT_DEATH(
      {
        lock(mutex);
        const std::unique_lock again(mutex, std::chrono::hours(1));
      },
      expected);
}

TEST_F(MisuseDeathTest, MutexDestroyedWhileLocked) {
  EXPECT_DEATH(
      {
        Mutex mutex;
        lock(mutex);
      },
      line("Mutex", "destroyed while locked"));
}

TEST_F(MisuseDeathTest, MutexDestroyedWhileWaitedOn) {
  EXPECT_DEATH(
      {
        auto mutex = std::make_unique<Mutex>();
        lock(*mutex);
        destroy_while_waited_on(std::move(mutex), lock<Mutex>);
      },
      line("Mutex", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, ConditionVariableWithoutTheLock) {
  Mutex mutex;
  ConditionVariable changed;
  std::unique_lock not_held(mutex, std::defer_lock);
  EXPECT_DEATH(changed.wait(not_held),
               line("ConditionVariable", "wait\\(\\) with a lock that is not owned"));
}

TEST_F(MisuseDeathTest, ConditionVariableDestroyedWhileWaitedOn) {
  EXPECT_DEATH(destroy_while_waited_on(std::make_unique<ConditionVariable>(),
                                       [](ConditionVariable& changed) {
                                         Mutex mutex;
                                         std::unique_lock held(mutex);
                                         changed.wait(held);
                                       }),
               line("ConditionVariable", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, SharedMutex) {
  jobs::SharedMutex mutex;
  EXPECT_DEATH(unlock(mutex),
               line("SharedMutex", "unlock\\(\\) by a fiber or thread that does not own it"));
  EXPECT_DEATH(unlock_shared(mutex), line("SharedMutex", "unlock_shared\\(\\) without a reader"));
  const std::string again = line("SharedMutex", "locked again by the writer that owns it");
  EXPECT_DEATH(
      {
        lock(mutex);
        lock(mutex);
      },
      again);
  EXPECT_DEATH(
      {
        lock(mutex);
        lock_shared(mutex);
      },
      again);
  EXPECT_DEATH(
      {
        jobs::SharedMutex dying;
        lock_shared(dying);
      },
      line("SharedMutex", "destroyed while locked"));
}

TEST_F(MisuseDeathTest, SemaphoreAndLatch) {
  jobs::Semaphore semaphore(1);
  EXPECT_DEATH(semaphore.release(SIZE_MAX), line("Semaphore", "more than 2\\^60 permits"));
  EXPECT_DEATH(destroy_while_waited_on(std::make_unique<jobs::Semaphore>(0),
                                       [](auto& waited) { waited.acquire(); }),
               line("Semaphore", "destroyed while waited on"));
  jobs::Latch latch(1);
  EXPECT_DEATH(latch.count_down(2), line("Latch", "count_down\\(\\) below zero"));
  EXPECT_DEATH(destroy_while_waited_on(std::make_unique<jobs::Latch>(1),
                                       [](auto& waited) { waited.wait(); }),
               line("Latch", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, Barrier) {
  jobs::Barrier<> barrier(1);
  EXPECT_DEATH(static_cast<void>(barrier.arrive(2)),
               line("Barrier", "more arrivals than expected in one phase"));
  EXPECT_DEATH(destroy_while_waited_on(std::make_unique<jobs::Barrier<>>(2),
                                       [](auto& waited) { waited.arrive_and_wait(); }),
               line("Barrier", "destroyed while waited on"));
}

TEST_F(MisuseDeathTest, CallOnceFromWithin) {
  jobs::OnceFlag flag;
  EXPECT_DEATH(jobs::call_once(flag, [&] { jobs::call_once(flag, [] {}); }),
               line("OnceFlag", "call_once\\(\\) from within its own function"));
}

TEST_F(MisuseDeathTest, SelectInBothDirectionsOfAChannel) {
  jobs::Channel<int> channel(0);
  std::optional<int> item = 1;
  EXPECT_DEATH(jobs::select(channel.on_push(item), channel.on_pop(item)),
               line("Channel", "a select\\(\\) that pushes to it and pops from it"));
}

TEST_F(MisuseDeathTest, SpinLock) {
  jobs::SpinLock spin;
  EXPECT_DEATH(unlock(spin),
               line("SpinLock", "unlock\\(\\) by a fiber or thread that does not own it"));
  EXPECT_DEATH(
      {
        lock(spin);
        lock(spin);
      },
      line("SpinLock", "lock\\(\\) by the fiber or thread that owns it"));
  EXPECT_DEATH(
      {
        lock(spin);
        Event().wait();
      },
      "jobs: SpinLock \\(address unknown\\): owned by a fiber or thread that would have to wait "
      "\\[external "
      "thread\\]\n");
}

// The owner sleeps under the lock, as a thread does that has lost its CPU.
TEST(SpinLock, AWaiterLeavesTheCpuToAnOwnerThatDoesNotRun) {
  jobs::SpinLock spin;
  std::atomic<bool> is_locked{false};
  std::jthread owner([&] {
    const std::scoped_lock guard(spin);
    is_locked = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  });
  while (!is_locked) std::this_thread::yield();
  const auto cpu_time = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = cpu_time();
  const std::scoped_lock guard(spin);
  EXPECT_LT(cpu_time() - before, std::chrono::milliseconds(150));
}

TEST(SpinLock, MayBeHeldOverWhatDoesNotWait) {
  jobs::SpinLock spin;
  Mutex mutex;
  {
    const std::scoped_lock both(spin, mutex);
    EXPECT_FALSE(Event().wait_for(std::chrono::seconds(0)));
  }
  EXPECT_TRUE(std::unique_lock(spin, std::try_to_lock).owns_lock());
}

}  // namespace
