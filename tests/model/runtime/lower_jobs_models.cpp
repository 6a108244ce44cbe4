// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs, BackgroundLimit and Idle: a low or a background job that is pushed while workers go
// to sleep runs on a worker that may run it, also if the limit of background jobs was reached. The
// models run the shipping queues, push, last look, limit and idle protocol. A model ends only if no
// wake-up is lost. idle_models.cpp has the models of normal jobs.
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/worker/shared_jobs.hpp"
#include "tests/model/support/models.hpp"
#include "tests/support/parked_host.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Idle;

struct Job : detail::Job {
  Job() : detail::Job([](detail::Job&) {}) {}
  bool is_for_main = true;
  bool ran = false;
};

struct Worker : test::ParkedHost {
  detail::Wakeup stop{nullptr};  // a message to the host, sent when all jobs have run
};

class Machine {
 public:
  // `bound`: worker 0 is the bound thread. `limit`: of background jobs; 0: none.
  Machine(unsigned workers, std::size_t jobs, bool bound = false, std::uint32_t limit = 0)
      : bound_(bound), job_count_(jobs), queues_({.workers = limit}), left_(jobs) {
    for (unsigned i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<Worker>());
      parkers_.push_back(&workers_.back()->parker);
    }
    idle_ = std::make_unique<Idle>(parkers_.data(), workers);
  }

  std::function<void(std::size_t)> run_job = [](std::size_t) {};

  void push(std::size_t job, Priority priority, bool not_main = false) {
    jobs_[job].is_for_main = !not_main;
    queues_.publish_with(jobs_[job], not_main, priority, *idle_);
  }

  // The worker that calls it, in a job, takes this job next, as an affine job.
  void push_own(std::size_t job) { own_job_ = &jobs_[job]; }

  // A worker that is never idle takes the oldest background job, and later runs and ends it.
  void enter_background() {
    background_job_ = queues_.take_background(true, *idle_);
    check(background_job_ != nullptr, "the limit has room");
  }
  void finish_background(unsigned index) {
    run(index, static_cast<Job&>(*background_job_));
    queues_.leave_background();
    queues_.offer_background(*idle_);
  }

  // Waits until `n` jobs wait here. Runs no other job meanwhile.
  void together(int n) {
    together_.fetch_add(1, std::memory_order_relaxed);
    while (together_.load(std::memory_order_relaxed) < n) detail::cpu_relax();
  }

  // The loop of a worker, until all jobs have run.
  void serve(unsigned index) {
    Worker& self = *workers_[index];
    const bool not_main = index != 0 || !bound_;
    const auto look = [this, not_main] { return queues_.look(not_main, [] { return false; }); };
    const auto found_work = [&] {
      idle_->found_work(index, [&] { return look() != Idle::Visible::kNothing; });
    };
    [[maybe_unused]] bool may_spin = idle_->start_searching();
    bool in_background = false;
    while (true) {
      if (detail::Job* job = take_next(not_main, in_background)) {
        found_work();
        if (in_background) begin_background();
        run(index, static_cast<Job&>(*job));
        if (in_background) in_background_.fetch_sub(1, std::memory_order_relaxed);
        // A worker that takes its own job does not search, so it wakes no other worker.
        if (in_background && own_job_ != nullptr) {
          in_background = false;
          queues_.leave_background();
          queues_.offer_background(*idle_);
          run(index, static_cast<Job&>(*std::exchange(own_job_, nullptr)));
        }
        may_spin = idle_->start_searching();
        continue;
      }
      self.parker.drain();
      if (stopping_.load(std::memory_order_acquire)) break;
      const auto woken = idle_->park(
          index, os::kNever, Idle::StandBy::kNever, look, [] { return os::Nanoseconds{0}; },
          [] { return true; });
      if (woken == Idle::Woken::kByMessage) {
        self.parker.drain();
        may_spin = idle_->start_searching();
      }
    }
    found_work();
    check(!self.parker.has_token, "a token is used up by the park that it ends");
  }

  void finish() {
    for (std::size_t i = 0; i < job_count_; ++i) check(jobs_[i].ran, "every job has run");
  }

 private:
  // As Worker::take_after_background(). `in_background`: whether the worker counts in the limit.
  detail::Job* take_next(bool not_main, bool& in_background) {
    const bool leaves = std::exchange(in_background, false);
    if (leaves) queues_.leave_background();
    detail::Job* const job = take(not_main, in_background);
    if (leaves && !in_background) queues_.offer_background(*idle_);
    return job;
  }

  // As Worker::take_or_steal() and Worker::take_lower(), without deques.
  detail::Job* take(bool not_main, bool& in_background) {
    if (detail::Job* const job = queues_.take(not_main)) return job;
    if (!queues_.has_lower()) return nullptr;
    for (const Priority priority : {Priority::kLow, Priority::kBackground}) {
      if (!queues_.waits(priority)) continue;
      const bool limited = priority == Priority::kBackground && queues_.background_limit().is_set();
      detail::Job* const job =
          limited ? queues_.take_background(not_main, *idle_) : queues_.take(priority, not_main);
      if (job == nullptr) continue;
      in_background = limited;
      return job;
    }
    return nullptr;
  }

  void begin_background() {
    const int before = in_background_.fetch_add(1, std::memory_order_relaxed);
    check(before == 0, "no more background jobs at a time than the limit of 1");
  }

  void run(unsigned index, Job& job) {
    check(!std::exchange(job.ran, true), "no job runs twice");
    check(job.is_for_main || index != 0 || !bound_, "the worker may run the job");
    run_job(static_cast<std::size_t>(&job - jobs_.data()));
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    stopping_.store(true, std::memory_order_release);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (i != index) workers_[i]->parker.inbox.push(workers_[i]->stop);
    }
  }

  const bool bound_;
  const std::size_t job_count_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<detail::Parker*> parkers_;
  std::unique_ptr<Idle> idle_;
  detail::SharedJobs queues_;
  std::array<Job, 3> jobs_;
  Atomic<std::size_t> left_;
  Atomic<bool> stopping_{false};
  Atomic<int> together_{0};
  Atomic<int> in_background_{0};
  detail::Job* own_job_ = nullptr;         // of the worker that leaves the limit
  detail::Job* background_job_ = nullptr;  // of the worker that is never idle
};

void push_while_the_worker_parks(Priority priority) {
  Machine machine(1, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.push(0, priority); });
  machine.finish();
}

void low_job_while_the_worker_parks() { push_while_the_worker_parks(Priority::kLow); }
void background_job_while_the_worker_parks() { push_while_the_worker_parks(Priority::kBackground); }

// The queue becomes empty between the two pushes, or it does not.
void two_low_jobs_while_the_worker_parks() {
  Machine machine(1, 2);
  run_threads([&] { machine.serve(0); },
              [&] {
                machine.push(0, Priority::kLow);
                machine.push(1, Priority::kLow);
              });
  machine.finish();
}

void low_job_while_two_workers_park() {
  Machine machine(2, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push(0, Priority::kLow); });
  machine.finish();
}

// The bound thread may see the job last. Then it passes the job on.
void low_job_off_main() {
  Machine machine(2, 1, true);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push(0, Priority::kLow, true); });
  machine.finish();
}

// The worker that finds the first job wakes another worker for the second one.
void two_together(Priority first, Priority second) {
  Machine machine(2, 2);
  machine.run_job = [&](std::size_t) { machine.together(2); };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] {
                machine.push(0, first);
                machine.push(1, second);
              });
  machine.finish();
}

void low_job_waits_for_a_background_job() { two_together(Priority::kLow, Priority::kBackground); }
void normal_job_waits_for_a_low_job() { two_together(Priority::kNormal, Priority::kLow); }

// A job pushes a low job, and needs another worker to run it.
void job_waits_for_its_low_child() {
  Machine machine(2, 2);
  machine.run_job = [&](std::size_t job) {
    if (job == 0) machine.push(1, Priority::kLow);
    machine.together(2);
  };
  machine.push(0, Priority::kNormal);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); });
  machine.finish();
}

void background_jobs_run_one_at_a_time() {
  Machine machine(2, 2, false, 1);
  machine.push(0, Priority::kBackground);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push(1, Priority::kBackground); });
  machine.finish();
}

// The worker that has run the first job continues with a job of its own. That job needs the other
// worker, which may have gone to sleep behind the limit.
void sleeper_behind_the_limit() {
  Machine machine(2, 3, false, 1);
  machine.run_job = [&](std::size_t job) {
    if (job != 0) return machine.together(2);
    machine.push(2, Priority::kBackground);
    machine.push_own(1);
  };
  machine.push(0, Priority::kBackground);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); });
  machine.finish();
}

// A worker leaves the limit, and looks for no further job. The other worker has pushed a background
// job, and goes to sleep. No lock orders the two: each reads what the other one has written.
void sleeper_that_has_pushed_behind_the_limit() {
  Machine machine(2, 2, false, 1);
  machine.push(0, Priority::kBackground);
  machine.enter_background();
  run_threads([&] { machine.finish_background(0); },
              [&] {
                machine.push(1, Priority::kBackground);
                machine.serve(1);
              });
  machine.finish();
}

// As sleeper_behind_the_limit(), and another thread pushes the second background job.
void push_while_a_worker_leaves_the_limit() {
  Machine machine(2, 3, false, 1);
  machine.run_job = [&](std::size_t job) {
    if (job != 0) return machine.together(2);
    machine.push_own(1);
  };
  machine.push(0, Priority::kBackground);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push(2, Priority::kBackground); });
  machine.finish();
}

}  // namespace

const Subject& subject() {
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Subject lower_jobs = {
      // idle_models.cpp and shared_jobs_models.cpp weaken the other orders.
      .headers = {"jobs/runtime/parking/background_limit.hpp"},
      .not_shown = {},
      .models =
          {
              {"low_job_while_the_worker_parks",
               low_job_while_the_worker_parks,
               {.preemptions = 3}},
              {"background_job_while_the_worker_parks",
               background_job_while_the_worker_parks,
               {.preemptions = 3}},
              {"sleeper_that_has_pushed_behind_the_limit",
               sleeper_that_has_pushed_behind_the_limit,
               {.preemptions = 2}},
              {"sleeper_that_has_pushed_by_fences",
               sleeper_that_has_pushed_behind_the_limit,
               {.preemptions = 2, .membarrier = Membarrier::kRefused}},
              {"low_job_by_fences",
               low_job_while_the_worker_parks,
               {.preemptions = 2, .membarrier = Membarrier::kRefused}},
              {"two_low_jobs_while_the_worker_parks",
               two_low_jobs_while_the_worker_parks,
               {.preemptions = 2}},
              {"low_job_while_two_workers_park",
               low_job_while_two_workers_park,
               {.preemptions = 1}},
              {"low_job_off_main", low_job_off_main, {.preemptions = 1}},
              {"job_waits_for_its_low_child", job_waits_for_its_low_child, {.preemptions = 1}},
              {"sleeper_behind_the_limit", sleeper_behind_the_limit, kSampled},
              {"background_jobs_run_one_at_a_time", background_jobs_run_one_at_a_time, kSampled},
              {"push_while_a_worker_leaves_the_limit", push_while_a_worker_leaves_the_limit,
               kSampled},
              {"low_job_waits_for_a_background_job", low_job_waits_for_a_background_job, kSampled},
              {"normal_job_waits_for_a_low_job", normal_job_waits_for_a_low_job, kSampled},
          },
  };
  return lower_jobs;
}

}  // namespace jobs::model
