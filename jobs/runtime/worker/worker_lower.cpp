// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Worker that takes the jobs of one priority, and decides when a low or a background
// job runs. Only the thread of the worker calls these functions. Compiled for size: the jobs of
// deques reach no function of this file.
//
// A lower job runs in two cases:
//   1. The worker finds no upper job: its deque, the shared queues and all victims are empty.
//   2. It is due: the checks of the worker, about every 500 us, have seen a job of its priority for
//      the time below. Then the time begins again, at the end of the job, so that long lower jobs
//      leave as much time to upper jobs as short ones.
// The time is that of the worker, not of the job: it needs no clock for a push, and a flood of
// lower jobs takes a bounded share of each worker.
//
// Rejected: the age of the job at the head of the queue. If 1,000 low jobs arrive at a time, all of
// them are old 10 ms later, and go before all normal jobs.
#include <atomic>
#include <new>

#include "jobs/base/os.hpp"
#include "jobs/runtime/job/job_code.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The time after which a job goes before upper jobs.
constexpr os::Nanoseconds kLowInterval = 10'000'000;
constexpr os::Nanoseconds kBackgroundInterval = 100'000'000;

}  // namespace

// Takes a job of that priority, from the messages to this worker and from the shared queues in
// turn.
JOBS_COLD Job* Worker::take_of(Priority priority) noexcept {
  if (!shared_.shared_jobs().waits(priority)) return nullptr;
  const unsigned bit = 1u << static_cast<unsigned>(priority);
  own_due_ ^= bit;
  bool own = (own_due_ & bit) != 0;
  for (int i = 0; i < 2; ++i, own = !own) {
    Job* const job =
        own ? take_affine_of(priority) : shared_.shared_jobs().take(priority, !is_main_);
    if (job != nullptr) return job;
  }
  return nullptr;
}

// As take_of(), for a lower priority, within the bounds of background jobs. The result records the
// priority while it runs.
JOBS_COLD Job* Worker::take_lower_of(Priority priority) noexcept {
  SharedJobs& queues = shared_.shared_jobs();
  Job* job = nullptr;
  if (priority != Priority::kBackground || !queues.background_limit().is_set()) {
    job = take_of(priority);
  } else {
    own_due_ ^= 1u << static_cast<unsigned>(priority);
    const bool own_first = (own_due_ >> static_cast<unsigned>(priority) & 1) != 0;
    if (own_first) job = take_affine_of(priority);
    if (job == nullptr && (job = queues.take_background(!is_main_, idle_)) != nullptr) {
      in_background_ = true;
      checks_in_ = 1;               // The next take_job() calls take_fairly().
      ready_left_ = lower_in_ = 1;  // Before the next ready fiber, is_lower_due() returns true.
    }
    if (job == nullptr && !own_first) job = take_affine_of(priority);
  }
  const auto replace = replace_lower_.load(std::memory_order_relaxed);
  return job != nullptr && replace != nullptr ? replace(*this, priority, *job) : job;
}

// As take_fairly(), after a background job that counts in the limit. The offer comes last, because
// the next job may be a background job, too.
JOBS_COLD Job* Worker::take_after_background() noexcept {
  in_background_ = false;
  shared_.shared_jobs().leave_background();
  Job* const job = take_fairly();
  if (!in_background_) shared_.shared_jobs().offer_background(idle_);
  return job;
}

JOBS_COLD Job* Worker::take_affine_of(Priority priority) noexcept {
  const JobMessage* const message = parker_.affine.pop(priority);
  if (message == nullptr) return nullptr;
  shared_.shared_jobs().remove_affine(priority);
  return message->job;
}

// Takes a low or a background job, because there is no upper job. While a private deque has jobs,
// its owner is about to publish them, and they go first. A pause after a theft that has not ended
// has checked no victim.
JOBS_COLD Job* Worker::take_lower() noexcept {
  if (requested_at_ != 0 || last_theft_ != 0) return nullptr;
  Job* const job = take_lower_of(Priority::kLow);
  return job != nullptr ? job : take_lower_of(Priority::kBackground);
}

std::atomic<Job* (*)(Worker&, Priority, Job&) noexcept> Worker::replace_lower_{nullptr};

JOBS_COLD void Worker::record_lower_jobs() noexcept {
  if (replace_lower_.load(std::memory_order_relaxed) == nullptr)
    replace_lower_.store(&as_lower, std::memory_order_relaxed);
}

// The worker runs the result before it takes another job.
JOBS_COLD Job* Worker::as_lower(Worker& worker, Priority priority, Job& job) noexcept {
  return ::new (worker.lower_call_) LowerCall(job, levels_below_normal(priority));
}

// The job runs on this fiber to its end. A wait in it knows the priority (PriorityLift).
JOBS_COLD void Worker::LowerCall::run(Worker& worker, Call& call) {
  const auto& self = static_cast<LowerCall&>(call);
  FiberCore& fiber = worker.current();
  fiber.below_normal = self.below_normal;
  worker.run_inner(self.job);
  fiber.below_normal = 0;
}

JOBS_COLD void Worker::run_call(Job& call) {
  auto& self = static_cast<Call&>(call);
  self.body(*this_context()->worker(), self);
}

JOBS_COLD void Worker::run_inner(Job& job, Job::Run function) noexcept {
  const CodeAddress code = code_of_job(job);
  trace(shared_.trace(), TraceEvent::kJobBegin, reinterpret_cast<std::uintptr_t>(code),
        reinterpret_cast<std::uintptr_t>(&job));
  FiberCore& fiber = current();
  if (fiber.job != nullptr) fiber.job = code;  // The loop records jobs.
  if (function != nullptr) {
    function(job);
  } else {
    job.run();
  }
  trace(shared_.trace(), TraceEvent::kJobEnd);
}

JOBS_COLD bool Worker::has_work_before(Priority lower) noexcept {
  poll();
  if (has_ready() || has_new_job()) return true;
  if (lower == Priority::kBackground) {
    if (shared_.shared_jobs().waits(Priority::kLow)) return true;
    if (in_background_ && shared_.shared_jobs().is_background_spent()) return true;
  }
  for (WorkerRemote* const worker : shared_.workers()) {
    if (!worker->context().looks_empty()) return true;
  }
  return shared_.participants().any_of(
      [](const WorkerContext& context) { return !context.looks_empty(); });
}

// Returns whether a job of that priority is due.
JOBS_COLD bool Worker::is_aged(Priority priority, os::Nanoseconds now) noexcept {
  const bool is_low = priority == Priority::kLow;
  os::Nanoseconds& since = lower_since_[is_low ? 0 : 1];
  if (!parker_.affine.has(priority) && !shared_.shared_jobs().has(priority, !is_main_)) {
    since = 0;
    return false;
  }
  if (since == 0) since = now;
  return now - since >= (is_low ? kLowInterval : kBackgroundInterval);
}

JOBS_COLD Job* Worker::take_aged(os::Nanoseconds now) noexcept {
  for (const Priority priority : {Priority::kBackground, Priority::kLow}) {
    if (!is_aged(priority, now)) continue;
    if (Job* const job = take_lower_of(priority)) {
      lower_since_[priority == Priority::kLow ? 0 : 1] = 0;  // The next check begins the time.
      return job;
    }
  }
  return nullptr;
}

}  // namespace jobs::inline JOBS_ABI::detail
