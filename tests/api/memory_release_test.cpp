// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of pending jobs returns to the system: by Scheduler::trim(), by shutdown(), and by age
// while the workers sleep.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory_resource>
#include <random>
#include <thread>
#include <vector>

#include "jobs/memory.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"

namespace jobs {
namespace {

using namespace std::chrono_literals;
using test::resident_kib;

#if defined(JOBS_ASAN)
constexpr bool kHasSlabs = false;  // memory_resource() takes all blocks from the heap.
#else
constexpr bool kHasSlabs = true;
#endif
// A sanitizer has memory of its own, which stays.
constexpr bool kIsExact = !test::kSanitized;
constexpr std::size_t kAllowed = 20 * 1024;  // KiB above the level before
constexpr std::size_t kKeptSlabs = 1 << 20;  // bytes that a sleeping worker keeps

int pending_jobs() { return test::scaled(2'000'000); }

// Spawns jobs that are all pending at a time.
using Load = void (*)(Scheduler&);

template <class F>
void run_on_worker(Scheduler& scheduler, unsigned index, const F& function) {
  Counter done;
  scheduler.spawn(done, [&function] { function(); }, {.on = worker(index)});
  done.wait();
}

void spawn_all(std::atomic<int>& ended) {
  for (int i = 0, count = pending_jobs(); i < count; ++i) spawn([&ended] { ++ended; });
}

// One worker spawns the jobs, and runs and frees them itself.
void spawn_and_run_on_one_worker(Scheduler& scheduler) {
  std::atomic<int> ended{0};
  run_on_worker(scheduler, 0, [&] { spawn_all(ended); });
  while (ended.load() != pending_jobs()) std::this_thread::sleep_for(1ms);
}

// Keeps the workers from `first` on busy until its end, or until release().
class BusyWorkers {
 public:
  BusyWorkers(Scheduler& scheduler, unsigned first) {
    const unsigned workers = scheduler.worker_count();
    for (unsigned i = first; i < workers; ++i) {
      scheduler.spawn(
          [this] {
            busy_.fetch_add(1);
            while (!go_.load()) std::this_thread::yield();
            busy_.fetch_sub(1);
          },
          {.on = worker(i)});
    }
    while (busy_.load() != workers - first) std::this_thread::yield();
  }
  BusyWorkers(const BusyWorkers&) = delete;
  BusyWorkers& operator=(const BusyWorkers&) = delete;
  ~BusyWorkers() {
    release();
    while (busy_.load() != 0) std::this_thread::sleep_for(1ms);
  }
  void release() { go_.store(true); }

 private:
  std::atomic<unsigned> busy_{0};
  std::atomic<bool> go_{false};
};

// Worker 0 spawns the jobs, and is busy until the other workers have run and freed them.
void spawn_here_and_run_there(Scheduler& scheduler) {
  std::atomic<int> ended{0};
  BusyWorkers others(scheduler, 1);
  run_on_worker(scheduler, 0, [&] {
    spawn_all(ended);
    others.release();
    while (ended.load() != pending_jobs()) std::this_thread::yield();
  });
}

// An external thread spawns the jobs while every worker is busy.
void spawn_from_outside(Scheduler& scheduler) {
  std::atomic<int> ended{0};
  BusyWorkers all(scheduler, 0);
  for (int i = 0, count = pending_jobs(); i < count; ++i) scheduler.spawn([&ended] { ++ended; });
  all.release();
  while (ended.load() != pending_jobs()) std::this_thread::sleep_for(1ms);
}

struct Way {
  const char* name;
  unsigned workers;
  Load load;
};
void PrintTo(const Way& way, std::ostream* stream) { *stream << way.name; }

class MemoryRelease : public testing::TestWithParam<Way> {
 protected:
  // Starts the scheduler, and uses it a little, so that its own memory does not count.
  void SetUp() override {
    std::atomic<int> ended{0};
    scheduler_.run([&] { spawn([&] { ++ended; }); });
    while (ended.load() != 1) std::this_thread::yield();
    before_ = resident_kib();
  }
  // Runs the load. post: the level has risen.
  void load() {
    GetParam().load(scheduler_);
    peak_slabs_ = scheduler_.stats().slab_bytes;
    if (kIsExact) {
      EXPECT_GT(resident_kib(), before_ + kAllowed) << "the load is too small";
    }
  }
  void expect_released() const {
    if (kIsExact) {
      EXPECT_LT(resident_kib(), before_ + kAllowed);
    }
  }

  Scheduler scheduler_{{.worker_count = GetParam().workers}};
  std::size_t before_ = 0;
  std::size_t peak_slabs_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, MemoryRelease,
                         testing::Values(Way{"OnOneWorker", 1, spawn_and_run_on_one_worker},
                                         Way{"FreedByAnotherWorker", 2, spawn_here_and_run_there},
                                         Way{"FromOutside", 2, spawn_from_outside}),
                         [](const auto& way) { return std::string(way.param.name); });

TEST_P(MemoryRelease, ByTrimLeavesNoMemoryOfPendingJobs) {
  for (int round = 0; round < 2; ++round) {
    load();
    scheduler_.trim();
    EXPECT_LE(scheduler_.stats().slab_bytes, std::min<std::size_t>(peak_slabs_, kKeptSlabs));
    expect_released();
  }
}

TEST_P(MemoryRelease, ByTrimLeavesTheAddressesToLaterJobs) {
  if (!kIsExact) GTEST_SKIP() << "a sanitizer reserves addresses of its own";
  if (GetParam().load == spawn_from_outside) GTEST_SKIP() << "these jobs lie on the heap";
  load();
  scheduler_.trim();
  const std::size_t before = test::memory_of_process().reserved_kib;
  for (int round = 0; round < 4; ++round) {
    load();
    scheduler_.trim();
  }
  EXPECT_LT(test::memory_of_process().reserved_kib, before + 2 * peak_slabs_ / 1024);
}

TEST_P(MemoryRelease, ByShutdownLeavesNoMemoryOfPendingJobs) {
  load();
  scheduler_.shutdown();
  EXPECT_EQ(scheduler_.stats().slab_bytes, 0u);
  expect_released();
}

TEST(MemoryReleaseByAge, HappensOnceWhileTheWorkersSleep) {
  Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {});
  const std::size_t before = resident_kib();
  spawn_here_and_run_there(scheduler);
  ASSERT_GT(scheduler.stats().slab_bytes, 8 * kKeptSlabs);
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  while (scheduler.stats().slab_bytes > 2 * kKeptSlabs &&
         std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(10ms);
  EXPECT_LE(scheduler.stats().slab_bytes, 2 * kKeptSlabs);
  if (kIsExact) {
    EXPECT_LT(resident_kib(), before + kAllowed);
  }
  // A worker that has just released memory goes to sleep in the first of these pauses.
  std::uint64_t parks = 0;
  for (int pause = 0; pause < 5 && parks != scheduler.stats().parks; ++pause) {
    parks = scheduler.stats().parks;
    std::this_thread::sleep_for(3s);
  }
  EXPECT_EQ(scheduler.stats().parks, parks) << "no periodic wake-up";
}

// The worker sleeps without free blocks when another thread frees its blocks.
TEST(MemoryReleaseByAge, HappensToBlocksThatOtherThreadsFreeWhileTheirWorkerSleeps) {
  if (!kHasSlabs) GTEST_SKIP() << "all blocks come from the heap";
  Scheduler scheduler({.worker_count = 1});
  constexpr std::size_t kBytes = 200;
  std::vector<void*> blocks(100'000);
  std::pmr::memory_resource* resource = nullptr;
  run_on_worker(scheduler, 0, [&] {
    resource = memory_resource();
    for (void*& block : blocks) block = resource->allocate(kBytes);
  });
  std::this_thread::sleep_for(3s);
  const std::uint64_t parks = scheduler.stats().parks;
  for (void* const block : blocks) resource->deallocate(block, kBytes);
  ASSERT_GT(scheduler.stats().slab_bytes, 8 * kKeptSlabs);
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  while (scheduler.stats().slab_bytes > kKeptSlabs && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(10ms);
  EXPECT_LE(scheduler.stats().slab_bytes, kKeptSlabs);
  EXPECT_LE(scheduler.stats().parks, parks + 10) << "it sleeps in between";
}

TEST(MemoryReleaseByAge, LeavesAloneWhatIsInUseEachSecond) {
  Scheduler scheduler({.worker_count = 1});
  std::atomic<int> ended{0};
  const int jobs = test::scaled(100'000);
  const auto frame = [&] {
    ended = 0;
    scheduler.run([&] {
      for (int i = 0; i < jobs; ++i) spawn([&] { ++ended; });
    });
    while (ended.load() != jobs) std::this_thread::sleep_for(1ms);
  };
  frame();
  const std::size_t used = scheduler.stats().slab_bytes;
  ASSERT_GT(used, kKeptSlabs);
  for (int i = 0; i < 30; ++i) {
    frame();
    EXPECT_GE(scheduler.stats().slab_bytes, used / 2) << "frame " << i;
    std::this_thread::sleep_for(100ms);
  }
}

TEST(MemoryRelease, OfBlocksOfUsersWhicheverThreadFreesThem) {
  if (!kHasSlabs) GTEST_SKIP() << "all blocks come from the heap";
  Scheduler scheduler({.worker_count = 2});
  const int count = test::scaled(500'000);
  constexpr std::size_t kBytes = 200;
  std::vector<void*> blocks(static_cast<std::size_t>(count));
  std::pmr::memory_resource* resource = nullptr;
  const auto allocate = [&] {
    resource = memory_resource();
    for (void*& block : blocks) std::memset(block = resource->allocate(kBytes), 1, kBytes);
  };
  const auto free = [&] {
    for (void* const block : blocks) resource->deallocate(block, kBytes);
  };
  std::memset(blocks.data(), 0, blocks.size() * sizeof(void*));
  scheduler.run([] {});
  const std::size_t before = resident_kib();
  for (const unsigned freeing : {0u, 1u, 2u}) {
    run_on_worker(scheduler, 0, allocate);
    if (kIsExact) {
      EXPECT_GT(resident_kib(), before + kAllowed);
    }
    if (freeing < 2) {
      run_on_worker(scheduler, freeing, free);
    } else {
      free();
    }
    scheduler.trim();
    EXPECT_LE(scheduler.stats().slab_bytes, kKeptSlabs);
    if (kIsExact) {
      EXPECT_LT(resident_kib(), before + kAllowed) << "freed by " << freeing;
    }
  }
}

// Blocks in use keep their contents, and blocks in transit between workers are not lost, while the
// scheduler is trimmed again and again.
TEST(MemoryRelease, HarmsNoBlockInUseOrInTransit) {
  if (!kHasSlabs) GTEST_SKIP() << "all blocks come from the heap";
  Scheduler scheduler({.worker_count = 2});
  constexpr std::size_t kSlots = 20'000;
  struct Slot {
    std::atomic<std::uint64_t*> block{nullptr};
    std::size_t bytes = 0;
  };
  std::vector<Slot> slots(kSlots);
  const std::uint64_t seed = test::seed();
  const int rounds = test::scaled(400'000);
  std::atomic<int> running{2};
  std::atomic<std::uint64_t> wrong{0};
  std::pmr::memory_resource* const resource = scheduler.run([] { return memory_resource(); });
  for (unsigned index = 0; index < 2; ++index) {
    scheduler.spawn(
        [&, index] {
          std::mt19937_64 random(seed + index);
          for (int i = 0; i < rounds; ++i) {
            const std::size_t bytes = 16u << (random() % 6);
            auto* const block = static_cast<std::uint64_t*>(resource->allocate(bytes));
            block[0] = bytes;
            block[bytes / 8 - 1] = block[0] ^ reinterpret_cast<std::uintptr_t>(block);
            std::uint64_t* const old = slots[random() % kSlots].block.exchange(block);
            if (old == nullptr) continue;
            const std::size_t its_bytes = old[0];
            if (its_bytes < 16 || its_bytes > 512 ||
                old[its_bytes / 8 - 1] != (its_bytes ^ reinterpret_cast<std::uintptr_t>(old))) {
              ++wrong;
            } else {
              resource->deallocate(old, its_bytes);
            }
            if (i % 1000 == 0) yield();  // runs the trim
          }
          --running;
        },
        {.on = worker(index)});
  }
  while (running.load() != 0) scheduler.trim();
  EXPECT_EQ(wrong.load(), 0u) << "seed " << seed;
  for (Slot& slot : slots) {
    if (std::uint64_t* const block = slot.block) resource->deallocate(block, block[0]);
  }
  scheduler.trim();
  EXPECT_EQ(scheduler.stats().slab_bytes, 0u);
}

}  // namespace
}  // namespace jobs
