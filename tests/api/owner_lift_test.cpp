// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A critical or high Fiber that waits for a Mutex lifts the lock owner: which owner, to which
// place, and for how long.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/fiber_ref.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::Event;
using jobs::Fiber;
using jobs::FiberStart;
using jobs::Priority;

constexpr int kNormalFibers = 10;

// On one worker: a normal fiber that owns a mutex, and ready normal fibers. Each appends a letter
// when it runs: the lock owner 'o', the waiter 'w', the normal fibers 'n'.
class Scene {
 public:
  // Starts the owner, which locks the mutex and waits for `go`.
  void start_owner() {
    fibers.emplace_back(
        [this] {
          mutex.lock();
          go.wait();
          order += 'o';
          if (waits_again) {
            go_again.wait();
            order += 'O';
          }
          mutex.unlock();
        },
        jobs::FiberOptions{.start = FiberStart::kNow});
  }
  // Starts normal fibers that wait for `begin`. The first two call functions.
  void start_normal_ones() {
    for (int i = 0; i < kNormalFibers; ++i) {
      fibers.emplace_back(
          [this, i] {
            begin.wait();
            order += 'n';
            if (i == 0 && first) first();
            if (i == 1 && second) second();
          },
          jobs::FiberOptions{.start = FiberStart::kNow});
    }
  }
  void start_waiter(Priority priority) {
    fibers.emplace_back(
        [this] {
          lock.wait();
          if (!is_timed) {
            const std::lock_guard guard(mutex);
            order += 'w';
          } else if (mutex.try_lock_for(std::chrono::hours(1))) {
            order += 'w';
            mutex.unlock();
          }
        },
        jobs::FiberOptions{.start = FiberStart::kNow, .priority = priority});
  }
  // Returns the order, once all fibers have ended.
  std::string join() {
    for (Fiber<>& fiber : fibers) fiber.join();
    fibers.clear();
    return order;
  }

  static std::string normal(int n) { return std::string(static_cast<std::size_t>(n), 'n'); }

  std::function<void()> first;
  std::function<void()> second;
  bool waits_again = false;
  bool is_timed = false;
  std::string order;
  jobs::Mutex mutex;
  Event go;
  Event go_again;
  Event begin;
  Event lock;
  std::vector<Fiber<>> fibers;
};
class OwnerLift : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(OwnerLift);

TEST_P(OwnerLift, MovesAReadyOwnerToTheFront) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  for (const bool is_timed : {false, true}) {
    run([&] {
      Scene scene;
      scene.is_timed = is_timed;
      scene.start_owner();
      scene.start_normal_ones();
      scene.start_waiter(Priority::kHigh);
      scene.begin.signal();
      scene.go.signal();
      scene.lock.signal();
      EXPECT_EQ(scene.join(), "ow" + Scene::normal(kNormalFibers));
    });
  }
}

// The first normal fiber wakes the owner, which is suspended when the waiter comes.
TEST_P(OwnerLift, LetsASuspendedOwnerRunWhenItWakesUp) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    Scene scene;
    scene.first = [&scene] { scene.go.signal(); };
    scene.start_owner();
    scene.start_normal_ones();
    scene.start_waiter(Priority::kCritical);
    scene.begin.signal();
    scene.lock.signal();
    EXPECT_EQ(scene.join(), "now" + Scene::normal(kNormalFibers - 1));
  });
}

TEST_P(OwnerLift, IsForOneTurn) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    Scene scene;
    scene.waits_again = true;
    scene.first = [&scene] { scene.go.signal(); };
    scene.second = [&scene] { scene.go_again.signal(); };
    scene.start_owner();
    scene.start_normal_ones();
    scene.start_waiter(Priority::kCritical);
    scene.begin.signal();
    scene.lock.signal();
    EXPECT_EQ(scene.join(), "no" + Scene::normal(kNormalFibers - 1) + "Ow");
  });
}

TEST_P(OwnerLift, IsNotMadeByANormalFiber) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    Scene scene;
    Fiber<>([] {}, {.priority = Priority::kCritical}).join();
    scene.first = [&scene] { scene.lock.signal(); };
    scene.start_owner();
    scene.start_normal_ones();
    scene.start_waiter(Priority::kNormal);
    scene.begin.signal();
    scene.go.signal();
    EXPECT_EQ(scene.join(), Scene::normal(kNormalFibers) + "ow");
  });
}

// The owner and the normal fibers are on worker 0, the waiter is on worker 1. The first normal
// fiber runs until the waiter waits.
TEST_P(OwnerLift, ReachesAReadyOwnerOnAnotherWorker) {
  if (is_serial() || is_external()) GTEST_SKIP() << "needs two workers";
  run([&] {
    Scene scene;
    std::atomic<bool> locks{false};
    std::atomic<bool> has_lock{false};
    Fiber<> waiter;
    scene.first = [&] {
      scene.lock.signal();
      while (!locks || jobs::FiberRef(waiter).state() != jobs::FiberState::kWaiting) {
      }
    };
    jobs::Counter done;
    jobs::spawn(done,
                [&] {
                  scene.start_owner();
                  scene.start_normal_ones();
                },
                {.on = jobs::worker(0)});
    jobs::spawn(done,
                [&] {
                  waiter = Fiber<>(
                      [&] {
                        scene.lock.wait();
                        locks = true;
                        scene.mutex.lock();
                        has_lock = true;
                        scene.mutex.unlock();
                      },
                      {.start = FiberStart::kNow, .priority = Priority::kCritical});
                },
                {.on = jobs::worker(1)});
    done.wait();
    jobs::spawn(done,
                [&] {
                  scene.begin.signal();
                  scene.go.signal();
                },
                {.on = jobs::worker(0)});
    done.wait();
    waiter.join();
    EXPECT_TRUE(has_lock);
    EXPECT_EQ(scene.join(), "no" + Scene::normal(kNormalFibers - 1));
  });
}

// The owners of many mutexes come and go, while fibers of all ranks on all workers wait for them.
TEST_P(OwnerLift, DisturbsNoOwner) {
  run([] {
    constexpr int kFibers = 24;
    constexpr int kRounds = 200;
    jobs::Mutex mutexes[3];
    int counts[3] = {};
    std::vector<Fiber<>> fibers;
    for (int i = 0; i < kFibers; ++i) {
      fibers.emplace_back(
          [&, i] {
            for (int round = 0; round < kRounds; ++round) {
              const int at = (i + round) % 3;
              mutexes[at].lock();
              const int count = counts[at];
              if (round % 4 == 0) jobs::yield();
              counts[at] = count + 1;
              mutexes[at].unlock();
            }
          },
          jobs::FiberOptions{.priority = static_cast<Priority>(i % 5)});
    }
    for (Fiber<>& fiber : fibers) fiber.join();
    EXPECT_EQ(counts[0] + counts[1] + counts[2], kFibers * kRounds);
  });
}

}  // namespace
