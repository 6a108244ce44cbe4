// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A scheduler for models: the shipping worker contexts, participant slots, parking protocol and
// Quiescence, and workers that search, park and run jobs, but have no fibers. Programs that put
// this folder first in their include path use it instead of shared.hpp, worker.hpp and
// block_pools.hpp of jobs/runtime. Each member function of Shared that the shipping class has, too,
// has the same text there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/injector.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/worker/lineage.hpp"
#include "jobs/runtime/worker/participant_slots.hpp"
#include "jobs/runtime/worker/quiescence.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "tests/model/explorer/explore.hpp"
#include "tests/support/parked_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Worker {
 public:
  Worker(Shared& shared, Idle& idle) : context_(shared, idle, this, true) {}

  static Worker& of(Shared& shared, unsigned index) noexcept;
  WorkerContext& context() noexcept { return context_; }
  // The job of a worker may serve a wait only after this call: a model has few atomics.
  void keep_lineage() { present_ = std::make_unique<Present>(); }
  static constexpr std::uint64_t kNotServed = ~std::uint64_t{0};
  std::uint64_t serves_in_epoch(const void* wait) const noexcept {
    if (wait == nullptr || present_ == nullptr) return kNotServed;
    const std::uint64_t now = epoch();
    return present_->lineage.wait(now) == wait ? now : kNotServed;
  }
  void serve(const void* wait) noexcept {
    if (present_ != nullptr) present_->lineage.set(wait, epoch());
  }
  // As the start of another job, which serves no wait until serve().
  void begin_job() noexcept { present_->epoch.store(epoch() + 1, std::memory_order_relaxed); }
  void yield_to_critical() noexcept {}
  void yield_to_high() noexcept {}

 private:
  struct Present {
    Lineage lineage;
    Atomic<std::uint64_t> epoch{0};
  };
  std::uint64_t epoch() const noexcept { return present_->epoch.load(std::memory_order_relaxed); }

  WorkerContext context_;
  std::unique_ptr<Present> present_;
};

class Shared {
 public:
  // `workers` workers, which run `jobs` jobs. Without workers, one Parker serves the Idle. With two
  // workers there are no external participants: a model has few atomics.
  Shared(unsigned workers, std::size_t jobs) : left_(jobs) {
    for (unsigned i = 0; i < std::max(workers, 1u); ++i) {
      hosts_.push_back(std::make_unique<Host>());
      parkers_.push_back(&hosts_.back()->parker);
    }
    idle_ = std::make_unique<Idle>(parkers_.data(), std::max(workers, 1u));
    for (unsigned i = 0; i < workers; ++i)
      workers_.push_back(std::make_unique<Worker>(*this, *idle_));
    if (workers < 2) outside_.emplace();
  }

  unsigned worker_count() const noexcept { return static_cast<unsigned>(workers_.size()); }
  Worker& worker(unsigned index) noexcept { return *workers_[index]; }
  Idle& idle() noexcept { return *idle_; }
  ParticipantSlots& participants() noexcept { return outside_->participants; }
  Quiescence& quiescence() noexcept { return outside_->quiescence; }

  // --- for the worker contexts ---
  struct Critical {
    const Atomic<std::uint32_t>& critical() const noexcept { return count; }
    Atomic<std::uint32_t> count{0};
  };
  Critical& shared_jobs() noexcept { return critical_; }
  void move_new_threads() noexcept {}
  using RunPushed = void (*)(Worker&) noexcept;
  RunPushed run_pushed() const noexcept { return nullptr; }
  void resubmit(Job& job) noexcept { push_outside(job); }
  struct Forced {
    bool force_if_due(WorkerContext& victim, os::Nanoseconds&) noexcept {
      victim.force_publish();
      return true;
    }
  };
  Forced forced_publication() noexcept { return {}; }

  // --- external participants ---
  bool is_in_blocking_call() const noexcept { return this_thread().blocking_for == this; }
  void before_park() noexcept {}  // the models of quiescence have it
  WorkerContext* enter_participant() {
    // throws in the shipping class
    if (!outside_->quiescence.is_open() && !is_in_blocking_call()) return nullptr;
    WorkerContext* const context =
        outside_->participants.enter(*this, *idle_, outside_->quiescence);
    if (context == nullptr) return nullptr;
    idle_->take_seat();
    this_thread().context = context;
    return context;
  }
  void leave_participant(WorkerContext& context) noexcept {
    this_thread().context = nullptr;
    return_seat(context);
    outside_->participants.leave(context);
  }
  void take_seat() noexcept { idle_->take_seat(); }
  void return_seat(const WorkerContext& participant) noexcept {
    idle_->return_seat(
        !participant.looks_empty(), [this] { return may_other_push(); },
        [this] { return is_work_visible(); });
  }

  // --- workers ---
  void push_outside(Job& job) noexcept {
    injector_.push(job);
    idle_->published_outside();
  }
  Job* pop_outside() noexcept { return injector_.pop(); }
  // The loop of a worker, until all jobs have run.
  void serve(unsigned index) {
    this_thread().context = &workers_[index]->context();
    Parker& parker = hosts_[index]->parker;
    [[maybe_unused]] bool eager = idle_->start_searching();
    for (;;) {
      if (Job* const job = take(index)) {
        idle_->found_work(index, [this] { return is_work_visible(); });
        run(index, *job);
        eager = idle_->start_searching();
        continue;
      }
      parker.drain();
      if (stopping_.load(std::memory_order_acquire)) break;
      const auto woken = idle_->park(
          index, os::kNever, Idle::StandBy::kNever,
          [this] { return is_work_visible() ? Idle::Visible::kJobs : Idle::Visible::kNothing; },
          [] { return os::Nanoseconds{0}; }, [] { return true; });
      if (woken == Idle::Woken::kByMessage) {
        parker.drain();
        eager = idle_->start_searching();
      }
    }
    idle_->found_work(index, [this] { return is_work_visible(); });
    this_thread().context = nullptr;
  }
  // Runs a job on worker `index`, or on a participant (kOutside). The last job ends the loops of
  // the workers.
  static constexpr unsigned kOutside = ~0u;
  void run(unsigned index, Job& job) {
    job.run();
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    stopping_.store(true, std::memory_order_release);
    for (unsigned i = 0; i < worker_count(); ++i) {
      if (i != index) hosts_[i]->parker.inbox.push(hosts_[i]->stop);
    }
  }

 private:
  struct Host : test::ParkedHost {
    Wakeup stop{nullptr};
  };

  bool is_work_visible() const noexcept {
    if (!injector_.looks_empty()) return true;
    for (const auto& worker : workers_) {
      if (!worker->context().looks_empty()) return true;
    }
    return outside_ && outside_->participants.any_of(
                           [](const WorkerContext& context) { return !context.looks_empty(); });
  }
  bool may_other_push() const noexcept {
    for (unsigned i = 0; i < workers_.size(); ++i) {
      if (!idle_->is_parked(i)) return true;
    }
    return outside_->participants.has_taken(2);
  }

  static Job* steal(WorkerContext& victim) noexcept {
    if (victim.looks_empty()) return nullptr;
    auto stolen = victim.steal();
    while (stolen.status == StealStatus::kLost || stolen.status == StealStatus::kPrivate) {
      if (stolen.status == StealStatus::kPrivate) victim.force_publish();
      stolen = victim.steal();
    }
    return stolen.item;
  }
  Job* take(unsigned index) noexcept {
    if (Job* const job = workers_[index]->context().pop()) return job;
    if (Job* const job = injector_.pop()) return job;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      if (Job* const job = steal(workers_[(index + i) % workers_.size()]->context())) return job;
    }
    Job* job = nullptr;
    if (!outside_) return nullptr;
    outside_->participants.any_of([&job](WorkerContext& context) {
      job = steal(context);
      return job != nullptr;
    });
    return job;
  }

  Critical critical_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<Parker*> parkers_;
  std::unique_ptr<Idle> idle_;
  std::vector<std::unique_ptr<Worker>> workers_;
  struct Outside {
    ParticipantSlots participants;
    Quiescence quiescence;
  };
  std::optional<Outside> outside_;
  Atomic<std::uint32_t> filled_{0};
  Injector<Job> injector_{filled_};
  Atomic<std::size_t> left_;
  Atomic<bool> stopping_{false};
};

inline Worker& Worker::of(Shared& shared, unsigned index) noexcept { return shared.worker(index); }

}  // namespace jobs::inline JOBS_ABI::detail
