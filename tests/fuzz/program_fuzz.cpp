// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Any program of fibers that lock, wait, send, spawn, cancel and throw, on two workers. The program
// ends, all memory is released, and every job has run once. No fiber waits without a deadline for
// an event that only another fiber can cause. A run without an end is therefore a finding.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/fuzz/input.hpp"

namespace {

using jobs::test::expect;
using jobs::test::Input;

struct Thrown {};

// The state that the fibers share.
struct World {
  jobs::Mutex mutex;
  std::uint64_t guarded = 0;
  std::atomic<std::uint64_t> locked{0};
  jobs::SharedMutex shared_mutex;
  jobs::ConditionVariable changed;
  jobs::Semaphore permits{2};
  std::atomic<int> inside{0};
  jobs::Event event;
  jobs::Channel<std::uint32_t> channel{3};
  std::atomic<std::uint32_t> sent{0};
  std::atomic<std::uint32_t> received{0};
  jobs::Counter spawned;
  std::atomic<std::uint32_t> jobs_expected{0};
  std::atomic<std::uint32_t> jobs_ran{0};

  void count_job() {
    jobs_expected.fetch_add(1, std::memory_order_relaxed);
    jobs::spawn(spawned, [this] { jobs_ran.fetch_add(1, std::memory_order_relaxed); });
  }
};

std::chrono::microseconds brief(Input& input) {
  return std::chrono::microseconds(input.byte() / 4);
}

// The time in which a fiber owns a permit, stopped or not.
class Inside {
 public:
  explicit Inside(World& world) : world_(world) {
    expect(++world.inside <= 2, "more inside than there are permits");
  }
  ~Inside() {
    --world_.inside;
    world_.permits.release();
  }

 private:
  World& world_;
};

// One step of a fiber.
void step(World& world, Input& input) {
  switch (input.below(16)) {
    case 0: {
      const std::scoped_lock lock(world.mutex);
      ++world.guarded;
      world.locked.fetch_add(1, std::memory_order_relaxed);
      if (input.below(2) == 0) jobs::yield();
      break;
    }
    case 1:
      if (world.mutex.try_lock_for(brief(input))) {
        ++world.guarded;
        world.locked.fetch_add(1, std::memory_order_relaxed);
        world.mutex.unlock();
      }
      break;
    case 2: {
      std::unique_lock lock(world.mutex);
      static_cast<void>(world.changed.wait_for(lock, brief(input)));
      break;
    }
    case 3:
      input.below(2) == 0 ? world.changed.notify_one() : world.changed.notify_all();
      break;
    case 4:
      if (world.permits.try_acquire_for(brief(input))) {
        const Inside inside(world);
        if (input.below(2) == 0) jobs::this_fiber::sleep_for(brief(input));
      }
      break;
    case 5:
      static_cast<void>(world.event.wait_for(brief(input)));
      break;
    case 6:
      input.below(2) == 0 ? world.event.signal() : world.event.reset();
      break;
    case 7:
      if (world.channel.try_push_for(1, brief(input))) ++world.sent;
      break;
    case 8:
      if (world.channel.try_pop_for(brief(input))) ++world.received;
      break;
    case 9:
      for (std::size_t i = input.below(20); i > 0; --i) world.count_job();
      break;
    case 10: {
      std::atomic<std::size_t> ran = 0;
      const std::size_t count = input.below(200);
      jobs::parallel_for(std::size_t{0}, count,
                         [&](std::size_t) { ran.fetch_add(1, std::memory_order_relaxed); });
      expect(ran == count, "an iteration was lost");
      break;
    }
    case 11: {
      bool left = false;
      bool right = false;
      jobs::fork_join([&] { left = true; }, [&] { right = true; });
      expect(left && right, "half of a fork was lost");
      break;
    }
    case 12: {
      const std::shared_lock lock(world.shared_mutex);
      jobs::yield();
      break;
    }
    case 13:
      try {
        jobs::cancel_after(brief(input), [&] { world.event.wait(); });
      } catch (const jobs::Cancelled&) {
      }
      break;
    case 14:
      if (input.below(4) == 0) throw Thrown();
      jobs::this_fiber::sleep_for(brief(input));
      break;
    default:
      jobs::yield();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static jobs::Scheduler scheduler({.worker_count = 2});
  constexpr std::size_t kMostFibers = 6;
  constexpr std::size_t kBytesEach = 48;
  Input input({data, size});
  World world;
  scheduler.run([&] {
    const std::size_t count = 1 + input.below(kMostFibers);
    std::vector<std::string> scripts;
    for (std::size_t i = 0; i < count; ++i) scripts.push_back(input.text(kBytesEach));
    std::vector<jobs::Fiber<>> fibers;
    for (const std::string& script : scripts) {
      fibers.emplace_back([&world, &script] {
        Input steps({reinterpret_cast<const std::uint8_t*>(script.data()), script.size()});
        while (!steps.is_used_up()) step(world, steps);
      });
    }
    for (auto& fiber : fibers) {
      if (input.below(8) == 1) fiber.request_stop();
    }
    for (auto& fiber : fibers) {
      try {
        fiber.join();
      } catch (const Thrown&) {
      } catch (const jobs::Cancelled&) {
      }
    }
    world.spawned.wait();
  });
  expect(world.jobs_ran == world.jobs_expected, "a job did not run once");
  expect(world.guarded == world.locked, "two held a mutex");
  expect(world.permits.try_acquire() && world.permits.try_acquire() && !world.permits.try_acquire(),
         "a permit was lost, or made");
  while (world.channel.try_pop()) ++world.received;
  expect(world.sent == world.received, "an item was lost, or made");
  return 0;
}
