// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Lineage: a participant that waits steals from a worker. It runs only jobs that serve its wait,
// and no job is lost. The participant's check and theft are those of ParticipantContext.
#include "jobs/runtime/worker/lineage.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "jobs/queue/chase_lev_deque.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Lineage;

struct Job {
  const void* wait = nullptr;  // what it serves
  Atomic<bool> ran{false};
};

// A worker that runs jobs one after the other. Each pushes a child, and pops a job unless it leaves
// its child in the deque.
class Machine {
 public:
  // How the worker gets a job: from the deque of another worker, which serves the same wait; or
  // from another queue. Such a job may say itself which wait it serves.
  enum class From : std::uint8_t { kVictim, kQueue, kQueueForAWait };
  struct Step {
    unsigned wait;
    From from;
    bool leaves_child = false;
  };

  void work(std::initializer_list<Step> steps) {
    for (const Step& step : steps) {
      const void* const wait = &waits_[step.wait];
      if (step.from == From::kVictim) lineage_.set(wait, epoch() + 1);
      jobs_.store(epoch() + 1, std::memory_order_relaxed);
      if (step.from == From::kQueueForAWait) lineage_.start(wait, epoch(), deque_.looks_empty());
      Job& child = children_[used_++];
      child.wait = wait;
      deque_.push(&child);
      if (step.leaves_child) continue;
      if (Job* const job = deque_.pop()) run(*job);
    }
    while (Job* const job = deque_.pop()) run(*job);
  }

  // As ParticipantContext::steal_for(), once.
  void help() {
    const void* const awaited = &waits_[0];
    const std::uint64_t first = epoch();
    if (lineage_.wait(first) != awaited) return;
    const auto stolen = deque_.steal();
    if (stolen.item == nullptr) return;
    if (epoch() == first && lineage_.wait(first) == awaited) {
      check(stolen.item->wait == awaited, "a participant runs no foreign job");
      run(*stolen.item);
    } else {
      resubmitted_.push_back(stolen.item);
    }
  }

  void finish() {
    for (Job* const job : resubmitted_) run(*job);
    for (unsigned i = 0; i < used_; ++i)
      check(children_[i].ran.load(std::memory_order_relaxed), "no job is lost");
  }

 private:
  std::uint64_t epoch() const { return jobs_.load(std::memory_order_relaxed); }
  static void run(Job& job) {
    check(!job.ran.load(std::memory_order_relaxed), "no job runs twice");
    job.ran.store(true, std::memory_order_relaxed);
  }

  const std::array<char, 2> waits_{};
  std::array<Job, 3> children_{};
  unsigned used_ = 0;
  Lineage lineage_;
  Atomic<std::uint64_t> jobs_{0};
  detail::ChaseLevDeque<Job, std::int8_t, 4, 1> deque_{detail::OwnerBarrier::kAlways};
  std::vector<Job*> resubmitted_;
};

using From = Machine::From;

void help_while_the_worker_runs(unsigned thefts, std::initializer_list<Machine::Step> steps) {
  Machine machine;
  run_threads([&] { machine.work(steps); },
              [&] {
                for (unsigned i = 0; i < thefts; ++i) machine.help();
              });
  machine.finish();
}

void participant_helps_while_the_worker_steals_again() {
  help_while_the_worker_runs(1, {{0, From::kVictim}, {1, From::kVictim}});
}

void participant_helps_while_the_worker_runs_another_job() {
  help_while_the_worker_runs(1, {{0, From::kVictim}, {1, From::kQueue}});
}

void participant_helps_twice() {
  help_while_the_worker_runs(2, {{0, From::kVictim}, {1, From::kQueue}});
}

// The participant may steal from the job of another wait, and look again when the worker serves its
// own wait again.
void worker_serves_the_wait_again() {
  help_while_the_worker_runs(1, {{0, From::kVictim}, {1, From::kVictim}, {0, From::kVictim}});
}

// The second job finds the child of the first one in the deque.
void jobs_of_one_wait_follow_each_other() {
  help_while_the_worker_runs(1, {{0, From::kQueueForAWait, true}, {0, From::kQueueForAWait, true}});
}

// The third job finds a child of the other wait in the deque.
void job_of_another_wait_leaves_a_child() {
  help_while_the_worker_runs(
      1, {{0, From::kQueueForAWait}, {1, From::kQueue, true}, {0, From::kQueueForAWait, true}});
}
void job_for_another_wait_leaves_a_child() {
  help_while_the_worker_runs(1, {{0, From::kQueueForAWait},
                                 {1, From::kQueueForAWait, true},
                                 {0, From::kQueueForAWait, true}});
}

}  // namespace

const Subject& subject() {
  static const Subject lineage = {
      .headers = {"jobs/runtime/worker/lineage.hpp"},
      .not_shown = {},
      .models =
          {
              {"participant_helps_while_the_worker_steals_again",
               participant_helps_while_the_worker_steals_again,
               {.preemptions = 4}},
              {"participant_helps_while_the_worker_runs_another_job",
               participant_helps_while_the_worker_runs_another_job,
               {.preemptions = 4}},
              {"participant_helps_twice", participant_helps_twice, {.preemptions = 3}},
              {"worker_serves_the_wait_again", worker_serves_the_wait_again, {.preemptions = 3}},
              {"jobs_of_one_wait_follow_each_other",
               jobs_of_one_wait_follow_each_other,
               {.preemptions = 3}},
              {"job_of_another_wait_leaves_a_child",
               job_of_another_wait_leaves_a_child,
               {.preemptions = 3}},
              {"job_for_another_wait_leaves_a_child",
               job_for_another_wait_leaves_a_child,
               {.preemptions = 3}},
          },
  };
  return lineage;
}

}  // namespace jobs::model
