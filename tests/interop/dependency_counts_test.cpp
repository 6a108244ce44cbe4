// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An adapter for engines whose job interface counts dependencies: the engine creates a job together
// with the number of its dependencies, adds and removes dependencies by number, and waits for the
// jobs of a barrier. The interface below is a stand-in of that kind; JobHandle has each of its
// operations.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "jobs/scheduler.hpp"
#include "jobs/spawn_after.hpp"
#include "jobs/sync/spin_lock.hpp"
#include "tests/support/with_workers.hpp"

namespace {

// --- the engine's interface ----------------------------------------------------------------------

namespace engine {

class Job {
 public:
  virtual ~Job() = default;
  virtual void add_dependency(int count) = 0;
  virtual void remove_dependency(int count) = 0;
  virtual bool is_done() const = 0;
};
using JobPointer = std::shared_ptr<Job>;

class Barrier {
 public:
  virtual ~Barrier() = default;
  virtual void add(const JobPointer& job) = 0;
};

class JobSystem {
 public:
  virtual ~JobSystem() = default;
  virtual int max_concurrency() const = 0;
  // Starts when the count is zero. A running job may create jobs and remove dependencies.
  virtual JobPointer create_job(std::function<void()> function, int dependencies) = 0;
  virtual std::unique_ptr<Barrier> create_barrier() = 0;
  // Waits for all jobs of the barrier, also for those that its jobs add.
  virtual void wait_for(Barrier& barrier) = 0;
};

}  // namespace engine

// --- the adapter ---------------------------------------------------------------------------------

class AdapterJob final : public engine::Job {
 public:
  explicit AdapterJob(jobs::JobHandle handle) : handle_(std::move(handle)) {}
  void add_dependency(int count) override {
    handle_.add_dependency(static_cast<std::size_t>(count));
  }
  void remove_dependency(int count) override {
    handle_.remove_dependency(static_cast<std::size_t>(count));
  }
  bool is_done() const override { return handle_.is_done(); }
  const jobs::JobHandle& handle() const { return handle_; }

 private:
  const jobs::JobHandle handle_;
};

class AdapterBarrier final : public engine::Barrier {
 public:
  void add(const engine::JobPointer& job) override {
    const std::scoped_lock lock(lock_);
    jobs_.push_back(static_cast<const AdapterJob&>(*job).handle());
  }
  void wait() {
    while (const jobs::JobHandle job = take()) job.wait();
  }

 private:
  jobs::JobHandle take() {
    const std::scoped_lock lock(lock_);
    if (jobs_.empty()) return {};
    jobs::JobHandle last = std::move(jobs_.back());
    jobs_.pop_back();
    return last;
  }

  jobs::SpinLock lock_;
  std::vector<jobs::JobHandle> jobs_;
};

class Adapter final : public engine::JobSystem {
 public:
  int max_concurrency() const override { return static_cast<int>(jobs::worker_count()) + 1; }
  engine::JobPointer create_job(std::function<void()> function, int dependencies) override {
    return std::make_shared<AdapterJob>(jobs::spawn_after(
        jobs::DependencyCount{static_cast<std::size_t>(dependencies)}, std::move(function)));
  }
  std::unique_ptr<engine::Barrier> create_barrier() override {
    return std::make_unique<AdapterBarrier>();
  }
  void wait_for(engine::Barrier& barrier) override { static_cast<AdapterBarrier&>(barrier).wait(); }
};

// --- what an engine does with it -----------------------------------------------------------------

class DependencyCounts : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(DependencyCounts);

// A step of a world: jobs that find collisions, one job that builds islands after them, jobs per
// island that the latter creates, and a last job whose count is raised meanwhile.
TEST_P(DependencyCounts, RunTheStepsOfAWorld) {
  run([] {
    Adapter system;
    for (int step = 0; step < 50; ++step) {
      constexpr int kParts = 6, kIslands = 5;
      std::array<int, kParts> contacts{};
      std::array<int, kIslands> islands{};
      int bodies = 0;
      const std::unique_ptr<engine::Barrier> barrier = system.create_barrier();
      const engine::JobPointer finish = system.create_job(
          [&] {
            for (const int island : islands) bodies += island;
          },
          1);
      const engine::JobPointer build = system.create_job(
          [&] {
            int sum = 0;
            for (const int count : contacts) sum += count;
            EXPECT_EQ(sum, kParts);
            finish->add_dependency(kIslands);
            for (int& island : islands) {
              barrier->add(system.create_job(
                  [&island, finish] {
                    island = 2;
                    finish->remove_dependency(1);
                  },
                  0));
            }
            finish->remove_dependency(1);
          },
          kParts);
      barrier->add(finish);
      barrier->add(build);
      for (int& count : contacts) {
        barrier->add(system.create_job(
            [&count, build] {
              count = 1;
              build->remove_dependency(1);
            },
            0));
      }
      system.wait_for(*barrier);
      EXPECT_TRUE(build->is_done() && finish->is_done());
      EXPECT_EQ(bodies, 2 * kIslands);
    }
  });
}

}  // namespace
