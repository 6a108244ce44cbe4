// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs and Idle: no worker sleeps while a job of any priority waits that it may take now, and
// no more workers run background jobs than have turns. The models run jobs that only SharedJobs
// holds. A model ends only if no wake-up is lost.
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/worker/shared_jobs.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Idle;
using detail::Job;
using detail::SharedJobs;

// The smallest host of a Parker; no fibers are involved.
class NoFibers final : public detail::FiberHost {
 public:
  void arm(detail::Deadline&) noexcept override {}
  void disarm(detail::Deadline&) noexcept override {}
  void post(detail::Wakeup&) noexcept override {}
  const char* describe() const noexcept override { return "worker"; }

 private:
  void switch_away() noexcept override {}
};

struct Entry : Job {
  Entry() : Job([](Job&) {}) {}
  Priority priority = Priority::kNormal;
  Atomic<bool> begun{false};
  bool ran = false;
};

struct Worker {
  NoFibers host;
  detail::Parker parker{host};
  detail::Wakeup stop{nullptr};  // a message to the host, sent when all jobs have run
  bool has_turn = false;
};

class Machine {
 public:
  // `max_background`: as for SharedJobs. `first_off_main`: 1 if worker 0 is the bound thread.
  Machine(unsigned workers, std::size_t jobs, unsigned max_background = 0,
          unsigned first_off_main = 0)
      : first_off_main_(first_off_main),
        max_background_(max_background),
        queues_(max_background),
        job_count_(jobs),
        left_(jobs) {
    for (unsigned i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<Worker>());
      parkers_.push_back(&workers_.back()->parker);
    }
    idle_ = std::make_unique<Idle>(parkers_.data(), workers);
  }

  std::function<void(std::size_t)> run_job = [](std::size_t) {};

  // As Shared::resubmit_with_options().
  void push(std::size_t job, Priority priority, bool not_main = false) {
    jobs_[job].priority = priority;
    queues_.push_with(jobs_[job], not_main, priority);
    idle_->published_outside(not_main ? first_off_main_ : 0);
  }

  // Waits until the job has begun. Runs no other job meanwhile.
  void until_begun(std::size_t job) {
    while (!jobs_[job].begun.load(std::memory_order_relaxed)) detail::cpu_relax();
  }

  // As a worker that has begun a background job before, and now runs other jobs.
  void begin_turn() { check(queues_.begin_background(), "a turn is free"); }
  void end_turn() {
    if (queues_.end_background()) idle_->published_outside();
  }

  // The loop of a worker, until all jobs have run.
  void serve(unsigned index) {
    Worker& self = *workers_[index];
    [[maybe_unused]] bool may_spin = idle_->start_searching();
    while (true) {
      if (Entry* const job = take_next(index)) {
        found_work(index);
        run(index, *job);
        may_spin = idle_->start_searching();
        continue;
      }
      self.parker.drain();
      if (stopping_.load(std::memory_order_acquire)) break;
      const auto woken = idle_->park(
          index, os::kNever, Idle::StandBy::kNever, [this, index] { return visible(index); },
          [] { return os::Nanoseconds{0}; });
      if (woken != Idle::Woken::kByMessage) continue;
      self.parker.drain();
      may_spin = idle_->start_searching();
    }
    found_work(index);
  }

  void finish() {
    for (std::size_t i = 0; i < job_count_; ++i) check(jobs_[i].ran, "every job has run");
    for (const Priority priority : {Priority::kNormal, Priority::kLow, Priority::kBackground})
      check(!queues_.has(priority, true), "no job is left");
    if (max_background_ == 0) return;
    for (unsigned i = 0; i < max_background_; ++i)
      check(queues_.begin_background(), "each turn is free again");
    check(!queues_.begin_background(), "there are no more turns than before");
  }

 private:
  Idle::Visible visible(unsigned index) const { return queues_.visible(index >= first_off_main_); }
  void found_work(unsigned index) {
    idle_->found_work([this, index] { return visible(index) != Idle::Visible::kNothing; });
  }

  // As Worker::take_fairly().
  Entry* take_next(unsigned index) {
    Worker& self = *workers_[index];
    auto* const job = static_cast<Entry*>(take(index));
    if (self.has_turn && (job == nullptr || job->priority != Priority::kBackground)) {
      self.has_turn = false;
      end_turn();
    }
    return job;
  }
  Job* take(unsigned index) {
    const bool not_main = index >= first_off_main_;
    for (const Priority priority : {Priority::kNormal, Priority::kLow}) {
      if (Job* const job = queues_.take(priority, not_main)) return job;
    }
    // As Worker::take_background().
    Worker& self = *workers_[index];
    if (max_background_ != 0 && !self.has_turn) {
      if (!queues_.begin_background()) return nullptr;
      self.has_turn = true;
    }
    return queues_.take(Priority::kBackground, not_main);
  }
  void run(unsigned index, Entry& job) {
    check(!std::exchange(job.ran, true), "no job runs twice");
    job.begun.store(true, std::memory_order_relaxed);
    const bool is_limited = max_background_ != 0 && job.priority == Priority::kBackground;
    if (is_limited) {
      check(running_.fetch_add(1, std::memory_order_relaxed) < max_background_,
            "no more background jobs run than workers have turns");
      if (max_background_ == 1) ran_with_turn_ = ran_with_turn_ + 1;
    }
    run_job(static_cast<std::size_t>(&job - jobs_.data()));
    if (is_limited) running_.fetch_sub(1, std::memory_order_relaxed);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    stopping_.store(true, std::memory_order_release);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (i != index) workers_[i]->parker.inbox.push(workers_[i]->stop);
    }
  }

  const unsigned first_off_main_;
  const unsigned max_background_;
  SharedJobs queues_;
  const std::size_t job_count_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<detail::Parker*> parkers_;
  std::unique_ptr<Idle> idle_;
  std::array<Entry, 3> jobs_;
  Atomic<unsigned> running_{0};
  detail::Plain<int> ran_with_turn_{0};  // only if one turn exists
  Atomic<std::size_t> left_;
  Atomic<bool> stopping_{false};
};

void low_job() {
  Machine machine(1, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.push(0, Priority::kLow); });
  machine.finish();
}

// No other worker exists, so it must not be left to others.
void low_job_of_a_lone_bound_thread() {
  Machine machine(1, 1, 0, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.push(0, Priority::kLow); });
  machine.finish();
}

void background_job() {
  Machine machine(1, 1, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.push(0, Priority::kBackground); });
  machine.finish();
}

// The bound thread may be the last searcher: it must pass on a job that it may not take.
void low_job_off_main() {
  Machine machine(2, 1, 0, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push(0, Priority::kLow, true); });
  machine.finish();
}

void one_turn_for_two_jobs() {
  Machine machine(2, 2, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] {
                machine.push(0, Priority::kBackground);
                machine.push(1, Priority::kBackground);
              });
  machine.finish();
}

// The second worker may sleep because no turn is free. When the first worker ends its turn and
// takes the normal job, the second one must run the other background job.
void normal_job_waits_for_a_background_job() {
  Machine machine(2, 3, 1);
  machine.run_job = [&](std::size_t job) {
    if (job == 2) machine.until_begun(1);
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] {
                machine.push(0, Priority::kBackground);
                machine.push(1, Priority::kBackground);
              },
              [&] { machine.push(2, Priority::kNormal); });
  machine.finish();
}

// The worker sleeps if it does not see the free turn. Then the thread that has ended the turn must
// see the job.
void turn_ends_while_a_job_is_pushed() {
  Machine machine(1, 1, 1);
  machine.begin_turn();
  run_threads([&] { machine.serve(0); }, [&] { machine.end_turn(); },
              [&] { machine.push(0, Priority::kBackground); });
  machine.finish();
}

}  // namespace

const Subject& subject() {
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Subject sleep = {
      .headers = {"jobs/runtime/worker/shared_jobs.hpp"},
      .not_shown = {{"kEndSample", "shown by shared_jobs_models.cpp"},
                    {"kBeginSample", "shown by shared_jobs_models.cpp"}},
      .models =
          {
              {"low_job", low_job, {.preemptions = 2}},
              {"low_job_of_a_lone_bound_thread",
               low_job_of_a_lone_bound_thread,
               {.preemptions = 2}},
              {"background_job", background_job, {.preemptions = 2}},
              {"low_job_off_main", low_job_off_main, {.preemptions = 1}},
              {"one_turn_for_two_jobs", one_turn_for_two_jobs, kSampled},
              {"normal_job_waits_for_a_background_job", normal_job_waits_for_a_background_job,
               kSampled},
              {"turn_ends_while_a_job_is_pushed",
               turn_ends_while_a_job_is_pushed,
               {.preemptions = 1, .membarrier = Membarrier::kRefused}},
          },
  };
  return sleep;
}

}  // namespace jobs::model
