// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter for an engine whose jobs have dependency counts (job_system.hpp). The program
// dependency_counts.cpp and the test of the same name use it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "samples/adapters/job_system.hpp"

namespace adapters {

class CountedJob final : public engine::Job {
 public:
  CountedJob(std::function<void()> function, unsigned dependencies)
      : job_(jobs::spawn_after(jobs::DependencyCount{dependencies}, std::move(function))) {}

  void add_dependency(unsigned count) override { job_.add_dependency(count); }
  void remove_dependency(unsigned count) override { job_.remove_dependency(count); }
  bool is_done() const override { return job_.is_done(); }
  void wait() const { job_.wait(); }

 private:
  jobs::JobHandle job_;
};

class JobBarrier final : public engine::Barrier {
 public:
  void add(engine::JobHandle job) override {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  // A running job adds jobs before it ends, so the list is complete after the last wait.
  void wait() override {
    while (const engine::JobHandle job = take()) static_cast<CountedJob&>(*job).wait();
  }

 private:
  engine::JobHandle take() {
    const std::scoped_lock lock(mutex_);
    if (jobs_.empty()) return nullptr;
    engine::JobHandle job = std::move(jobs_.back());
    jobs_.pop_back();
    return job;
  }

  jobs::Mutex mutex_;
  std::vector<engine::JobHandle> jobs_;
};

class JobSystem final : public engine::JobSystem {
 public:
  unsigned max_concurrency() const override { return jobs::worker_count(); }
  engine::JobHandle create(std::function<void()> function, unsigned dependencies) override {
    return std::make_shared<CountedJob>(std::move(function), dependencies);
  }
  std::unique_ptr<engine::Barrier> make_barrier() override {
    return std::make_unique<JobBarrier>();
  }
};

}  // namespace adapters
