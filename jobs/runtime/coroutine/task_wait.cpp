// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskWait: publication, grant and resumption. task_wait.hpp has the protocol and its proof.
#include "jobs/runtime/coroutine/task_wait.hpp"

#include <new>

#include "jobs/base/chaos.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// A job of the calling thread has ended, or has become a part of another one.
void count_finished() noexcept { this_context()->finished.add(1); }

}  // namespace

// --- the home ------------------------------------------------------------------------------------

FiberCore& TaskHome::fiber() noexcept { return fiber_of<TaskHome>(); }

void TaskHome::post(Wakeup& wakeup) noexcept {
  auto& wait = static_cast<TaskWait&>(*static_cast<Waiter&>(wakeup).selection);
  chaos::inject_delay();
  if (wait.arrive()) wait.submit();
}

// --- publication ---------------------------------------------------------------------------------

bool TaskWait::begin() noexcept {
  shared_ = &this_context()->shared();
  // An external participant that runs the job is always admitted.
  if (shared_->is_own_worker()) [[likely]] {
    this_context()->spawned.add(1);
  } else {
    shared_->admit();
  }
  if (shared_->records_jobs()) [[unlikely]] {
    is_listed_ = true;
    WaitingTasks::instance().add(*this);
  }
  if (!publish()) return false;
  unlist();
  count_finished();
  return true;
}

bool TaskWait::publish() noexcept {
  if (pin_ == nullptr || pin_->can_pin()) [[likely]]
    return link();
  // The calling thread cannot keep the pinned part of the wait: a worker publishes it.
  links_again_ = true;
  submit_from_outside();
  return false;
}

bool TaskWait::link() noexcept {
  links_again_ = false;
  expect_wakeup();
  links_ = link_alternatives(alternatives_, *this, TaskHome::fiber());
  if (links_.done != nullptr) {
    done_ = links_.done;
    return true;
  }
  const bool is_complete =
      links_.undecided != nullptr && winner.load(selection_order::kClaim) == links_.undecided;
  chaos::inject_delay();
  return is_complete || arrive();
}

// --- reports -------------------------------------------------------------------------------------

WaitSite TaskWait::site() const noexcept {
  return alternatives_.size() == 1 ? alternatives_[0]->site()
                                   : WaitSite{WaitKind::kSelect, nullptr};
}

TaskFacts TaskWait::facts() const noexcept {
  TaskFacts facts;
  facts.wait = site();
  for (const TaskFrame* frame = frame_; frame != nullptr && facts.depth < facts.sites.size();
       frame = frame->awaiting)
    facts.sites[facts.depth++] = frame->site;
  return facts;
}

const TaskFrame* TaskWait::frame_of(const Job& job) noexcept {
  return job.entry() == &resume ? static_cast<const TaskWait&>(job).frame_ : nullptr;
}

// --- grant and resumption ------------------------------------------------------------------------

void TaskWait::submit() noexcept {
  if (!shared_->is_own_worker()) return submit_from_outside(pin_);
  if (pin_ != nullptr) return pin_->submit(*shared_, *this);
  try {
    this_context()->push(*this);
  } catch (const std::bad_alloc&) {
    shared_->resubmit(*this);
  }
}

// No other thread writes pending_ at zero.
void TaskWait::submit_from_outside(TaskPin* pin) noexcept {
  pending_.store(kBeingSubmitted, task_wait_order::kSet);
  if (pin != nullptr) {
    pin->submit(*shared_, *this);
  } else {
    shared_->resubmit(*this);
  }
  chaos::inject_delay();
  pending_.store(0, task_wait_order::kSubmitted);
}

void TaskWait::resume(Job& job) {
  auto& wait = static_cast<TaskWait&>(job);
  Spin spin;
  while (wait.pending_.load(task_wait_order::kSeeSubmitted) == kBeingSubmitted) spin.once();
  // Until the coroutine is resumed, the wait counts as submitted.
  if (wait.links_again_ && !wait.publish()) return;
  wait.unlist();
  TaskRun run;
  run.run(*wait.frame_);
  count_finished();
}

}  // namespace jobs::inline JOBS_ABI::detail
