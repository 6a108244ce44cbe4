// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_scheduler_observer of jobs/interop/tbb.hpp: which threads enter and leave, and when.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>

#include "jobs/interop/tbb.hpp"
#include "tests/support/with_workers.hpp"

namespace {

// Notes the threads that are in the arena.
class Noting : public tbb::task_scheduler_observer {
 public:
  using task_scheduler_observer::task_scheduler_observer;
  ~Noting() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    const std::lock_guard guard(mutex_);
    EXPECT_TRUE(inside_.insert(std::this_thread::get_id()).second) << "entered twice";
    ++(is_worker ? workers_ : others_);
  }
  void on_scheduler_exit(bool) override {
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(inside_.erase(std::this_thread::get_id()), 1u) << "left without an entry";
  }
  bool has_entered() {
    const std::lock_guard guard(mutex_);
    return inside_.contains(std::this_thread::get_id());
  }
  std::size_t inside() {
    const std::lock_guard guard(mutex_);
    return inside_.size();
  }
  int workers() const { return workers_; }
  int others() const { return others_; }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> inside_;
  int workers_ = 0;
  int others_ = 0;
};

template <class F>
void slow_loop(const F& body) {
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 64),
      [&](const tbb::blocked_range<int>&) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        body();
      },
      tbb::simple_partitioner());
}

class TbbObserver : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TbbObserver);

TEST_P(TbbObserver, AThreadEntersAnArenaBeforeItsFirstBody) {
  uses_default_scheduler();
  run([this] {
    tbb::task_arena arena(2);
    Noting noting(arena);
    EXPECT_FALSE(noting.is_observing());
    noting.observe();
    EXPECT_TRUE(noting.is_observing());
    arena.execute([&] {
      EXPECT_TRUE(noting.has_entered());
      slow_loop([&] { EXPECT_TRUE(noting.has_entered()); });
      tbb::task_group group;
      group.run([&] { EXPECT_TRUE(noting.has_entered()); });
      group.wait();
    });
    std::atomic<bool> done{false};
    arena.enqueue([&] {
      EXPECT_TRUE(noting.has_entered());
      done = true;
    });
    slow_loop([] {});  // of another arena
    arena.terminate();
    EXPECT_TRUE(done);
    EXPECT_GE(noting.workers(), 1);
    EXPECT_LE(noting.workers(), 2);
    EXPECT_EQ(noting.others(), is_external() ? 1 : 0);  // the caller of execute()
    EXPECT_EQ(noting.inside(), 0u) << "a worker has ended, but has not left";
  });
}

TEST_P(TbbObserver, AnEndedObservationHasNoMoreCalls) {
  uses_default_scheduler();
  run([] {
    tbb::task_arena arena(1);
    Noting noting(arena);
    arena.execute([] {});
    EXPECT_EQ(noting.workers(), 0);
    noting.observe(true);  // the worker is in the arena already
    arena.execute([] {});
    EXPECT_EQ(noting.workers(), 1);
    arena.execute([] {});
    EXPECT_EQ(noting.workers(), 1);
    noting.observe(false);
    arena.execute([] {});
    arena.terminate();
    EXPECT_EQ(noting.workers(), 1);
    EXPECT_EQ(noting.inside(), 1u);
  });
}

TEST(TbbObserverOutside, ThreadsOfTheProgramEnterTheDefaultArena) {
  Noting noting;
  noting.observe();
  std::thread([&] {
    slow_loop([&] { EXPECT_TRUE(noting.has_entered()); });
    EXPECT_TRUE(noting.has_entered());
  }).join();
  EXPECT_EQ(noting.others(), 1);
  const auto workers = static_cast<std::size_t>(noting.workers());
  EXPECT_LE(workers, 2u);
  EXPECT_EQ(noting.inside(), workers) << "the thread has ended, but has not left";
  tbb::task_arena(1).execute([] {});
  EXPECT_EQ(noting.inside(), workers) << "the arena is another one";

  // Workers under a limit belong to the default arena.
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  slow_loop([&] { EXPECT_TRUE(noting.has_entered()); });
  EXPECT_EQ(static_cast<std::size_t>(noting.workers()), workers + 1);
}

TEST(TbbObserverOutside, InAnArenaTheObserverBelongsToIt) {
  tbb::task_arena arena(1);
  arena.execute([] {
    Noting noting;
    noting.observe();
    slow_loop([] {});
    EXPECT_EQ(noting.workers(), 1);
  });
}

// A frame that makes an observer each time leaves nothing behind in the threads.
TEST(TbbObserverOutside, AnEndedObserverIsForgotten) {
  for (int frame = 0; frame < 100; ++frame) {
    Noting noting;
    noting.observe();
    tbb::parallel_for(0, 4, [&](int) { EXPECT_TRUE(noting.has_entered()); });
    noting.observe(false);
  }
}

TEST(TbbGlobalControlOfAllWorkers, CountsTheCaller) {
  const auto workers = static_cast<std::size_t>(tbb::info::default_concurrency());
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 10; ++i) {
    slow_loop([&] {
      const std::lock_guard guard(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  EXPECT_LE(threads.size(), workers);
}

}  // namespace
