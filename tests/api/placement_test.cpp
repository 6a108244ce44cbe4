// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The placement of jobs: on one worker, on the bound thread, not on the bound thread; and priority
// between jobs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/blocking.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/thread_state.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;

class Placement : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Placement);

bool is_on_worker(unsigned index) { return jobs::worker_index() == std::optional(index); }

void expect_bad_argument(const jobs::SpawnOptions& options) {
  jobs::Counter none;
  try {
    jobs::spawn(none, [] { ADD_FAILURE() << "it must not run"; }, options);
    ADD_FAILURE() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadArgument);
  }
  none.wait();  // the counter is unchanged
}

TEST_P(Placement, RunsAJobOnTheWorkerThatItIsFor) {
  run([&] {
    jobs::Counter done;
    std::atomic<int> astray{0};
    int runs[1000] = {};  // not atomic: the wait orders them
    const unsigned workers = jobs::worker_count();
    for (unsigned i = 0; i < 1000; ++i) {
      const unsigned index = i % workers;
      jobs::spawn(done,
                  [&astray, &count = runs[i], index] {
                    ++count;
                    if (!is_on_worker(index)) ++astray;
                  },
                  {.on = jobs::worker(index),
                   .priority = i % 7 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
    }
    done.wait();
    EXPECT_EQ(astray, 0);
    for (const int count : runs) EXPECT_EQ(count, 1);
  });
}

TEST_P(Placement, StaysThereOverAWait) {
  run([&] {
    const unsigned last = jobs::worker_count() - 1;
    jobs::Counter done;
    jobs::Event open;
    std::atomic<int> astray{0};
    for (int i = 0; i < 50; ++i) {
      jobs::spawn(done,
                  [&] {
                    open.wait();
                    if (!is_on_worker(last)) ++astray;
                  },
                  {.on = jobs::worker(last)});
    }
    jobs::spawn(done, [&] { open.signal(); }, {.on = jobs::worker(0)});
    done.wait();
    EXPECT_EQ(astray, 0);
  });
}

TEST_P(Placement, KeepsTheOrderInWhichEachHasSentThem) {
  run([&] {
    constexpr int kSenders = 8;
    constexpr int kJobs = 200;
    const unsigned last = jobs::worker_count() - 1;
    std::array<int, kSenders> next{};  // on one worker, between two waits: no lock
    int disorder = 0;
    jobs::Counter done;
    for (int sender = 0; sender < kSenders; ++sender) {
      jobs::spawn(done, [&, sender] {
        for (int i = 0; i < kJobs; ++i) {
          jobs::spawn(done,
                      [&, sender, i] {
                        if (next[static_cast<std::size_t>(sender)]++ != i) ++disorder;
                      },
                      {.on = jobs::worker(last)});
        }
      });
    }
    done.wait();
    EXPECT_EQ(disorder, 0);
    for (const int count : next) EXPECT_EQ(count, kJobs);
  });
}

TEST_P(Placement, TakesJobsFromThreadsThatAreNone) {
  if (is_external()) GTEST_SKIP() << "that is what it is";
  jobs::Counter done;
  std::atomic<int> astray{0};
  run([&] {
    const unsigned last = jobs::worker_count() - 1;
    jobs::Counter sent;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      sent.add();
      threads.emplace_back([&, last] {
        for (int j = 0; j < 50; ++j) {
          scheduler().run([&] {
            jobs::spawn(
                done, [&, last] { astray += is_on_worker(last) ? 0 : 1; },
                {.on = jobs::worker(last),
                 .priority = j % 2 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
          });
        }
        sent.done();
      });
    }
    sent.wait();
    done.wait();
  });
  EXPECT_EQ(astray, 0);
}

TEST_P(Placement, TakesJobsFromExternalParticipants) {
  std::atomic<int> astray{0};
  std::atomic<int> ran{0};
  std::thread([&] {
    const unsigned last = jobs::worker_count() - 1;
    jobs::Counter done;
    jobs::parallel_for(0, 100, [&](int i) {
      jobs::spawn(done,
                  [&, last] {
                    ++ran;
                    astray += is_on_worker(last) ? 0 : 1;
                  },
                  {.on = jobs::worker(last)});
      jobs::spawn(done, [&] { ++ran; },
                  {.priority = i % 2 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
    });
    done.wait();
  }).join();
  uses_default_scheduler();
  EXPECT_EQ(astray, 0);
  EXPECT_EQ(ran, 200);
}

TEST_P(Placement, RefusesPlacesThatTheSchedulerDoesNotHave) {
  run([&] {
    expect_bad_argument({.on = jobs::worker(jobs::worker_count())});
    expect_bad_argument({.on = jobs::worker(~0u), .priority = jobs::Priority::kCritical});
    if (GetParam().kind != jobs::test::Place::Kind::kBound)
      expect_bad_argument({.on = jobs::main_thread});
  });
}

TEST_P(Placement, HandsExceptionsToTheWaiter) {
  run([&] {
    for (const jobs::SpawnOptions& options : {jobs::SpawnOptions{.on = jobs::worker(0)},
                                              {.priority = jobs::Priority::kCritical},
                                              {.on = jobs::not_main_thread},
                                              {}}) {
      jobs::Counter done;
      jobs::spawn(done, [] { throw std::runtime_error("from the job"); }, options);
      EXPECT_THROW(done.wait(), std::runtime_error);
    }
  });
}

TEST_P(Placement, TakesAnyClosureAndDestroysIt) {
  struct alignas(128) Wide {
    char value = 7;
  };
  const auto shared = std::make_shared<int>(1);
  run([&] {
    jobs::Counter done;
    std::atomic<int> sum{0};
    for (const jobs::SpawnOptions& options : {jobs::SpawnOptions{.on = jobs::worker(0)},
                                              {.priority = jobs::Priority::kCritical},
                                              {.on = jobs::not_main_thread},
                                              {}}) {
      jobs::spawn(
          done,
          [shared, ballast = std::array<char, 1000>{1}, &sum] { sum += *shared + ballast[0]; },
          options);
      jobs::spawn(done, [shared, wide = Wide{}, &sum] { sum += wide.value; }, options);
      jobs::spawn(
          done, [value = std::make_unique<int>(5), shared, &sum] { sum += *value; }, options);
    }
    done.wait();
    EXPECT_EQ(sum, 4 * (2 + 7 + 5));
    EXPECT_EQ(shared.use_count(), 1);
  });
}

TEST_P(Placement, FinishesAllBeforeTheSchedulerEnds) {
  if (is_external()) GTEST_SKIP() << "the default one does not end";
  std::atomic<int> ran{0};
  run([&] {
    const unsigned workers = jobs::worker_count();
    for (unsigned i = 0; i < 100; ++i) {
      jobs::spawn(
          [&ran, workers, i] {
            // Also during the drain.
            jobs::spawn([&ran] { ++ran; }, {.on = jobs::worker(i * 7 % workers)});
            jobs::spawn([&ran] { ++ran; },
                        {.on = jobs::not_main_thread, .priority = jobs::Priority::kCritical});
            ++ran;
          },
          {.on = jobs::worker(i % workers)});
    }
  });
  scheduler().shutdown();
  EXPECT_EQ(ran, 300);
}

// --- priority -----------------------------------------------------------------------------------

TEST_P(Placement, RunsCriticalJobsFirst) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([&] {
    std::string order;
    jobs::Counter done;
    jobs::spawn(done, [&] { order += 'n'; });
    jobs::spawn(done, [&] { order += 'p'; }, {.on = jobs::worker(0)});
    jobs::spawn(done, [&] { order += 'u'; }, {.priority = jobs::Priority::kCritical});
    jobs::spawn(done, [&] { order += 'v'; }, {.priority = jobs::Priority::kCritical});
    jobs::spawn(done, [&] { order += 'q'; }, {.on = jobs::worker(0)});
    jobs::spawn(done, [&] { order += 'U'; },
                {.on = jobs::worker(0), .priority = jobs::Priority::kCritical});
    done.wait();
    EXPECT_LT(order.find('U'), order.find('p'));
    std::erase(order, 'U');  // the order among critical jobs is not specified
    EXPECT_EQ(order, "uvpqn");
  });
}

// All workers are held while normal and then critical jobs arrive. After their release, no normal
// job starts before the critical jobs.
TEST_P(Placement, RunsCriticalJobsFirstOnAllWorkers) {
  run([&] {
    constexpr unsigned kJobs = 40;
    const unsigned workers = jobs::worker_count();
    jobs::Counter done;
    std::atomic<unsigned> held{0};
    std::atomic<bool> go{false};
    const std::optional<unsigned> here = jobs::worker_index();
    for (unsigned i = 0; i < workers; ++i) {
      if (here == std::optional(i)) continue;  // this function itself holds that worker
      jobs::spawn(done,
                  [&] {
                    ++held;
                    while (!go) std::this_thread::yield();
                  },
                  {.on = jobs::worker(i)});
    }
    while (held < workers - (here ? 1 : 0)) std::this_thread::yield();
    std::atomic<unsigned> critical{0};
    std::atomic<int> early{0};
    for (unsigned i = 0; i < kJobs; ++i) {
      // Each worker may have taken one already.
      jobs::spawn(done, [&] { early += critical + workers < kJobs ? 1 : 0; });
    }
    for (unsigned i = 0; i < kJobs; ++i)
      jobs::spawn(done, [&] { ++critical; }, {.priority = jobs::Priority::kCritical});
    go = true;
    done.wait();
    EXPECT_LE(early, static_cast<int>(workers)) << "each may let one pass, lest they starve";
  });
}

// A job that spawns its successor in the same way for ever: all other jobs must still run.
template <class Options>
void flood(jobs::Counter& done, std::atomic<bool>& enough, Options options) {
  jobs::spawn(
      done,
      [&done, &enough, options] {
        if (!enough) flood(done, enough, options);
      },
      options());
}

TEST_P(Placement, StarvesNoJobByAFloodOfCriticalJobs) {
  run([&] {
    jobs::Counter done;
    jobs::Counter others;
    std::atomic<bool> enough{false};
    const unsigned workers = jobs::worker_count();
    for (unsigned i = 0; i < 2 * workers; ++i)
      flood(done, enough, [] { return jobs::SpawnOptions{.priority = jobs::Priority::kCritical}; });
    for (unsigned i = 0; i < 100; ++i) {
      jobs::spawn(others, [&] { jobs::yield(); });
      jobs::spawn(others, [&] {}, {.on = jobs::worker(i % workers)});
      jobs::spawn(others, [&] {}, {.on = jobs::not_main_thread});
    }
    others.wait();
    enough = true;
    done.wait();
  });
}

TEST_P(Placement, StarvesNoJobByAFloodOfJobsForOneWorker) {
  run([&] {
    jobs::Counter done;
    jobs::Counter others;
    std::atomic<bool> enough{false};
    const unsigned workers = jobs::worker_count();
    for (unsigned i = 0; i < 2 * workers; ++i)
      flood(done, enough, [i, workers] {
        return jobs::SpawnOptions{
            .on = jobs::worker(i % workers),
            .priority = i % 3 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal};
      });
    for (unsigned i = 0; i < 100; ++i) {
      jobs::spawn(others, [&] { jobs::yield(); });
      jobs::spawn(others, [&] {}, {.priority = jobs::Priority::kCritical});
      jobs::spawn(others, [&] {}, {.on = jobs::not_main_thread});
    }
    others.wait();
    enough = true;
    done.wait();
  });
}

// --- waking -------------------------------------------------------------------------------------

TEST_P(Placement, WakesItsWorkerEachTime) {
  run([&] {
    const unsigned workers = jobs::worker_count();
    for (unsigned i = 0; i < 300; ++i) {
      jobs::Counter done;
      jobs::spawn(done, [] {}, {.on = jobs::worker(i % workers)});
      done.wait();
      // By then the workers sleep.
      if (i % 3 == 0) jobs::blocking([] { std::this_thread::sleep_for(200us); });
      jobs::spawn(done, [] {}, {.priority = jobs::Priority::kCritical});
      done.wait();
      if (i % 3 == 1) jobs::blocking([] { std::this_thread::sleep_for(200us); });
      jobs::spawn(done, [] {}, {.on = jobs::not_main_thread});
      done.wait();
    }
  });
}

TEST(PlacementWake, WakesThatWorkerAndNoOther) {
  constexpr unsigned kWorkers = 4;
  std::array<std::atomic<int>, kWorkers> sleeps{};
  std::array<std::atomic<pid_t>, kWorkers> threads{};
  jobs::Scheduler scheduler(
      {.worker_count = kWorkers,
       .on_idle = [&](unsigned worker) { ++sleeps[worker]; },
       .on_worker_start = [&](unsigned worker) { threads[worker] = gettid(); }});
  const auto total = [&sleeps]() -> int { return sleeps[0] + sleeps[1] + sleeps[2] + sleeps[3]; };
  scheduler.run([&] {
    const unsigned here = *jobs::worker_index();
    const auto wait_until_others_sleep = [&] {
      for (unsigned worker = 0; worker < kWorkers; ++worker) {
        while (worker != here && (sleeps[worker] == 0 || !jobs::test::is_asleep(threads[worker])))
          std::this_thread::sleep_for(1ms);
      }
    };
    int alone = 0;
    for (unsigned target = 0; target < kWorkers; ++target) {
      if (target == here) continue;
      for (int round = 0; round < 20; ++round) {
        int before = 0;
        do {
          before = total();
          wait_until_others_sleep();
        } while (total() != before);
        const int slept = sleeps[target];
        std::atomic<bool> ran{false};
        jobs::spawn([&ran] { ran = true; }, {.on = jobs::worker(target)});
        while (!ran || sleeps[target] == slept) std::this_thread::yield();
        wait_until_others_sleep();
        if (total() == before + 1) ++alone;
      }
    }
    EXPECT_GE(alone, 50) << "of 60 times; a sleeping worker wakes up to release unused memory";
  });
}

TEST(PlacementWake, WakesTheOnlyWorkerForACriticalJob) {
  std::atomic<int> sleeps{0};
  jobs::Scheduler scheduler({.worker_count = 1, .on_idle = [&sleeps](unsigned) { ++sleeps; }});
  for (int round = 0, slept = 0; round < 10; ++round) {
    while (sleeps == slept) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);  // between the call of on_idle and the sleep
    slept = sleeps;
    jobs::Counter done;
    scheduler.spawn(done, [] {}, {.priority = jobs::Priority::kCritical});
    if (done.wait_for(10s)) continue;
    scheduler.spawn([] {});  // wakes the worker
    done.wait();
    FAIL() << "the worker slept on in round " << round;
  }
}

TEST(PlacementOnAStoppedScheduler, IsRefused) {
  // In a process of its own: no thread can start the default scheduler again.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        jobs::fork_join([] {}, [] {});
        jobs::shutdown_default();
        int refused = 0;
        for (const jobs::SpawnOptions& options : {jobs::SpawnOptions{.on = jobs::worker(0)},
                                                  {.priority = jobs::Priority::kCritical},
                                                  {.on = jobs::not_main_thread}}) {
          jobs::Counter done;
          try {
            jobs::spawn(done, [] {}, options);
          } catch (const jobs::Error& error) {
            refused += error.code() == jobs::ErrorCode::kStopped ? 1 : 0;
          }
          done.wait();  // the counter is unchanged
        }
        std::_Exit(refused == 3 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// Senders and workers go to sleep and wake up at arbitrary moments.
TEST(PlacementStorm, RunsEachJobOnceWhereItBelongs) {
  const int rounds = jobs::test::scaled(50);
  jobs::Scheduler scheduler({.worker_count = 4});
  for (int round = 0; round < rounds; ++round) {
    std::array<std::atomic<int>, 4> ran{};
    std::atomic<int> astray{0};
    scheduler.run([&] {
      jobs::Counter done;
      jobs::parallel_for(0, 400, [&](int i) {
        const auto index = static_cast<unsigned>(i) % 4;
        jobs::spawn(
            done,
            [&, index, i] {
              astray += is_on_worker(index) ? 0 : 1;
              ++ran[index];
              if (i % 5 == 0) jobs::yield();
              if (i % 7 == 0) jobs::this_fiber::sleep_for(std::chrono::microseconds(i % 90));
              if (i % 3 == 0)
                jobs::spawn(done, [&, index] { astray += is_on_worker(index) ? 0 : 1; },
                            {.on = jobs::worker(index)});
              astray += is_on_worker(index) ? 0 : 1;
            },
            {.on = jobs::worker(index),
             .priority = i % 11 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
        if (i % 4 == 0)
          jobs::spawn(
              done, [] { jobs::yield(); },
              {.priority = i % 8 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
      });
      done.wait();
    });
    ASSERT_EQ(astray, 0);
    for (const auto& count : ran) ASSERT_EQ(count, 100);
  }
}

// --- the bound thread ---------------------------------------------------------------------------

class MainThread : public testing::TestWithParam<unsigned> {
 protected:
  jobs::Scheduler scheduler_{
      jobs::SchedulerOptions{.worker_count = GetParam(), .bind_caller = true}};
  const std::thread::id main_ = std::this_thread::get_id();
  bool is_on_main() const { return std::this_thread::get_id() == main_; }
  // The end of a loop that only a fault lets run so long.
  using Clock = std::chrono::steady_clock;
  static Clock::time_point far_end() { return Clock::now() + 50s; }
};
INSTANTIATE_TEST_SUITE_P(Workers, MainThread, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

TEST_P(MainThread, RunsItsJobsWhileItWaits) {
  jobs::Counter done;
  int ran = 0;  // one thread only: no lock
  jobs::parallel_for(0, 500, [&](int i) {
    jobs::spawn(done,
                [&] {
                  EXPECT_TRUE(is_on_main());
                  ++ran;
                },
                {.on = jobs::main_thread,
                 .priority = i % 5 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
  });
  done.wait();
  EXPECT_EQ(ran, 500);
}

TEST_P(MainThread, RunsItsJobsWhenAskedTo) {
  scheduler_.run_main_thread_jobs();  // none
  std::atomic<int> ran = 0;
  jobs::Event never;
  jobs::Counter done;
  for (int i = 0; i < 200; ++i) jobs::spawn(done, [&ran] { ++ran; }, {.on = jobs::main_thread});
  // It has started, but not ended.
  jobs::spawn(done, [&never] { never.wait(); }, {.on = jobs::main_thread});
  EXPECT_EQ(ran, 0) << "not before it is asked to";
  scheduler_.run_main_thread_jobs();
  EXPECT_EQ(ran, 200);
  never.signal();
  done.wait();
}

// The thread computes between its calls and never waits. With one worker no other worker could run
// the jobs.
TEST_P(MainThread, GivesOtherJobsATurnInALoopOfFrames) {
  std::atomic<int> ran{0};
  const auto frames_until = [&](int count) {
    int frames = 0;
    for (const auto end = far_end(); ran < count && Clock::now() < end; ++frames)
      scheduler_.run_main_thread_jobs();
    EXPECT_EQ(ran, count);
    return frames;
  };
  jobs::spawn([&] { ++ran; });
  frames_until(1);
  std::jthread([&] {
    for (int i = 0; i < 50; ++i)
      scheduler_.spawn([&] { ++ran; }, {.priority = i % 2 == 0 ? jobs::Priority::kCritical
                                                               : jobs::Priority::kNormal});
  }).join();
  const int frames = frames_until(51);
  if (GetParam() == 1) {
    EXPECT_LE(frames, 50) << "each call runs a job";
  }
  jobs::Event event;
  jobs::spawn([&] {
    event.wait();
    ++ran;
    jobs::this_fiber::sleep_for(1ms);
    ++ran;
  });
  event.signal();
  frames_until(53);
}

TEST_P(MainThread, GivesOtherJobsATurnBesideAFloodOfItsOwn) {
  std::atomic<bool> ran{false};
  jobs::spawn([&] { ran = true; });
  for (const auto end = far_end(); !ran && Clock::now() < end;) {
    jobs::spawn([] {}, {.on = jobs::main_thread});
    scheduler_.run_main_thread_jobs();
  }
  EXPECT_TRUE(ran);
}

TEST_P(MainThread, RunsWhatAForeignThreadWants) {
  std::atomic<int> ran{0};
  std::thread([&] {
    EXPECT_EQ(jobs::worker_index(), std::nullopt);
    expect_bad_argument({.on = jobs::main_thread});  // the default scheduler has none
  }).join();
  if (GetParam() > 1) {
    std::thread foreign([&] {
      for (int i = 0; i < 50; ++i) {
        scheduler_.run([&] {
          jobs::spawn(
              [&] {
                EXPECT_TRUE(is_on_main());
                ++ran;
              },
              {.on = jobs::main_thread});
        });
      }
    });
    while (ran < 50) scheduler_.run_main_thread_jobs();
    foreign.join();
  }
}

TEST_P(MainThread, RunsItsJobsBeforeTheSchedulerEnds) {
  int ran = 0;
  for (int i = 0; i < 100; ++i) jobs::spawn([&ran] { ++ran; }, {.on = jobs::main_thread});
  scheduler_.shutdown();
  EXPECT_EQ(ran, 100);
  EXPECT_THROW(scheduler_.run_main_thread_jobs(), jobs::Error);
}

TEST(MainThreadOfNone, IsRefused) {
  jobs::Scheduler scheduler({.worker_count = 2});
  EXPECT_THROW(scheduler.run_main_thread_jobs(), jobs::Error);
  scheduler.run([] { expect_bad_argument({.on = jobs::main_thread}); });
}

TEST_P(MainThread, KeepsOffItWhatIsNotForIt) {
  jobs::Counter done;
  std::atomic<int> astray{0};
  std::atomic<int> ran{0};
  const auto job = [&] {
    ++ran;
    if (is_on_main() != (GetParam() == 1)) ++astray;
  };
  for (int i = 0; i < 500; ++i)
    jobs::spawn(done, job,
                {.on = jobs::not_main_thread,
                 .priority = i % 3 == 0 ? jobs::Priority::kCritical : jobs::Priority::kNormal});
  jobs::parallel_for(0, 500, [&](int) { jobs::spawn(done, job, {.on = jobs::not_main_thread}); });
  done.wait();
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(astray, 0);
}

// As many jobs as there are other workers wait for each other and keep their workers: each worker
// must have been woken.
TEST_P(MainThread, WakesAsManyOthersAsThereAreJobs) {
  const unsigned others = GetParam() - 1;
  for (int round = 0; round < (others > 4 ? 20 : 200); ++round) {
    if (round % 4 == 0) std::this_thread::sleep_for(1ms);  // by then the workers sleep
    jobs::Counter done;
    std::atomic<unsigned> here{0};
    const auto meet = [&] {
      ++here;
      while (here < others) std::this_thread::sleep_for(20us);  // keeps its worker, not the CPU
    };
    for (unsigned i = 0; i < others; ++i)
      jobs::spawn(
          done, meet,
          {.on = jobs::not_main_thread,
           .priority = (i + static_cast<unsigned>(round)) % 2 == 0 ? jobs::Priority::kCritical
                                                                   : jobs::Priority::kNormal});
    done.wait();
  }
}

// The bound thread is woken first. It may not run the job and must wake another worker.
TEST_P(MainThread, PassesOnWhatItMayNotTake) {
  if (GetParam() == 1) GTEST_SKIP() << "to whom?";
  for (int round = 0; round < 200; ++round) {
    jobs::Counter done;
    jobs::spawn(done,
                [&] {
                  if (round % 2 == 0)
                    jobs::blocking([] { std::this_thread::sleep_for(300us); });  // all sleep
                  jobs::spawn(done, [] {});
                  jobs::spawn(done, [this] { EXPECT_FALSE(is_on_main()); },
                              {.on = jobs::not_main_thread});
                  jobs::spawn(done, [] {});
                },
                {.on = jobs::not_main_thread});
    done.wait();
  }
}

}  // namespace
