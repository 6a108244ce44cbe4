// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Schedulers for models of graphs: workers that own nothing but their deques. The workers of one
// scheduler steal from each other; no job changes its scheduler. Programs that put this folder
// first in their include path use it instead of default_scheduler.hpp, worker.hpp,
// worker_context.hpp, shared.hpp and submit.hpp of jobs/runtime. No model has external participants
// or nodes with places.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/counters.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/chase_lev_deque.hpp"
#include "jobs/queue/injector.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/spawn_options.hpp"
#include "tests/model/explorer/explore.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

class Worker {
 public:
  bool has_other_work() const noexcept { return false; }
  unsigned index() const noexcept { return 0; }
};

class WorkerContext : public ThreadContext {
 public:
  explicit WorkerContext(Shared& shared) : shared_(shared) {}

  void push(Job& job) { deque_.push(&job); }
  bool pop_if(Job& job) noexcept { return deque_.pop_if(&job); }
  Job* pop() noexcept { return deque_.looks_empty() ? nullptr : deque_.pop(); }
  Job* steal() noexcept { return deque_.steal().item; }
  bool looks_empty() const noexcept { return deque_.looks_empty(); }
  bool should_split() const noexcept { return looks_empty(); }
  Shared& shared() const noexcept { return shared_; }
  const Worker* worker() const noexcept { return &worker_; }
  bool is_external() const noexcept { return false; }
  void serve(const void*) noexcept {}

  SingleWriterCounter finished;

 private:
  Shared& shared_;
  ChaseLevDeque<Job, std::int8_t, 2> deque_{OwnerBarrier::kAlways};
  Worker worker_;
};

inline WorkerContext* this_context() noexcept {
  return static_cast<WorkerContext*>(this_thread().context);
}

class Shared {
 public:
  explicit Shared(unsigned workers) {
    for (unsigned i = 0; i < workers; ++i)
      contexts_.push_back(std::make_unique<WorkerContext>(*this));
  }

  // Counts the run as submitted.
  void submit(Job& job) noexcept {
    submitted_.fetch_add(1, std::memory_order_seq_cst);
    resubmit(job);
  }
  void resubmit(Job& job) noexcept { injector_.push(job); }
  void admit() noexcept { model::fail("no model has external participants"); }
  void submit_with_options(Job&, JobMessage&, const SpawnOptions&) noexcept {
    model::fail("no node has a place");
  }
  void resubmit_with_options(Job&, JobMessage&, const SpawnOptions&) noexcept {
    model::fail("no node has a place");
  }
  void check_place(const Place&) const noexcept {}
  bool is_at(const Place&, const Worker&) const noexcept { return true; }

  // Makes the calling thread worker `index`. It runs jobs until the scheduler has ended.
  void serve(std::size_t index) {
    this_thread().context = contexts_[index].get();
    while (!has_ended_.load(std::memory_order_acquire)) {
      if (Job* const job = take(index)) {
        job->run();
      } else {
        cpu_relax();
      }
    }
    this_thread().context = nullptr;
  }
  // Waits as a shutdown does: until all submitted runs have ended. Then the workers leave.
  void drain() noexcept {
    while (!is_quiescent()) cpu_relax();
    has_ended_.store(true, std::memory_order_release);
  }
  bool looks_empty() const noexcept {
    for (const auto& context : contexts_) {
      if (!context->looks_empty()) return false;
    }
    return injector_.looks_empty();
  }

 private:
  bool is_quiescent() const noexcept {
    std::uint64_t finished = 0;
    for (const auto& context : contexts_) finished += context->finished.read();
    return finished == submitted_.load(std::memory_order_seq_cst);
  }
  Job* take(std::size_t index) noexcept {
    if (Job* const job = contexts_[index]->pop()) return job;
    if (Job* const job = injector_.pop()) return job;
    for (std::size_t i = 1; i < contexts_.size(); ++i) {
      if (Job* const job = contexts_[(index + i) % contexts_.size()]->steal()) return job;
    }
    return nullptr;
  }

  std::vector<std::unique_ptr<WorkerContext>> contexts_;
  Atomic<std::uint32_t> filled_{0};
  Injector<Job> injector_{filled_};
  Atomic<std::uint64_t> submitted_{0};
  Atomic<bool> has_ended_{false};
};

// The scheduler on which the body of a model starts runs.
inline Shared* current_scheduler = nullptr;  // NOLINT: a model runs on one thread of the system
inline Shared& current_shared() { return *current_scheduler; }
inline Shared& default_shared() { return *current_scheduler; }
inline void submit(Shared& shared, Job& job) { shared.submit(job); }
template <class F>
auto run_and_wait(Shared&, F&& function) {
  return function();
}

}  // namespace jobs::inline JOBS_ABI::detail
