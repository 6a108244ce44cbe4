// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Worker that decides which kind of job runs next, so that no kind of job starves.
// README.md has the rules. Only the thread of the worker calls these functions.
#include <algorithm>
#include <atomic>

#include "jobs/base/annotate.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Urgent and affine jobs run first. After `kPreferredInARow` of them, one common job runs, so that
// neither kind starves.
constexpr unsigned kPreferredInARow = 60;
// A worker that never idles reads the limits of the machine once in kLimitsEvery checks of the
// shared queue.
constexpr unsigned kLimitsEvery = 16;
// The intended time between two turns of the shared queue. A job from outside waits for that time
// or for two jobs, whichever is longer, and for the jobs before it in the queue.
constexpr os::Nanoseconds kTurnInterval = 500'000;
// A worker that always finds a newer job takes the oldest job of its deque once in this time.
constexpr os::Nanoseconds kOldestInterval = 5'000'000;

Job* job_of(const JobMessage* message) noexcept {
  return message != nullptr ? message->job : nullptr;
}

}  // namespace

// Takes the next job if preferred jobs may exist, or if the turn of the shared queue has come. A
// flood of one kind starves no other kind. Of 61 jobs in a row, the last is a common job, from the
// shared queue and the own deque in turn. The last but one is not urgent.
JOBS_COLD Job* Worker::take_fairly() noexcept {
  if (!has_preferred()) {
    if (shared_.is_excess(rank_)) [[unlikely]]
      return take_affine();
    if (++shared_checks_ % kLimitsEvery == 0) {
      if (const os::Nanoseconds now = os::now(); shared_.is_check_due(now))
        shared_.check_limits(now);
    }
    [[maybe_unused]] const sanitizer::IgnoreSync
        queues;  // After check_limits(), because it locks a mutex.
    return take_in_turn();
  }
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  AffineJobs& affine = parker_.affine;
  if (++preferred_in_a_row_ > kPreferredInARow && !shared_.is_excess(rank_)) {
    preferred_in_a_row_ = 0;
    is_shared_due_ = !is_shared_due_;
    if (!is_shared_due_) {
      if (Job* const job = take_oldest(os::quick_now())) return job;
    }
    if (Job* const job = take_common(is_shared_due_)) return job;
  }
  if (preferred_in_a_row_ == kPreferredInARow) {
    if (Job* const job = job_of(affine.pop_normal())) return job;
  }
  if (Job* const job = take_urgent()) return job;
  if (Job* const job = job_of(affine.pop_normal())) return job;
  preferred_in_a_row_ = 0;
  return shared_.is_excess(rank_) ? take_affine() : take_in_turn();
}

// Takes a job that only this worker may run. Leaves the jobs of its deque to other workers.
JOBS_COLD Job* Worker::take_affine() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  turns_to_shared_ = 1;  // The next take_job() calls take_fairly() again.
  context_.publish_all();
  if (Job* const job = take_urgent_affine()) return job;
  return job_of(parker_.affine.pop_normal());
}

// Takes an urgent job, from the messages to this worker and from the shared queues in turn.
Job* Worker::take_urgent() noexcept {
  is_own_due_ = !is_own_due_;
  for (const bool own : {is_own_due_, !is_own_due_}) {
    if (Job* const job = own ? take_urgent_affine() : shared_.shared_jobs().take_urgent(!is_main_))
      return job;
  }
  return nullptr;
}

Job* Worker::take_urgent_affine() noexcept {
  Job* const job = job_of(parker_.affine.pop_urgent());
  if (job != nullptr) shared_.shared_jobs().remove_urgent();
  return job;
}

// Takes a common job: in the turn of the shared queue, the job that has waited longest, otherwise
// the newest job of the own deque.
Job* Worker::take_in_turn() noexcept {
  if (turns_to_shared_ > 1) {
    --turns_to_shared_;
    return take_common(false);
  }
  const os::Nanoseconds now = os::quick_now();
  begin_turns(now);
  Job* const job = take_oldest(now);
  return job != nullptr ? job : take_common(true);
}

// Adapts the number of jobs between two turns of the shared queue to the length of the last jobs.
void Worker::begin_turns(os::Nanoseconds now) noexcept {
  const os::Nanoseconds turns =
      shared_every_ * kTurnInterval / std::max<os::Nanoseconds>(now - last_turn_, 1);
  // The number at most doubles, because a few short jobs do not prove that the next jobs are short.
  shared_every_ = static_cast<unsigned>(std::clamp<os::Nanoseconds>(
      turns, kMinSharedEvery, std::min(2 * shared_every_, kMaxSharedEvery)));
  turns_to_shared_ = shared_every_;
  last_turn_ = now;
}

// Takes the oldest job of the own deque if it may have waited for kOldestInterval below newer jobs.
Job* Worker::take_oldest(os::Nanoseconds now) noexcept {
  if (oldest_since_ != 0 && now - oldest_since_ < kOldestInterval) return nullptr;
  const bool is_due = oldest_since_ != 0;
  oldest_since_ = now;
  return is_due ? context_.pop_oldest() : nullptr;
}

Job* Worker::take_common(bool shared_first) noexcept {
  if (shared_first) {
    if (Job* const job = shared_.shared_jobs().take(!is_main_)) return job;
  }
  Job* const job = context_.pop();
  return job != nullptr ? job : take_or_steal();
}

JOBS_COLD void Worker::yield_to_urgent() noexcept {
  if (this_thread().spin_locks != 0) return;
  poll();  // An urgent job for this worker may lie in the inbox.
  try {
    fibers_.reserve_loop();
  } catch (...) {
    return;
  }
  Job* job = nullptr;
  {
    [[maybe_unused]] const sanitizer::IgnoreSync queues;
    job = take_urgent();
  }
  if (job != nullptr)
    run_before_current(fibers_.loops().acquire(&run_urgent, job), FiberState::kRunnable);
}

}  // namespace jobs::inline JOBS_ABI::detail
