// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Idle: work conservation. Workers with the library's queues and idle protocol run a fixed set of
// jobs. A model ends only if no wake-up is lost. "Together" jobs wait for each other without
// releasing their workers; they need as many awake workers as there are jobs.
#include "jobs/runtime/parking/idle.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "jobs/queue/chase_lev_deque.hpp"
#include "jobs/queue/injector.hpp"
#include "tests/model/support/models.hpp"
#include "tests/support/parked_host.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Idle;

struct Job {
  struct Message : detail::JobMessage {
    explicit Message(Job& whose) : owner(whose) {}
    Job& owner;
  };

  detail::Plain<Job*> next{nullptr};
  Message message{*this};
  Atomic<bool> begun{false};
  bool ran = false;
};

struct Worker : test::ParkedHost {
  explicit Worker(detail::OwnerBarrier barrier = detail::OwnerBarrier::kAlways) : deque(barrier) {}

  detail::ChaseLevDeque<Job, std::int8_t, 2, 1> deque;
  Atomic<bool> pausing{false};
  unsigned stays_left = 0;       // on standby
  detail::Wakeup stop{nullptr};  // a message to the host, sent when all jobs have run
};

class Machine {
 public:
  // `first_off_main`: 1 if worker 0 is the bound thread and some jobs must not run on it.
  Machine(unsigned workers, std::size_t jobs, unsigned first_off_main = 0,
          detail::OwnerBarrier barrier = detail::OwnerBarrier::kAlways)
      : first_off_main_(first_off_main),
        is_hidden_(barrier == detail::OwnerBarrier::kWhenPublic),
        job_count_(jobs),
        left_(jobs) {
    for (unsigned i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<Worker>(barrier));
      parkers_.push_back(&workers_.back()->parker);
    }
    idle_ = std::make_unique<Idle>(parkers_.data(), workers);
    idle_->lone_jobs().more_came();  // Otherwise all models execute step F0.
  }

  // Last searchers take each job for the only one, and execute step F0.
  void expect_lone_jobs() {
    while (!idle_->lone_jobs().are_usual()) idle_->lone_jobs().woken_in_vain();
  }

  // Worker 0 is awake on the only CPU. Worker `index` may stand by, this number of times.
  void allow_standby(unsigned index, unsigned times) {
    idle_->standby().set_limits(static_cast<unsigned>(workers_.size()), 1);
    workers_[index]->stays_left = times;
  }

  std::function<void(unsigned, std::size_t)> run_job = [](unsigned, std::size_t) {};

  // --- publishers ---
  void push_outside(std::size_t job) {
    injector_.push(jobs_[job]);
    idle_->published_outside();
  }
  void push_off_main(std::size_t job) {
    not_main_.push(jobs_[job]);
    idle_->published_outside(first_off_main_);
  }
  // As Worker::pass_jobs_on().
  void pass_jobs_on(unsigned worker) {
    auto& deque = workers_[worker]->deque;
    Job* first = nullptr;
    Job* last = nullptr;
    while (!deque.looks_empty()) {
      Job* const older = deque.pop();
      if (older == nullptr) break;
      older->next = first;
      first = older;
      if (last == nullptr) last = older;
    }
    if (first == nullptr) return;
    injector_.push_chain(*first, *last);
    idle_->published_outside();
  }
  void send(unsigned worker, std::size_t job) {
    workers_[worker]->parker.inbox.push(jobs_[job].message);
  }
  void push(unsigned worker, std::size_t job) {
    workers_[worker]->deque.push(&jobs_[job]);
    // In a public deque with free fences, steps P2 and P3 only make models longer.
    publish(worker, is_hidden_ || !detail::light_fence_is_free(), true);
  }
  // As push(), to the deque of an external participant.
  void push_as_participant(unsigned participant, std::size_t job) {
    workers_[participant]->deque.push(&jobs_[job]);
    publish(participant, true, false);
  }

  // As Worker::offer_jobs(): leaves the job to other workers, first to those from `first` on.
  void offer(std::size_t job, unsigned first) {
    while (!jobs_[job].begun.load(std::memory_order_relaxed)) {
      idle_->offered(first);
      detail::cpu_relax();
    }
  }

  // Waits until `n` jobs wait here. Runs no other job meanwhile.
  void together(int n) {
    together_.fetch_add(1, std::memory_order_relaxed);
    while (together_.load(std::memory_order_relaxed) < n) detail::cpu_relax();
  }

  // Waits until the job has begun. Runs no other job meanwhile.
  void until_begun(std::size_t job) {
    while (!jobs_[job].begun.load(std::memory_order_relaxed)) detail::cpu_relax();
  }

  // The loop of a worker, until all jobs have run.
  void serve(unsigned index) {
    Worker& self = *workers_[index];
    [[maybe_unused]] bool may_spin = idle_->start_searching();
    while (true) {
      if (Job* job = take(index)) {
        found_work(index);
        run(index, *job);
        may_spin = idle_->start_searching();
        continue;
      }
      self.parker.drain();
      if (stopping_.load(std::memory_order_acquire)) break;
      if (!self.parker.affine.empty()) continue;
      const bool may_stand_by = self.stays_left != 0;
      if (may_stand_by) --self.stays_left;
      const auto woken = idle_->park(
          index, os::kNever, may_stand_by ? Idle::StandBy::kIfCrowded : Idle::StandBy::kNever,
          [this, index] { return last_look(index); }, [] { return os::Nanoseconds{0}; },
          [] { return true; });
      if (woken == Idle::Woken::kByMessage) {
        self.parker.drain();
        // The worker has not searched and wakes no other.
        if (Job* job = take_affine(index)) run(index, *job);
        may_spin = idle_->start_searching();
      }
    }
    found_work(index);
    check(!self.parker.has_token, "a token is used up by the park that it ends");
  }

  Idle::Visible is_work_visible(unsigned index) const {
    if (!injector_.looks_empty()) return Idle::Visible::kJobs;
    for (const auto& worker : workers_) {
      if (!worker->deque.looks_empty()) return Idle::Visible::kJobs;
    }
    if (not_main_.looks_empty()) return Idle::Visible::kNothing;
    return index >= first_off_main_ ? Idle::Visible::kJobs : Idle::Visible::kJobsOfOtherWorkers;
  }

  // As step W4.
  Idle::Visible last_look(unsigned index) {
    const Idle::Visible visible = is_work_visible(index);
    if (notes_sleep_ && visible == Idle::Visible::kNothing)
      sleeps_.store(true, std::memory_order_release);
    return visible;
  }
  // From now on, sleeps() returns whether a worker has looked in vain, and sleeps until it is
  // woken.
  void note_sleep() { notes_sleep_ = true; }
  bool sleeps() const { return sleeps_.load(std::memory_order_acquire); }

  void found_work(unsigned index) {
    idle_->found_work(index,
                      [this, index] { return is_work_visible(index) != Idle::Visible::kNothing; });
  }

  Idle& idle() { return *idle_; }
  void return_seat(bool leaves_jobs = false) {
    idle_->return_seat(
        leaves_jobs, [this] { return may_other_push(); },
        [this] {
          has_looked_ = true;
          return is_work_visible(0) == Idle::Visible::kJobs;
        });
  }
  // Returns whether a return of a seat has come to step L5, behind the barrier.
  bool has_looked() const { return has_looked_; }
  // As Worker::pause_after_theft().
  void pause(unsigned worker) {
    workers_[worker]->pausing.store(true, std::memory_order_release);
    Idle::end_pause(workers_[worker]->pausing);
  }

  void finish() {
    for (std::size_t i = 0; i < job_count_; ++i) check(jobs_[i].ran, "every job has run");
  }

 private:
  // As WorkerContext::publish().
  void publish(unsigned index, bool checks, bool counts_seats) {
    if (checks) {
      if (!idle_->has_idle_workers() || idle_->leaves_to_seats(counts_seats)) return;
      workers_[index]->deque.publish();
    }
    idle_->published();
  }

  // As Shared::may_other_push().
  bool may_other_push() const {
    for (unsigned i = 0; i < workers_.size(); ++i) {
      if (!workers_[i]->pausing.load(std::memory_order_acquire) && !idle_->is_parked(i))
        return true;
    }
    return false;
  }

  Job* take_affine(unsigned index) {
    auto* const message =
        static_cast<Job::Message*>(workers_[index]->parker.affine.pop(Priority::kNormal));
    return message != nullptr ? &message->owner : nullptr;
  }

  Job* take(unsigned index) {
    if (Job* job = take_affine(index)) return job;
    if (index >= first_off_main_) {
      if (Job* job = not_main_.pop()) return job;
    }
    if (Job* job = workers_[index]->deque.pop()) return job;
    if (Job* job = injector_.pop()) return job;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      auto& victim = workers_[(index + i) % workers_.size()]->deque;
      auto stolen = victim.steal();
      while (stolen.status == detail::StealStatus::kLost ||
             stolen.status == detail::StealStatus::kPrivate) {
        if (stolen.status == detail::StealStatus::kPrivate) victim.force_publish();
        stolen = victim.steal();
      }
      if (stolen.item != nullptr) return stolen.item;
    }
    return nullptr;
  }

  void run(unsigned index, Job& job) {
    check(!std::exchange(job.ran, true), "no job runs twice");
    job.begun.store(true, std::memory_order_relaxed);
    run_job(index, static_cast<std::size_t>(&job - jobs_.data()));
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    stopping_.store(true, std::memory_order_release);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (i != index) workers_[i]->parker.inbox.push(workers_[i]->stop);
    }
  }

  const unsigned first_off_main_;
  const bool is_hidden_;
  const std::size_t job_count_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<detail::Parker*> parkers_;
  std::unique_ptr<Idle> idle_;
  bool has_looked_ = false;
  detail::Atomic<std::uint32_t> filled_{0};
  detail::Injector<Job> injector_{filled_};
  detail::Injector<Job> not_main_{filled_};
  std::array<Job, 3> jobs_;
  Atomic<std::size_t> left_;
  bool notes_sleep_ = false;
  Atomic<bool> sleeps_{false};
  Atomic<bool> stopping_{false};
  Atomic<int> together_{0};
};

void one_worker_one_job_from_outside() {
  Machine machine(1, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.push_outside(0); });
  machine.finish();
}

void one_worker_two_jobs_from_outside() {
  Machine machine(1, 2);
  run_threads([&] { machine.serve(0); },
              [&] {
                machine.push_outside(0);
                machine.push_outside(1);
              });
  machine.finish();
}

void two_workers_one_job_from_outside() {
  Machine machine(2, 1);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push_outside(0); });
  machine.finish();
}

void push_two_jobs_that_wait_for_each_other(bool is_lone) {
  Machine machine(2, 2);
  if (is_lone) machine.expect_lone_jobs();
  machine.run_job = [&](unsigned, std::size_t) { machine.together(2); };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] {
                machine.push_outside(0);
                machine.push_outside(1);
              });
  machine.finish();
}

void two_workers_two_jobs_together_from_outside() { push_two_jobs_that_wait_for_each_other(false); }
void lone_jobs_from_outside() { push_two_jobs_that_wait_for_each_other(true); }

// No full barrier follows the push; the other worker does its last check at the same time.
void steal_child_by_a_sleeper(detail::OwnerBarrier barrier, bool is_lone = false) {
  Machine machine(2, 2, 0, barrier);
  if (is_lone) machine.expect_lone_jobs();
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job == 0) machine.push(worker, 1);
    machine.together(2);
  };
  machine.push_outside(0);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); });
  machine.finish();
}

// A third thread pushes a job while the first worker executes step F0. The push reads one word, and
// has no fence.
void push_beside_a_lone_job() {
  Machine machine(3, 2, 0, detail::OwnerBarrier::kWhenPublic);
  machine.expect_lone_jobs();
  machine.run_job = [&](unsigned, std::size_t job) {
    if (job == 0) machine.until_begun(1);
  };
  machine.push_outside(0);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); }, [&] { machine.push(2, 1); });
  machine.finish();
}

// The first worker executes step F0 while the other workers sleep, so without a barrier. A message
// then wakes the second worker, whose push must wake the third one.
void message_beside_a_lone_job() {
  Machine machine(3, 3, 0, detail::OwnerBarrier::kWhenPublic);
  machine.expect_lone_jobs();
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job == 1) machine.push(worker, 2);
    if (job == 1 || (job == 0 && worker != 1)) machine.until_begun(2);
  };
  machine.push_outside(0);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); }, [&] { machine.serve(2); },
              [&] { machine.send(1, 1); });
  machine.finish();
}

// The last searcher executes step F0 without a barrier. A thread that begins to run afterwards must
// see that no worker searches.
void participant_begins_after_a_lone_job() {
  Machine machine(3, 1, 0, detail::OwnerBarrier::kWhenPublic);
  machine.expect_lone_jobs();
  machine.idle().expect(1);  // worker 2 never starts
  [[maybe_unused]] const bool may_spin = machine.idle().start_searching();
  run_threads([&] { machine.found_work(0); }, [&] { machine.serve(1); },
              [&] {
                machine.idle().take_seat();
                machine.push_as_participant(0, 0);
              });
  machine.finish();
}
void message_begins_after_a_lone_job() {
  Machine machine(3, 2, 0, detail::OwnerBarrier::kWhenPublic);
  machine.expect_lone_jobs();
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job == 1) return;
    machine.push(worker, 1);
    machine.until_begun(1);
  };
  [[maybe_unused]] const bool may_spin = machine.idle().start_searching();
  run_threads([&] { machine.found_work(0); }, [&] { machine.serve(1); }, [&] { machine.serve(2); },
              [&] { machine.send(1, 0); });
  machine.finish();
}

void child_is_stolen_by_a_sleeper() { steal_child_by_a_sleeper(detail::OwnerBarrier::kAlways); }
// The last check must see the job in the private deque, and the thief may have to force
// publication.
void hidden_child_is_stolen_by_a_sleeper() {
  steal_child_by_a_sleeper(detail::OwnerBarrier::kWhenPublic);
}
// The first worker executes step F0, and wakes no worker. Then the push of the child must wake one.
void child_of_a_lone_job() { steal_child_by_a_sleeper(detail::OwnerBarrier::kAlways, true); }
void hidden_child_of_a_lone_job() {
  steal_child_by_a_sleeper(detail::OwnerBarrier::kWhenPublic, true);
}

// The same for an owner that is busy with other work and does nothing else for the deque.
void hidden_job_of_a_busy_worker() {
  Machine machine(2, 1, 0, detail::OwnerBarrier::kWhenPublic);
  run_threads([&] { machine.push(0, 0); }, [&] { machine.serve(1); });
  machine.finish();
}

// Two pushes may share one searcher: the searcher must wake another worker before it runs the job
// that it found.
void two_children_together() {
  Machine machine(3, 3);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job == 0) {
      machine.push(worker, 1);
      machine.push(worker, 2);
    }
    machine.together(3);
  };
  machine.push_outside(0);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); }, [&] { machine.serve(2); });
  machine.finish();
}

// While the external participant holds its seat, the second worker stays asleep. When the
// participant returns the seat, a job published meanwhile needs a taker. The first worker is busy
// with other work.
void return_seat_while_a_worker_publishes(detail::OwnerBarrier barrier) {
  Machine machine(2, 1, 0, barrier);
  machine.idle().take_seat();
  run_threads([&] { machine.push(0, 0); }, [&] { machine.serve(1); },
              [&] { machine.return_seat(); });
  machine.finish();
}

void seat_is_returned_while_a_worker_publishes() {
  return_seat_while_a_worker_publishes(detail::OwnerBarrier::kAlways);
}
// The push reads one word, and skips the rest if that word shows no worker to wake.
void seat_is_returned_while_a_worker_pushes_privately() {
  return_seat_while_a_worker_publishes(detail::OwnerBarrier::kWhenPublic);
}

// The returning participant relies on a searcher. That searcher finds a job which waits for the
// job that the push has skipped: it must wake the third worker.
void return_seat_while_a_worker_searches(bool is_lone) {
  Machine machine(3, 2, 0, detail::OwnerBarrier::kWhenPublic);
  if (is_lone) machine.expect_lone_jobs();
  machine.run_job = [&](unsigned, std::size_t job) {
    if (job == 1) machine.until_begun(0);
  };
  machine.idle().take_seat();
  run_threads([&] { machine.serve(1); }, [&] { machine.serve(2); },
              [&] {
                machine.push_outside(1);
                machine.push(0, 0);
              },
              [&] { machine.return_seat(); });
  machine.finish();
}

void seat_is_returned_while_a_worker_searches() { return_seat_while_a_worker_searches(false); }
// With step F0.
void seat_is_returned_beside_a_lone_job() { return_seat_while_a_worker_searches(true); }

// The participant finds that the first worker only pauses. That worker then pushes.
void seat_is_returned_in_a_pause() {
  Machine machine(2, 1, 0, detail::OwnerBarrier::kWhenPublic);
  machine.idle().take_seat();
  run_threads(
      [&] {
        machine.pause(0);
        machine.push(0, 0);
      },
      [&] { machine.serve(1); }, [&] { machine.return_seat(); });
  machine.finish();
}

// A participant takes a seat while another one returns its seat, and a worker pushes.
void seats_change_hands() {
  Machine machine(2, 1, 0, detail::OwnerBarrier::kWhenPublic);
  machine.idle().take_seat();
  run_threads([&] { machine.push(0, 0); }, [&] { machine.serve(1); },
              [&] { machine.return_seat(); },
              [&] {
                machine.idle().take_seat();
                machine.return_seat();
              });
  machine.finish();
}

// A seat that leaves no worker asleep costs no barrier, although another thread may push jobs.
void seat_is_returned_without_a_push() {
  Machine machine(2, 1);
  machine.note_sleep();
  run_threads([&] { machine.serve(1); },
              [&] {
                while (!machine.sleeps()) detail::cpu_relax();
                machine.idle().take_seat();
                machine.return_seat();
                check(!machine.has_looked(), "the return of a new seat is free");
                machine.push_outside(0);
              });
  machine.finish();
}

// A participant skips the worker because of its own seat, and leaves the job when it parks.
void participant_leaves_a_job() {
  Machine machine(2, 1, 0, detail::OwnerBarrier::kWhenPublic);
  machine.idle().take_seat();
  run_threads([&] { machine.serve(1); },
              [&] {
                machine.push_as_participant(0, 0);
                machine.return_seat(true);
              });
  machine.finish();
}

// Two participants hold seats, and two workers are idle: one of them has not begun. One participant
// pushes a job and waits for it. When the other one returns its seat, a worker must take the job.
void participant_pushes_while_another_one_leaves(bool is_seat_counted) {
  Machine machine(2, is_seat_counted ? 2 : 1, 0, detail::OwnerBarrier::kWhenPublic);
  machine.idle().expect(1);
  machine.idle().take_seat();
  if (is_seat_counted) machine.push(0, 1);
  machine.idle().take_seat();
  run_threads([&] { machine.serve(1); },
              [&] {
                machine.push_as_participant(0, 0);
                machine.until_begun(0);
              },
              [&] { machine.return_seat(); });
  machine.finish();
}

void participant_pushes_beside_a_new_seat() { participant_pushes_while_another_one_leaves(false); }
void participant_pushes_beside_a_counted_seat() {
  participant_pushes_while_another_one_leaves(true);
}

// While the seat is held, a push leaves the only parked worker asleep.
void seat_leaves_a_worker_asleep() {
  Machine machine(2, 1);
  machine.note_sleep();
  machine.idle().take_seat();
  run_threads([&] { machine.serve(1); },
              [&] {
                while (!machine.sleeps()) detail::cpu_relax();
                machine.push(0, 0);
                check(machine.idle().is_parked(1), "the worker is not to spare");
                machine.return_seat();
              });
  machine.finish();
}

// The seat leaves the only other worker asleep. The pusher does not compute, so that worker must
// come, also if it is none of those with the fewest fibers.
void offer_while_a_seat_is_held(unsigned pusher, unsigned first) {
  Machine machine(2, 1);
  machine.idle().take_seat();
  run_threads(
      [&] {
        machine.push(pusher, 0);
        machine.offer(0, first);
      },
      [&] { machine.serve(1 - pusher); });
  machine.finish();
}

void job_is_offered_while_a_seat_is_held() { offer_while_a_seat_is_held(0, 1); }
void job_is_offered_to_a_worker_below_the_first() { offer_while_a_seat_is_held(1, 1); }

// The offers of one worker wake a second worker, too, which the seats would leave asleep.
void two_jobs_are_offered_while_seats_are_held() {
  Machine machine(3, 2);
  machine.run_job = [&](unsigned, std::size_t) { machine.together(2); };
  machine.idle().take_seat();
  machine.idle().take_seat();
  run_threads(
      [&] {
        machine.push(0, 0);
        machine.push(0, 1);
        machine.offer(0, 1);
        machine.offer(1, 1);
      },
      [&] { machine.serve(1); }, [&] { machine.serve(2); });
  machine.finish();
}

// While the external participant holds its seat, a push of the first worker leaves the second
// worker asleep. The first worker then retires, and the participant ends only after the job.
void worker_rests_while_a_participant_computes() {
  Machine machine(2, 1, 0, detail::OwnerBarrier::kWhenPublic);
  machine.idle().take_seat();
  run_threads(
      [&] {
        machine.push(0, 0);
        machine.pass_jobs_on(0);
      },
      [&] { machine.serve(1); });
  machine.finish();
}

// The only CPU is busy: the push of the first worker wakes no worker. The other worker stands by
// and must take the job, for which the first worker waits.
void push_is_left_to_the_standby(detail::OwnerBarrier barrier) {
  Machine machine(2, 2, 0, barrier);
  machine.allow_standby(1, 2);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job != 0) return;
    machine.push(worker, 1);
    machine.until_begun(1);
  };
  machine.push_outside(0);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); });
  machine.finish();
}

void job_is_left_to_the_standby() { push_is_left_to_the_standby(detail::OwnerBarrier::kAlways); }
void hidden_job_is_left_to_the_standby() {
  push_is_left_to_the_standby(detail::OwnerBarrier::kWhenPublic);
}

// Two jobs from outside, the first of which waits for the second one.
void job_from_outside_is_left_to_the_standby() {
  Machine machine(2, 2);
  machine.allow_standby(1, 2);
  machine.run_job = [&](unsigned, std::size_t job) {
    if (job == 0) machine.until_begun(1);
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] {
                machine.push_outside(0);
                machine.push_outside(1);
              });
  machine.finish();
}

// A message ends the stay, and its job keeps the worker. A push may have relied on the worker, so
// it must wake another one.
void message_ends_the_stay() {
  Machine machine(3, 3);
  machine.allow_standby(1, 1);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job == 0) machine.push(worker, 1);
    if (job != 1) machine.until_begun(1);
  };
  machine.push_outside(0);
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); }, [&] { machine.serve(2); },
              [&] { machine.send(1, 2); });
  machine.finish();
}

// Two wakers are ordered neither with each other nor with the worker: the token must carry the
// order from one waker to the next.
void token_goes_from_waker_to_waker() {
  Worker worker;
  detail::Parker* parkers[] = {&worker.parker};
  Idle idle(parkers, 1);
  Atomic<int> left{2};
  Atomic<bool> stopping{false};
  const auto wake = [&] {
    idle.published_outside();
    if (left.fetch_sub(1, std::memory_order_relaxed) != 1) return;
    stopping.store(true, std::memory_order_relaxed);
    worker.parker.inbox.push(worker.stop);
  };
  run_threads(
      [&] {
        [[maybe_unused]] bool may_spin = idle.start_searching();
        while (!stopping.load(std::memory_order_relaxed)) {
          const auto woken = idle.park(
              0, os::kNever, Idle::StandBy::kNever, [] { return Idle::Visible::kNothing; },
              [] { return os::Nanoseconds{0}; }, [] { return true; });
          worker.parker.drain();
          if (woken == Idle::Woken::kByMessage) may_spin = idle.start_searching();
        }
        idle.found_work(0, [] { return false; });
      },
      wake, wake);
}

// A job for one worker is a message: it wakes that worker, whatever the other worker does.
void job_for_one_worker() {
  Machine machine(2, 1);
  machine.run_job = [&](unsigned worker, std::size_t) {
    check(worker == 0, "only its worker runs it");
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); }, [&] { machine.send(0, 0); });
  machine.finish();
}

// The worker may be awake, or woken, for the other job. If it takes its own job first, the second
// worker must take the other job.
void job_for_one_worker_waits_for_one_from_outside() {
  Machine machine(2, 2);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job != 1) return;
    check(worker == 0, "only its worker runs it");
    machine.until_begun(0);
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] {
                machine.push_outside(0);
                machine.send(0, 1);
              });
  machine.finish();
}

// A message wakes worker 1, which pushes a child. The last searcher takes another job meanwhile,
// and takes itself for the only worker that runs. If both wait for the child, the third worker must
// run it.
void child_of_a_message_and_one_from_outside() {
  Machine machine(3, 3);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    if (job == 1) machine.push(worker, 2);
    if (job == 1 || (job == 0 && worker != 1)) machine.until_begun(2);
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); }, [&] { machine.serve(2); },
              [&] {
                machine.send(1, 1);
                machine.push_outside(0);
              });
  machine.finish();
}

// The bound thread may be the last searcher: it must pass on a job that it may not take.
void job_off_main() {
  Machine machine(2, 1, 1);
  machine.run_job = [&](unsigned worker, std::size_t) {
    check(worker != 0, "it is not for the bound thread");
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push_off_main(0); });
  machine.finish();
}

// A worker woken for one job must not count as a searcher for the other job.
void job_off_main_and_one_from_outside() {
  Machine machine(2, 2, 1);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    check(job != 0 || worker != 0, "it is not for the bound thread");
    if (job == 0) machine.until_begun(1);
    if (job == 1 && worker == 0) machine.until_begun(0);
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push_off_main(0); }, [&] { machine.push_outside(1); });
  machine.finish();
}

// A waker wants to wake a worker that a message has just woken. It finds no other worker that may
// take the job, but the woken worker has counted as a searcher meanwhile.
void job_off_main_while_a_message_comes() {
  Machine machine(2, 3, 1);
  machine.run_job = [&](unsigned worker, std::size_t job) {
    check(job == 2 || worker == 1, "it is for worker 1");
    if (job == 1) machine.until_begun(2);
  };
  run_threads([&] { machine.serve(0); }, [&] { machine.serve(1); },
              [&] { machine.push_off_main(0); },
              [&] {
                machine.send(1, 1);
                machine.push_outside(2);
              });
  machine.finish();
}

}  // namespace

const Subject& subject() {
  static const Options kByFences = {.preemptions = 1, .membarrier = Membarrier::kRefused};
  static const Options kSampled = {.search = Search::kPriorities, .max_executions = 5'000};
  static const Subject idle = {
      .headers = {"jobs/runtime/parking/idle.hpp", "tests/model/explorer/atomic.hpp"},
      .not_shown =
          {
              {"kSeeCount", "the fences of P4 and W3 order it already: relaxed would do"},
              {"kSeeBits",
               "the fences of P4 and W3, or kLeave, order it already: relaxed would do"},
              {"kReturnSeat",
               "orders seq_cst operations on the slots, which the explorer executes in one order"},
          },
      .models =
          {
              {"one_worker_one_job_from_outside",
               one_worker_one_job_from_outside,
               {.preemptions = 2}},
              {"one_worker_two_jobs_from_outside",
               one_worker_two_jobs_from_outside,
               {.preemptions = 2}},
              {"one_job_from_outside_by_fences", one_worker_one_job_from_outside, kByFences},
              {"token_goes_from_waker_to_waker",
               token_goes_from_waker_to_waker,
               {.preemptions = 1}},
              {"child_is_stolen_by_a_sleeper_by_fences", child_is_stolen_by_a_sleeper, kByFences},
              {"child_is_stolen_by_a_sleeper", child_is_stolen_by_a_sleeper, {.preemptions = 1}},
              {"hidden_child_is_stolen_by_a_sleeper",
               hidden_child_is_stolen_by_a_sleeper,
               {.preemptions = 1}},
              {"child_of_a_lone_job", child_of_a_lone_job, {.preemptions = 1}},
              {"child_of_a_lone_job_by_fences", child_of_a_lone_job, kByFences},
              {"hidden_child_of_a_lone_job", hidden_child_of_a_lone_job, {.preemptions = 1}},
              {"push_beside_a_lone_job", push_beside_a_lone_job, {.preemptions = 1}},
              {"message_beside_a_lone_job", message_beside_a_lone_job, kSampled},
              {"participant_begins_after_a_lone_job", participant_begins_after_a_lone_job,
               kSampled},
              {"message_begins_after_a_lone_job", message_begins_after_a_lone_job, kSampled},
              {"lone_jobs_from_outside", lone_jobs_from_outside, kSampled},
              {"seat_is_returned_beside_a_lone_job", seat_is_returned_beside_a_lone_job, kSampled},
              {"hidden_job_of_a_busy_worker", hidden_job_of_a_busy_worker, {.preemptions = 3}},
              {"seat_is_returned_while_a_worker_publishes",
               seat_is_returned_while_a_worker_publishes,
               {.preemptions = 2}},
              {"seat_is_returned_while_a_worker_pushes_privately",
               seat_is_returned_while_a_worker_pushes_privately,
               {.preemptions = 2}},
              {"seat_is_returned_by_fences",
               seat_is_returned_while_a_worker_pushes_privately,
               {.preemptions = 1, .membarrier = Membarrier::kRefused}},
              {"seat_is_returned_in_a_pause", seat_is_returned_in_a_pause, {.preemptions = 2}},
              {"seats_change_hands", seats_change_hands, kSampled},
              {"seat_is_returned_without_a_push",
               seat_is_returned_without_a_push,
               {.preemptions = 2}},
              {"participant_leaves_a_job", participant_leaves_a_job, {.preemptions = 2}},
              {"participant_leaves_a_job_by_fences",
               participant_leaves_a_job,
               {.preemptions = 1, .membarrier = Membarrier::kRefused}},
              {"participant_pushes_beside_a_new_seat",
               participant_pushes_beside_a_new_seat,
               {.preemptions = 1}},
              {"participant_pushes_beside_a_counted_seat",
               participant_pushes_beside_a_counted_seat,
               {.preemptions = 1}},
              {"job_is_left_to_the_standby", job_is_left_to_the_standby, {.preemptions = 1}},
              {"hidden_job_is_left_to_the_standby",
               hidden_job_is_left_to_the_standby,
               {.preemptions = 1}},
              {"job_from_outside_is_left_to_the_standby", job_from_outside_is_left_to_the_standby,
               kSampled},
              {"message_ends_the_stay",
               message_ends_the_stay,
               {.search = Search::kPriorities, .max_executions = 20'000}},
              {"seat_leaves_a_worker_asleep", seat_leaves_a_worker_asleep, {.preemptions = 1}},
              {"job_is_offered_while_a_seat_is_held",
               job_is_offered_while_a_seat_is_held,
               {.preemptions = 2}},
              {"job_is_offered_to_a_worker_below_the_first",
               job_is_offered_to_a_worker_below_the_first,
               {.preemptions = 2}},
              {"two_jobs_are_offered_while_seats_are_held",
               two_jobs_are_offered_while_seats_are_held, kSampled},
              {"worker_rests_while_a_participant_computes",
               worker_rests_while_a_participant_computes,
               {.preemptions = 1}},
              {"two_workers_one_job_from_outside",
               two_workers_one_job_from_outside,
               {.preemptions = 1}},
              {"job_for_one_worker", job_for_one_worker, {.preemptions = 1}},
              {"job_off_main", job_off_main, {.preemptions = 1}},
              // Too large to exhaust.
              {"job_for_one_worker_waits_for_one_from_outside",
               job_for_one_worker_waits_for_one_from_outside, kSampled},
              {"child_of_a_message_and_one_from_outside", child_of_a_message_and_one_from_outside,
               kSampled},
              {"job_off_main_and_one_from_outside", job_off_main_and_one_from_outside, kSampled},
              {"job_off_main_while_a_message_comes", job_off_main_while_a_message_comes, kSampled},
              {"two_workers_two_jobs_together_from_outside",
               two_workers_two_jobs_together_from_outside, kSampled},
              {"two_children_together", two_children_together, kSampled},
              {"seat_is_returned_while_a_worker_searches", seat_is_returned_while_a_worker_searches,
               kSampled},
          },
  };
  return idle;
}

}  // namespace jobs::model
