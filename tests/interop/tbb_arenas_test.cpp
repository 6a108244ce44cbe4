// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Concurrency and limits of jobs/interop/tbb.hpp: the figures of arenas and controls, which are
// those of oneTBB 2021.8 on a machine with two CPUs, and what the controls limit. The program asks
// for the indices of threads, so the threads that call algorithms take no part in them.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/fiber_ref.hpp"
#include "jobs/interop/tbb.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/this_fiber.hpp"
#include "jobs/thread_fiber.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/thread_state.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using Control = tbb::global_control;

// The tests expect that a worker takes each call, however late.
[[maybe_unused]] const bool kPatient = [] {
  jobs::tbb::detail::offer_time = std::chrono::hours(1);
  return true;
}();

// The numbers that a program reads.
struct Figures {
  int arena = tbb::this_task_arena::max_concurrency();
  int all = tbb::info::default_concurrency();
  std::size_t limit = Control::active_value(Control::max_allowed_parallelism);

  bool operator==(const Figures&) const = default;
};
void PrintTo(const Figures& figures, std::ostream* stream) {
  *stream << figures.arena << ", " << figures.all << ", " << figures.limit;
}

// Returns the figures in the body of a loop, which must be the same in each body.
Figures in_body() {
  std::mutex mutex;
  std::vector<Figures> all;
  tbb::parallel_for(0, 100, [&](int) {
    const Figures figures;
    const std::lock_guard guard(mutex);
    all.push_back(figures);
  });
  for (const Figures& figures : all) EXPECT_EQ(figures, all.front());
  return all.front();
}

class TbbConcurrency : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TbbConcurrency);

TEST_P(TbbConcurrency, OfAnArenaIsItsNumberEverywhere) {
  uses_default_scheduler();
  run([] {
    for (const int size : {1, 2, 4, 16}) {
      for (const unsigned reserved : {0u, 1u, 2u}) {
        tbb::task_arena arena(size, reserved);
        EXPECT_EQ(arena.max_concurrency(), size);
        arena.initialize();
        EXPECT_EQ(arena.max_concurrency(), size);
        arena.execute([&] {
          EXPECT_EQ(Figures(), (Figures{size, 2, 2}));
          EXPECT_EQ(in_body(), (Figures{size, 2, 2}));
          EXPECT_LT(tbb::this_task_arena::current_thread_index(), size);
          EXPECT_EQ(tbb::task_arena(tbb::attach()).max_concurrency(), size);
          EXPECT_TRUE(tbb::task_arena(tbb::attach()).is_active());
        });
      }
    }
  });
}

TEST_P(TbbConcurrency, OfTheDefaultArenaIsTheNumberOfItsWorkers) {
  uses_default_scheduler();
  run([] {
    tbb::task_arena arena;
    EXPECT_EQ(arena.max_concurrency(), 2);
    EXPECT_EQ(arena.execute([] { return Figures(); }), (Figures{2, 2, 2}));
    EXPECT_EQ(arena.execute(in_body), (Figures{2, 2, 2}));
  });
}

TEST_P(TbbConcurrency, IsAboveTheIndicesOfThreads) {
  uses_default_scheduler();
  run([] {
    const auto check = [] {
      const auto slots = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
      std::vector<int> calls(
          slots);  // not atomic: ThreadSanitizer checks that indices are not shared
      tbb::parallel_for(
          tbb::blocked_range<int>(0, 2000),
          [&](const tbb::blocked_range<int>& range) {
            EXPECT_EQ(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()), slots);
            calls.at(static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())) +=
                static_cast<int>(range.size());
          },
          tbb::simple_partitioner());
      int sum = 0;
      for (const int count : calls) sum += count;
      EXPECT_EQ(sum, 2000);
    };
    check();
    tbb::task_arena(2).execute(check);
    tbb::task_arena().execute(check);
  });
}

TEST(TbbFigures, OfAThreadOutsideIsThatOfTheDefaultArena) {
  EXPECT_EQ(Figures(), (Figures{2, 2, 2}));
  EXPECT_EQ(in_body(), (Figures{2, 2, 2}));
  EXPECT_EQ(tbb::task_arena(tbb::attach()).max_concurrency(), 2);
  std::thread([] {
    EXPECT_EQ(tbb::this_task_arena::current_thread_index(), tbb::task_arena::not_initialized);
    EXPECT_EQ(Figures(), (Figures{2, 2, 2}));
    EXPECT_EQ(in_body(), (Figures{2, 2, 2}));
    EXPECT_EQ(tbb::this_task_arena::current_thread_index(), 0);
  }).join();
}

TEST(TbbFigures, IsNotChangedByAControl) {
  for (const std::size_t limit : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
    const Control control(Control::max_allowed_parallelism, limit);
    EXPECT_EQ(Figures(), (Figures{2, 2, limit}));
    EXPECT_EQ(in_body(), (Figures{2, 2, limit}));
    EXPECT_EQ(tbb::task_arena().execute([] { return Figures(); }), (Figures{2, 2, limit}));
    for (const int size : {1, 4, 16}) {
      tbb::task_arena arena(size);
      EXPECT_EQ(arena.max_concurrency(), size);
      EXPECT_EQ(arena.execute([] { return Figures(); }), (Figures{size, 2, limit}));
      EXPECT_EQ(arena.execute(in_body), (Figures{size, 2, limit}));
    }
  }
  EXPECT_EQ(Figures(), (Figures{2, 2, 2}));
}

// Returns how many threads run the bodies of a loop.
std::size_t threads_of_a_loop() {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 200),
      [&](const tbb::blocked_range<int>&) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        const std::lock_guard guard(mutex);
        threads.insert(std::this_thread::get_id());
      },
      tbb::simple_partitioner());
  return threads.size();
}

TEST(TbbFigures, AnAttachedArenaIsThatOfTheCaller) {
  tbb::task_arena(4).execute([] {
    const std::thread::id self = std::this_thread::get_id();
    tbb::task_arena attached{tbb::attach()};
    EXPECT_EQ(attached.execute([] { return std::this_thread::get_id(); }), self);
    tbb::task_group group;
    attached.enqueue(group.defer([] { EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 4); }));
    group.wait();
    EXPECT_EQ(tbb::task_arena(attached).max_concurrency(), 4);
    attached.terminate();
    EXPECT_NE(attached.execute([] { return std::this_thread::get_id(); }), self);
  });
}

TEST(TbbFigures, NoMoreThreadsRunBodies) {
  EXPECT_LE(threads_of_a_loop(), 2u);
  EXPECT_LE(tbb::task_arena(4).execute(threads_of_a_loop), 2u);
  EXPECT_EQ(tbb::task_arena(1).execute(threads_of_a_loop), 1u);
  {
    const Control control(Control::max_allowed_parallelism, 1);
    EXPECT_EQ(threads_of_a_loop(), 1u);
    EXPECT_EQ(tbb::task_arena(4).execute(threads_of_a_loop), 1u);
  }
  const Control control(Control::max_allowed_parallelism, 16);
  EXPECT_LE(threads_of_a_loop(), 2u);
  EXPECT_LE(tbb::task_arena(4).execute(threads_of_a_loop), 4u);
}

// Occupies all workers of the default scheduler during its lifetime. Threads outside soon take
// their calls back.
class Blocked {
 public:
  Blocked() {
    for (int i = 0; i < 2; ++i) {
      jobs::spawn(blocked_, [this] {
        ++begun_;
        while (!released_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    while (begun_ < 2) std::this_thread::yield();
    jobs::tbb::detail::offer_time = std::chrono::milliseconds(10);
  }
  ~Blocked() {
    jobs::tbb::detail::offer_time = patience_;
    released_ = true;
    blocked_.wait();
  }

 private:
  const std::chrono::milliseconds patience_ = jobs::tbb::detail::offer_time;
  std::atomic<bool> released_{false};
  std::atomic<int> begun_{0};
  jobs::Counter blocked_;
};

TEST(TbbOutside, ALoopRunsOnItsCallerWhileAllWorkersAreBlocked) {
  const auto loop = [] {
    const auto slots = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    std::vector<int> calls(slots);  // not atomic: ThreadSanitizer checks that indices differ
    tbb::parallel_for(0, 1000, [&](int) {
      ++calls.at(static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
    });
    int sum = 0;
    for (const int count : calls) sum += count;
    return sum;
  };
  const Blocked blocked;
  EXPECT_EQ(loop(), 1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(loop(), 1000); });
  for (std::thread& thread : threads) thread.join();
  bool ran_here = false;
  const std::thread::id self = std::this_thread::get_id();
  tbb::parallel_for(0, 1, [&](int) { ran_here = std::this_thread::get_id() == self; });
  EXPECT_TRUE(ran_here);
}

TEST(TbbOutside, TasksOfAGroupHaveIndicesOfWorkers) {
  const int slots = tbb::this_task_arena::max_concurrency();
  tbb::task_group group;
  for (int i = 0; i < 1000; ++i)
    group.run([=] { EXPECT_LT(tbb::this_task_arena::current_thread_index(), slots); });
  group.wait();
}

// The calling thread plays a fiber. A stop ends its next own wait, and not the wait for the loop.
TEST(TbbOutside, AStopDoesNotEndALoop) {
  jobs::ThreadFiber self;
  const jobs::FiberRef ref = self;
  ref.request_stop();
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 100, [&](int) { ++calls; });
  EXPECT_EQ(calls, 100);
  EXPECT_THROW(jobs::this_fiber::sleep_for(std::chrono::milliseconds(1)), jobs::Cancelled);
}

TEST(TbbOutside, ResultsAndExceptionsReachTheCaller) {
  const auto check = [] {
    const auto fail = [] {
      tbb::parallel_for(0, 9, [](int) { throw std::runtime_error("body"); });
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_EQ(tbb::parallel_reduce(
                  tbb::blocked_range<int>(0, 100), 0,
                  [](const auto& range, int sum) { return sum + static_cast<int>(range.size()); },
                  std::plus<>()),
              100);
  };
  check();
  const Blocked blocked;
  check();
}

TEST(TbbGlobalControl, LimitsWhatIsCalledFromOutside) {
  const std::size_t before = Control::active_value(Control::max_allowed_parallelism);
  EXPECT_EQ(before, static_cast<std::size_t>(tbb::info::default_concurrency()));
  const std::thread::id self = std::this_thread::get_id();
  {
    const Control outer(Control::max_allowed_parallelism, 1);
    EXPECT_EQ(Control::active_value(Control::max_allowed_parallelism), 1u);
    const Control wider(Control::max_allowed_parallelism, 1000);  // the smallest limit counts
    EXPECT_EQ(Control::active_value(Control::max_allowed_parallelism), 1u);
    EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 2);
    std::set<std::thread::id> threads;  // not guarded: one at a time
    const auto note = [&](auto&&...) { threads.insert(std::this_thread::get_id()); };
    tbb::parallel_for(0, 100, note);
    tbb::parallel_for(tbb::blocked_range<int>(0, 100), note);
    tbb::parallel_for_each(std::vector<int>(100), note);
    tbb::parallel_invoke(note, note, note);
    tbb::task_group group;
    for (int i = 0; i < 100; ++i) group.run(note);
    group.run_and_wait(note);
    tbb::task_arena().execute(note);
    EXPECT_EQ(threads.size(), 1u);
    EXPECT_FALSE(threads.contains(self));
  }
  EXPECT_EQ(Control::active_value(Control::max_allowed_parallelism), before);
}

TEST(TbbGlobalControl, BeginsAndEndsInAnyOrder) {
  const auto use = [] {
    std::atomic<int> calls{0};
    tbb::parallel_for(0, 100, [&](int) { ++calls; });
    EXPECT_EQ(calls, 100);
  };
  std::unique_ptr<Control> stack;
  for (const std::size_t mib : {std::size_t{1}, std::size_t{4}, std::size_t{2}}) {
    // The new one begins before the previous one ends.
    stack = std::make_unique<Control>(Control::thread_stack_size, mib << 20);
    EXPECT_EQ(Control::active_value(Control::thread_stack_size), mib << 20);
    use();
  }
  auto first = std::make_unique<Control>(Control::max_allowed_parallelism, 1);
  const Control second(Control::max_allowed_parallelism, 2);
  use();
  first.reset();
  EXPECT_EQ(Control::active_value(Control::max_allowed_parallelism), 2u);
  use();
  stack.reset();
  use();
}

TEST(TbbGlobalControl, LimitsArenasThatStart) {
  const Control control(Control::max_allowed_parallelism, 1);
  tbb::task_arena arena(4);
  std::set<std::thread::id> threads;  // not guarded: one at a time
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 1000),
        [&](const tbb::blocked_range<int>&) { threads.insert(std::this_thread::get_id()); },
        tbb::simple_partitioner());
  });
  EXPECT_EQ(threads.size(), 1u);
}

TEST(TbbGlobalControl, GivesJobsLargerStacks) {
  const Control control(Control::thread_stack_size, std::size_t{4} << 20);
  EXPECT_EQ(Control::active_value(Control::thread_stack_size), std::size_t{4} << 20);
  tbb::parallel_for(0, 4, [](int i) {
    volatile char deep[1 << 20];
    deep[0] = static_cast<char>(i);
    deep[sizeof deep - 1] = deep[0];
  });
}

// As in arenas and under controls. The loop runs on workers, because the program asks for indices.
TEST(TbbFigures, BodiesOfTheDefaultArenaHaveStacksOfAMebibyte) {
  tbb::parallel_for(0, 4, [](int i) {
    volatile char deep[512 << 10];
    // From the top down, so that no access skips the guard page.
    for (std::size_t at = sizeof deep; at >= 1024; at -= 1024) deep[at - 1] = static_cast<char>(i);
  });
}

TEST(TbbArenas, InUseOneAfterAnotherShareWorkers) {
  tbb::parallel_for(0, 10, [](int) {});
  const std::size_t before = jobs::test::thread_count();
  std::vector<std::unique_ptr<tbb::task_arena>> arenas;
  for (int i = 0; i < 100; ++i) {
    arenas.push_back(std::make_unique<tbb::task_arena>(2));
    arenas.back()->initialize();
    arenas.back()->execute([] { tbb::parallel_for(0, 10, [](int) {}); });
  }
  // A worker that is slow to end its job counts as in use.
  EXPECT_LE(jobs::test::thread_count(), before + 50);
  arenas.clear();
  // As many workers as CPUs stay, per arena in use.
  EXPECT_TRUE(
      jobs::test::is_true_in_time([before] { return jobs::test::thread_count() <= before + 6; }));
}

TEST(TbbArenas, InUseAtATimeHaveWorkersOfTheirOwn) {
  constexpr int kArenas = 5;
  std::barrier all(kArenas);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kArenas; ++i)
    threads.emplace_back([&all] { tbb::task_arena(1).execute([&all] { all.arrive_and_wait(); }); });
}

TEST(TbbArenas, DoNotTakeAWorkerThatABlockedTaskKeeps) {
  std::atomic<bool> goes_on{false};
  tbb::task_group group;
  tbb::task_arena first(1), second(1);
  first.execute([&] {
    group.run([&] {
      while (!goes_on) std::this_thread::yield();
    });
  });
  second.execute([&] { goes_on = true; });
  first.execute([&] { group.wait(); });
}

TEST(TbbArenas, WaitForTheirFunctionsAtTheEnd) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> ended{0};
    {
      tbb::task_arena arena(2);
      for (int k = 0; k < 10; ++k) arena.enqueue([&ended] { ++ended; });
    }
    EXPECT_EQ(ended, 10);
  }
}

TEST(TbbArenas, ThatAreAttachedKeepTheirWorkers) {
  tbb::task_arena owner(1), other(1);
  std::thread::id of_owner;
  std::unique_ptr<tbb::task_arena> attached;
  owner.execute([&] {
    of_owner = std::this_thread::get_id();
    attached = std::make_unique<tbb::task_arena>(tbb::attach());
  });
  EXPECT_NE(other.execute([] { return std::this_thread::get_id(); }), of_owner);
  EXPECT_EQ(attached->execute([] { return std::this_thread::get_id(); }), of_owner);
  attached.reset();
}

TEST(TbbArenas, EndInAChildProcess) {
  auto arena = std::make_unique<tbb::task_arena>(2);
  arena->execute([] {});
  EXPECT_EQ(
      jobs::test::in_child([&arena] {
        arena.reset();
        // ThreadSanitizer starts no threads in a child.
        return jobs::test::kUnderThreadSanitizer ? 7 : tbb::task_arena(2).execute([] { return 7; });
      }),
      7);
}

}  // namespace
