// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedSpinLock: readers together, writers alone, from jobs and threads; and its misuse.
#include "jobs/sync/shared_spin_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::SharedSpinLock;

class SharedSpinLockTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(SharedSpinLockTest);

// Two values that writers keep equal.
struct Pair {
  SharedSpinLock lock;
  int first = 0;
  int second = 0;
};

TEST_P(SharedSpinLockTest, KeepsWritersAloneAndLosesNoUpdate) {
  const int rounds = jobs::test::scaled(2000);
  Pair pair;
  std::atomic<int> torn{0};
  const auto work = [&](int round) {
    if (round % 4 == 0) {
      const std::scoped_lock guard(pair.lock);
      ++pair.first;
      ++pair.second;
    } else {
      const std::shared_lock guard(pair.lock);
      if (pair.first != pair.second) ++torn;
    }
  };
  std::jthread outside([&] {
    for (int round = 0; round < rounds; ++round) work(round);
  });
  run([&] {
    jobs::Counter done;
    for (int round = 0; round < rounds; ++round) jobs::spawn(done, [&work, round] { work(round); });
    done.wait();
  });
  outside.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(pair.first, 2 * ((rounds + 3) / 4));
  EXPECT_EQ(pair.second, pair.first);
}

TEST(SharedSpinLock, LetsReadersInTogetherAndWritersAlone) {
  SharedSpinLock lock;
  std::shared_lock reader(lock);
  std::jthread([&] {
    EXPECT_TRUE(std::shared_lock(lock, std::try_to_lock).owns_lock()) << "beside a reader";
    EXPECT_FALSE(std::unique_lock(lock, std::try_to_lock).owns_lock()) << "beside a reader";
  }).join();
  reader.unlock();
  const std::scoped_lock writer(lock);
  std::jthread([&] {
    EXPECT_FALSE(std::shared_lock(lock, std::try_to_lock).owns_lock()) << "beside a writer";
    EXPECT_FALSE(std::unique_lock(lock, std::try_to_lock).owns_lock()) << "beside a writer";
  }).join();
}

TEST(SharedSpinLock, KeepsNewReadersOutWhileAWriterWaits) {
  SharedSpinLock lock;
  std::shared_lock reader(lock);
  std::atomic<bool> wrote{false};
  std::jthread writer([&] {
    const std::scoped_lock guard(lock);
    wrote = true;
  });
  // Readers of other threads enter until the writer has set its bit, and not afterwards.
  const auto enters = [&] {
    bool entered = false;
    std::jthread([&] { entered = std::shared_lock(lock, std::try_to_lock).owns_lock(); }).join();
    return entered;
  };
  while (enters()) std::this_thread::yield();
  EXPECT_FALSE(wrote) << "a reader is inside";
  reader.unlock();
  writer.join();
  EXPECT_TRUE(wrote);
  EXPECT_TRUE(enters());
}

void lock(SharedSpinLock& spin) JOBS_NO_THREAD_SAFETY_ANALYSIS { spin.lock(); }
void unlock(SharedSpinLock& spin) JOBS_NO_THREAD_SAFETY_ANALYSIS { spin.unlock(); }
void lock_shared(SharedSpinLock& spin) JOBS_NO_THREAD_SAFETY_ANALYSIS { spin.lock_shared(); }
void unlock_shared(SharedSpinLock& spin) JOBS_NO_THREAD_SAFETY_ANALYSIS { spin.unlock_shared(); }

std::string line(const std::string& rule) { return "jobs: SharedSpinLock .*: " + rule; }

class SharedSpinLockDeathTest : public testing::Test {
 protected:
  SharedSpinLockDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SharedSpinLockDeathTest, NamesTheRuleThatIsViolated) {
  SharedSpinLock spin;
  EXPECT_DEATH(unlock(spin), line("unlock\\(\\) by a thread that is not the writer"));
  EXPECT_DEATH(unlock_shared(spin), line("unlock_shared\\(\\) without a reader"));
  EXPECT_DEATH(
      {
        lock(spin);
        lock(spin);
      },
      line("lock\\(\\) by the writer"));
  EXPECT_DEATH(
      {
        lock(spin);
        lock_shared(spin);
      },
      line("lock_shared\\(\\) by the writer"));
}

TEST_F(SharedSpinLockDeathTest, AbortsAWaitOfAReaderAndOfTheWriter) {
  SharedSpinLock spin;
  const std::string rule = "owned by a fiber or thread that would have to wait";
  EXPECT_DEATH(
      {
        lock(spin);
        jobs::Event().wait();
      },
      rule);
  EXPECT_DEATH(
      {
        lock_shared(spin);
        jobs::Event().wait();
      },
      rule);
}

}  // namespace
