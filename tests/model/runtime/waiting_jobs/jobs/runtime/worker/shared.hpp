// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A scheduler for models of dependent jobs and of tasks: workers that run their own pushes and the
// jobs from outside, until a number of jobs has ended. Programs that put this folder first in their
// include path use it instead of default_scheduler.hpp, worker_context.hpp and shared.hpp of
// jobs/runtime. The folder has a stand-in for diagnostics/waiting_tasks.hpp, too.
//
// A worker keeps one deadline, and one affine job that has not begun. An armed deadline passes at
// any time, and at the latest when the worker has no job.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <functional>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/spawn_options.hpp"
#include "tests/model/explorer/explore.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// Keeps a deadline of a worker.
class Worker final : public FiberHost {
 public:
  unsigned index() const noexcept { return index_; }
  void set_index(unsigned index) noexcept { index_ = index; }
  bool has_deadline() const noexcept { return armed_ != nullptr; }
  void pass_deadline() noexcept {
    auto& call = static_cast<CallAtDeadline&>(*armed_);
    disarm(call);
    call.call(call);
  }

 private:
  void arm(Deadline& deadline) noexcept override {
    model::check(armed_ == nullptr, "one deadline at a time");
    armed_ = &deadline;
    deadline.armed = true;
  }
  void disarm(Deadline& deadline) noexcept override {
    armed_ = nullptr;
    deadline.armed = false;
  }
  void post(Wakeup& /*wakeup*/) noexcept override {}
  const char* describe() const noexcept override { return "worker"; }
  void switch_away() noexcept override {}

  Deadline* armed_ = nullptr;
  unsigned index_ = 0;
};

class WorkerContext : public ThreadContext {
 public:
  WorkerContext() = default;

  Worker* worker() noexcept { return &worker_; }
  bool is_external() const noexcept { return false; }

  Shared& shared() const noexcept { return *scheduler; }

  // Runs next on this worker.
  void push(Job& job) {
    job.next = top_;
    top_ = &job;
  }
  Job* pop() {
    Job* const job = top_;
    if (job != nullptr) top_ = job->next;
    return job;
  }

  struct {
    void add(int) noexcept {
      if (count != nullptr) count->fetch_sub(1, std::memory_order_relaxed);
    }
    Atomic<int>* count = nullptr;
  } spawned;
  struct {
    void add(int) noexcept { count->fetch_add(1, std::memory_order_acq_rel); }
    Atomic<int>* count = nullptr;
  } finished;
  Shared* scheduler = nullptr;

 private:
  Plain<Job*> top_{nullptr};
  Worker worker_;
};

// The context of the calling thread.
inline WorkerContext* this_context() noexcept {
  return static_cast<WorkerContext*>(this_thread().context);
}

class Shared {
 public:
  struct Options {
    std::function<void(std::exception_ptr)> on_unhandled;
  };

  // `jobs`: the workers end when this number of jobs has ended. `counts_spawned`: beside those that
  // workers spawn.
  explicit Shared(int jobs, bool counts_spawned = false) : jobs_(jobs) {
    for (WorkerContext& context : contexts_) {
      if (counts_spawned) context.spawned.count = &finished_;
      context.finished.count = &finished_;
      context.scheduler = this;
    }
    contexts_[1].worker()->set_index(1);
    current = this;
  }

  bool is_own_worker() const noexcept { return this_thread().context != nullptr; }
  void admit() noexcept {}
  bool records_jobs() const noexcept { return records; }
  void submit(Job& job) noexcept { resubmit(job); }
  // As that of the scheduler, it accesses this object after the job is visible.
  void resubmit(Job& job) noexcept {
    outside_[slots_.fetch_add(1, std::memory_order_relaxed)].store(&job, std::memory_order_release);
    static_cast<void>(finished_.load(std::memory_order_relaxed));
  }
  void resubmit_with_options(Job& job, JobMessage& /*message*/,
                             const SpawnOptions& options) noexcept {
    Job* const before = affine_[options.on.index].exchange(&job, std::memory_order_acq_rel);
    model::check(before == nullptr, "one affine job at a time");
    static_cast<void>(finished_.load(std::memory_order_relaxed));
  }
  const Options& options() const noexcept { return options_; }
  [[noreturn]] static void terminate_unhandled(const std::exception_ptr&) noexcept {
    model::fail("no wait has received the exception");
    std::terminate();
  }

  // The loop of worker `index`. Worker 0 takes the jobs from outside.
  void serve(std::size_t index) {
    WorkerContext& context = contexts_[index];
    this_thread().context = &context;
    Worker& worker = *context.worker();
    this_thread().host = &worker;
    while (!has_ended()) {
      Job* job = context.pop();
      if (job == nullptr && affine_[index].load(std::memory_order_relaxed) != nullptr)
        job = affine_[index].exchange(nullptr, std::memory_order_acquire);
      for (std::size_t i = 0; index == 0 && job == nullptr && i < outside_.size(); ++i) {
        if (outside_[i].load(std::memory_order_relaxed) != nullptr)
          job = outside_[i].exchange(nullptr, std::memory_order_acquire);
      }
      const bool passes = worker.has_deadline() && (job == nullptr || model::choose(2) == 1);
      if (passes) worker.pass_deadline();
      if (job != nullptr) {
        job->run();
      } else if (!passes) {
        cpu_relax();
      }
    }
    model::check(!worker.has_deadline(), "no deadline is armed after the last job");
  }
  // For a job that a worker is to run first.
  WorkerContext& context(std::size_t index) { return contexts_[index]; }
  bool has_ended() const noexcept { return finished_.load(std::memory_order_acquire) == jobs_; }

  static inline Shared* current = nullptr;
  // Whether waits of tasks are listed for reports.
  bool records = false;

 private:
  const int jobs_;
  const Options options_;
  std::array<WorkerContext, 2> contexts_;
  std::array<Atomic<Job*>, 4> outside_;
  std::array<Atomic<Job*>, 2> affine_;
  Atomic<std::size_t> slots_{0};
  Atomic<int> finished_{0};
};

inline Shared& current_shared() { return *Shared::current; }

}  // namespace jobs::inline JOBS_ABI::detail
