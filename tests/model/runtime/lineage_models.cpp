// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Lineage: a participant that waits steals from a worker. It runs only jobs that serve its wait,
// and no job is lost. The participant's check and theft are those of ParticipantContext.
#include "jobs/runtime/worker/lineage.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "jobs/queue/chase_lev_deque.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Lineage;

struct Job {
  const void* wait;  // what it serves
  Atomic<bool> ran{false};
};

// A worker that runs two jobs one after the other. Each pushes a child and pops it again, unless
// the participant has stolen it. The first job serves the wait of the participant.
class Pair {
 public:
  // `steals`: the second job is stolen, too. Otherwise it comes from another queue.
  void work(bool steals) {
    for (int i = 0; i < 2; ++i) {
      if (i == 0 || steals) lineage_.set(waits_[i], epoch() + 1);
      jobs_.store(jobs_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      deque_.push(&children_[i]);
      if (Job* const job = deque_.pop()) {
        check(job == &children_[i], "its own child");
        run(*job);
      }
    }
  }

  // As ParticipantContext::steal_for(), once.
  void help() {
    if (lineage_.wait(epoch()) != waits_[0]) return;
    const auto stolen = deque_.steal();
    if (stolen.item == nullptr) return;
    if (lineage_.wait(epoch()) == waits_[0]) {
      check(stolen.item->wait == waits_[0], "a participant runs no foreign job");
      run(*stolen.item);
    } else {
      resubmitted_.push_back(stolen.item);
    }
  }

  void finish() {
    for (Job* const job : resubmitted_) run(*job);
    for (Job& job : children_) check(job.ran.load(std::memory_order_relaxed), "no job is lost");
  }

 private:
  std::uint64_t epoch() const { return jobs_.load(std::memory_order_relaxed); }
  static void run(Job& job) {
    check(!job.ran.load(std::memory_order_relaxed), "no job runs twice");
    job.ran.store(true, std::memory_order_relaxed);
  }

  const std::array<const void*, 2> waits_ = {&waits_[0], &waits_[1]};
  std::array<Job, 2> children_{Job{waits_[0]}, Job{waits_[1]}};
  Lineage lineage_;
  Atomic<std::uint64_t> jobs_{0};
  detail::ChaseLevDeque<Job, std::int8_t, 2, 1> deque_{detail::OwnerBarrier::kAlways};
  std::vector<Job*> resubmitted_;
};

void participant_helps_while_the_worker_steals_again() {
  Pair pair;
  run_threads([&] { pair.work(true); }, [&] { pair.help(); });
  pair.finish();
}

void participant_helps_while_the_worker_runs_another_job() {
  Pair pair;
  run_threads([&] { pair.work(false); }, [&] { pair.help(); });
  pair.finish();
}

void participant_helps_twice() {
  Pair pair;
  run_threads([&] { pair.work(false); },
              [&] {
                pair.help();
                pair.help();
              });
  pair.finish();
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
          },
  };
  return lineage;
}

}  // namespace jobs::model
