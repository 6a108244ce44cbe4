// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskWait: the wait of a coroutine for the first of several alternatives. TaskHome: the home of
// the waiters of coroutines, beside the worker and the external thread; a wake-up submits the
// coroutine as a job of its scheduler. One TaskHome serves the process.
//
// Owner: the frame of the coroutine contains the TaskWait. Any thread may grant an alternative. The
// worker that runs the coroutine calls the other functions.
//
// State: `pending_` counts the reasons not to resume. Each wait begins with two: the publication,
// and the wake-up, which exactly one granter sends (selection.hpp).
//
// Protocol:
//   step 1  begin() counts the wait as a submitted job of the scheduler, and links the
//           alternatives.
//   step 2  The granter that claims the selection sends a wake-up to the TaskHome, which subtracts
//           its reason [task_wait.1].
//   step 3  begin() subtracts the reason of the publication [task_wait.1].
//   step 4  The subtraction that leaves zero decides. If it is that of begin(), the coroutine
//           continues where it is. If it is that of the granter, the granter submits the coroutine.
//   step 5  The job resumes the coroutine. After it has suspended again or ended, the job counts as
//           finished.
//
// Proof. The frame lives until the coroutine is resumed, and one subtraction alone leaves zero. So
// the coroutine is resumed once, and neither begin() nor the granter accesses the wait after its
// own subtraction, unless the subtraction has left zero. The coroutine sees the effects that
// precede the grant, because both subtractions acquire and release.
//
// A granter that is no worker of the scheduler accesses the scheduler after the job is visible to
// the workers. The job then resumes its coroutine only after that submission [task_wait.2]. The
// wait counts as a submitted job until then, so the scheduler is alive.
//
// A shutdown waits until all suspended coroutines have ended, as it does for fibers.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/coroutine/task_frame.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/sync/core/selection.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

namespace task_wait_order {
// [task_wait.1] The resumed coroutine sees the effects that precede the grant, and the published
// wait. Partner: itself.
JOBS_ORDER(kArrive, acq_rel);
// [task_wait.2] The scheduler and the wait outlive the submission.
JOBS_ORDER(kSubmitted, release);     // partner: kSeeSubmitted
JOBS_ORDER(kSeeSubmitted, acquire);  // partner: kSubmitted
JOBS_ORDER(kSet, relaxed);           // not shared yet, or at zero
}  // namespace task_wait_order

// The worker on which a wait must be resumed, because a part of the wait is known to it.
class TaskPin {
 public:
  // Returns whether the calling thread can be that worker.
  virtual bool can_pin() const noexcept = 0;
  // Submits the job to that worker.
  virtual void submit(Shared& shared, Job& job) noexcept = 0;

 protected:
  ~TaskPin() = default;
};

class JOBS_EXPORT TaskWait : private Job, private Selection, public TaskStep {
 public:
  TaskWait(const TaskWait&) = delete;
  TaskWait& operator=(const TaskWait&) = delete;

  // Returns the coroutine that the job resumes; null: another kind of job. The thread that has
  // taken the job calls it before it runs the job.
  static const TaskFrame* frame_of(const Job& job) noexcept;

  // The interface of an awaitable.
  bool await_ready() {
    done_ = try_alternatives(alternatives_);
    return done_ != nullptr;
  }
  template <std::derived_from<TaskFrame> Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
    frame_ = &coroutine.promise();
    frame_->run->wait_for(*this);
  }

 protected:
  TaskWait() noexcept : Job(&resume) {}
  ~TaskWait() = default;

  // The constructor of a derived class calls it. `pin`: null if any worker may resume the
  // coroutine.
  void choose(std::span<Alternative* const> alternatives, TaskPin* pin = nullptr) noexcept {
    alternatives_ = alternatives;
    pin_ = pin;
  }

  // After the wait. Returns the alternative that was completed.
  Alternative* settle() noexcept {
    if (done_ == nullptr) done_ = settle_alternatives(alternatives_, *this, links_);
    return done_;
  }
  // Returns the alternative that was completed without a wait, or by settle().
  const Alternative* completed() const noexcept { return done_; }

  // --- for waits that are no selections ---
  // Publishes the wait. Returns true if it has ended already. The caller does not access the object
  // otherwise.
  virtual bool link() noexcept;
  // Begins the two reasons of a publication.
  void expect_wakeup() noexcept { pending_.store(2, task_wait_order::kSet); }
  // Subtracts one reason. Returns true if none is left.
  bool arrive() noexcept { return pending_.fetch_sub(1, task_wait_order::kArrive) == 1; }
  // The job calls link() again before it resumes the coroutine.
  void link_again(bool again) noexcept { links_again_ = again; }
  // Makes `waiter` send its wake-up to this wait.
  void receive(Waiter& waiter) noexcept { waiter.selection = this; }
  // Submits the job to the queue of all workers, or to the worker of `pin`.
  void submit_from_outside(TaskPin* pin = nullptr) noexcept;
  // The object of the wait, for reports.
  virtual WaitSite site() const noexcept;

 private:
  friend class TaskHome;

  static constexpr std::uint32_t kBeingSubmitted = ~std::uint32_t{0};

  bool begin() noexcept override;
  // link() on a worker that can keep the pinned part of the wait. Returns as link().
  bool publish() noexcept;
  void submit() noexcept;
  static void resume(Job& job);
  // The wait has ended: it leaves the list of reports.
  void unlist() noexcept {
    if (is_listed_) [[unlikely]]
      WaitingTasks::instance().remove(*this);
  }
  TaskFacts facts() const noexcept override;
  const Shared* scheduler() const noexcept override { return shared_; }

  std::span<Alternative* const> alternatives_;
  TaskPin* pin_ = nullptr;
  Shared* shared_ = nullptr;
  TaskFrame* frame_ = nullptr;
  Alternative* done_ = nullptr;
  SelectionLinks links_;
  Atomic<std::uint32_t> pending_{0};
  // Before the coroutine continues, because the wait is not published yet, or a granter has only
  // notified it.
  Plain<bool> links_again_{false};
  Plain<bool> is_listed_{false};
};

// A home with one fiber, which never runs and stands for coroutines.
class CoroutineHome : public FiberHost {
 protected:
  // The fiber of the only object of a derived class. The object is never destroyed, because a
  // thread may wake a coroutine while the program ends.
  template <class Home>
  static FiberCore& fiber_of() noexcept {
    alignas(Home) static std::byte memory[sizeof(Home)];
    static Home& home = *::new (static_cast<void*>(memory)) Home;
    return home.fiber_;
  }

  CoroutineHome() = default;
  ~CoroutineHome() = default;

 private:
  void arm(Deadline& /*deadline*/) noexcept override {}
  void disarm(Deadline& /*deadline*/) noexcept override {}
  const char* describe() const noexcept override { return "tasks"; }
  void switch_away() noexcept override {}

  FiberCore fiber_{this};
};

class TaskHome final : public CoroutineHome {
 public:
  // The fiber of all coroutines that wait.
  static FiberCore& fiber() noexcept;

 private:
  void post(Wakeup& wakeup) noexcept override;
};

}  // namespace jobs::inline JOBS_ABI::detail
