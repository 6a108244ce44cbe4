// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A scheduler for models: two workers that own nothing but their deques, and search for jobs until
// the end is announced. Programs that put this folder first in their include path use it instead of
// default_scheduler.hpp, external_participant.hpp, worker_context.hpp, shared.hpp and submit.hpp of
// jobs/runtime. Blocks come from the heap, so that no address is used twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/chase_lev_deque.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/job/loop_costs.hpp"
#include "tests/model/explorer/explore.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Worker {
 public:
  bool has_other_work() const noexcept { return false; }
};

struct HeapBlocks {
  static constexpr std::size_t kSize = 512;

  HeapBlocks& of(std::size_t) noexcept { return *this; }
  void* allocate() { return ::operator new(kSize); }
};

inline void trace_chunk(const void*, std::uint64_t, bool) noexcept {}

class WorkerContext : public ThreadContext {
 public:
  explicit WorkerContext(const ParticipantActions* actions = nullptr) : ThreadContext(actions) {}

  void push(Job& job) { deque_.push(&job); }
  bool pop_if(Job& job) noexcept { return deque_.pop_if(&job); }
  Job* pop() noexcept { return deque_.looks_empty() ? nullptr : deque_.pop(); }
  Job* steal() noexcept { return deque_.steal().item; }
  bool looks_empty() const noexcept { return deque_.looks_empty(); }
  // with true, the caller of this function would spin for thieves, which only makes models longer
  bool has_thieves() const noexcept { return false; }
  bool should_split() const noexcept { return looks_empty(); }
  bool has_searching_workers() const noexcept { return true; }
  const Worker* worker() const noexcept { return &worker_; }
  bool is_external() const noexcept { return participant != nullptr; }
  void serve(const void*) noexcept {}
  // No model records a trace.
  bool is_traced() const noexcept { return false; }
  bool run_marked(Job&) noexcept { return false; }

  void free_block(void* memory, std::size_t) noexcept { ::operator delete(memory); }

  HeapBlocks blocks;
  LoopCosts loop_costs;

  struct {
    void add(int) noexcept { is_over.store(true, std::memory_order_relaxed); }
    Atomic<bool> is_over{false};
  } finished;

  // No model has critical jobs.
  struct NoCriticalJobs {
    unsigned load(const auto&) const noexcept { return 0; }
  };
  NoCriticalJobs critical() const noexcept { return {}; }
  void yield_to_critical() noexcept {}
  void yield_to_high() noexcept {}

 private:
  ChaseLevDeque<Job, std::int8_t, 4> deque_{OwnerBarrier::kAlways};
  Worker worker_;
};

// The context of the calling thread.
inline WorkerContext* this_context() noexcept {
  return static_cast<WorkerContext*>(this_thread().context);
}

class Shared {
 public:
  // `worker_count`: the number that the scheduler reports. `has_participant`: a thread that takes
  // part has the deque of worker 1, which has no loop then.
  explicit Shared(unsigned worker_count, bool has_participant = false)
      : worker_count_(worker_count),
        contexts_{{WorkerContext(nullptr), WorkerContext(has_participant ? &kActions : nullptr)}} {
    current = this;
  }

  unsigned worker_count() const noexcept { return worker_count_; }
  WorkerContext* participant() noexcept {
    return contexts_[1].is_external() ? &contexts_[1] : nullptr;
  }
  void admit() noexcept {}
  void submit(Job& job) noexcept { submitted_.store(&job, std::memory_order_release); }
  void resubmit(Job&) noexcept { model::fail("a push to a deque has room"); }

  // The loop of worker `index`.
  void serve(std::size_t index) {
    this_thread().context = &contexts_[index];
    while (Job* const job = wait_for_job(index)) job->run();
  }
  // The loop of worker 0 if it has two fibers. Each fiber is a thread of the model; one of them
  // runs at a time.
  void serve_as_fiber(std::size_t fiber) {
    fibers_[fiber] = model::current_thread();
    while (running_.load(std::memory_order_acquire) != fiber) cpu_relax();
    serve(0);
    has_ended_ = true;
    running_.store(1 - fiber, std::memory_order_release);
  }
  // Called when a call waits. If the worker has another fiber, that fiber runs until it waits or
  // finds no job.
  void wait_in_call() noexcept {
    const std::size_t thread = model::current_thread();
    if (thread != fibers_[0] && thread != fibers_[1]) return;
    in_calls_ += 1;
    switch_fiber(thread);
    in_calls_ -= 1;
  }
  bool is_empty() const noexcept {
    return contexts_[0].looks_empty() && contexts_[1].looks_empty();
  }

  static inline Shared* current = nullptr;

 private:
  // A participant that waits takes the jobs of the worker, which all serve its call.
  static bool help(ThreadContext&, const void*) noexcept {
    Job* const job = current->contexts_[0].steal();
    if (job == nullptr) return false;
    FiberHost* const host = std::exchange(this_thread().host, nullptr);
    job->run();
    this_thread().host = host;
    return true;
  }
  static void hold_seat(ThreadContext&, bool) noexcept {}
  static constexpr ParticipantActions kActions = {.help = &help, .hold_seat = &hold_seat};

  Job* wait_for_job(std::size_t index) noexcept {
    for (;;) {
      if (Job* const job = contexts_[index].pop()) return job;
      if (Job* const job = contexts_[1 - index].steal()) return job;
      if (submitted_.load(std::memory_order_relaxed) != nullptr) {
        if (Job* const job = submitted_.exchange(nullptr, std::memory_order_acquire)) return job;
      }
      for (const WorkerContext& context : contexts_) {
        if (context.finished.is_over.load(std::memory_order_relaxed)) return nullptr;
      }
      if (index == 0 && in_calls_ != 0) {
        switch_fiber(model::current_thread());
      } else {
        cpu_relax();
      }
    }
  }

  void switch_fiber(std::size_t thread) noexcept {
    if (has_ended_) return;
    const std::size_t self = thread == fibers_[0] ? 0 : 1;
    running_.store(1 - self, std::memory_order_release);
    while (running_.load(std::memory_order_acquire) != self) cpu_relax();
  }

  const unsigned worker_count_;
  std::array<WorkerContext, 2> contexts_;
  Atomic<Job*> submitted_{nullptr};
  Atomic<std::size_t> running_{0};
  std::array<std::size_t, 2> fibers_{};  // the threads of the fibers; 0 is the model's body
  Plain<int> in_calls_{0};               // number of fibers that wait in a call
  Plain<bool> has_ended_{false};         // true after the end of one fiber
};

inline Shared& current_shared() { return *Shared::current; }
inline void submit(Shared& shared, Job& job) { shared.submit(job); }

}  // namespace jobs::inline JOBS_ABI::detail
