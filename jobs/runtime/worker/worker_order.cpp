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

// Critical, high and affine jobs run first. After `kPreferredInARow` of them, one common job runs,
// so that neither kind starves.
constexpr unsigned kPreferredInARow = 60;
// A worker that never idles reads the limits of the machine once in kLimitsEvery checks.
constexpr unsigned kLimitsEvery = 16;
// The time and the number of jobs after which a job from the shared queue goes before the own jobs
// again. Between two such jobs, at least one own job runs. The first of these jobs after a while
// starts at once.
constexpr os::Nanoseconds kSharedInterval = 100'000;
constexpr std::uint64_t kMaxBetweenShared = 61;
// The intended time between two checks of a worker that runs only own jobs.
constexpr os::Nanoseconds kOrderCheckInterval = 500'000;
// A worker that always finds a newer job takes the oldest job of its deque once in this time.
constexpr os::Nanoseconds kOldestInterval = 5'000'000;

}  // namespace

// Takes the next job if a job outside of the deque may exist, or if a check is due.
JOBS_COLD Job* Worker::take_fairly() noexcept {
  checks_in_ = std::max(checks_in_, 1u);  // A job of another kind may go before a due check.
  if (in_background_) [[unlikely]]
    return take_after_background();
  if (has_jobs_outside()) {
    if (Job* const job = take_preferred()) return job;
  }
  if (shared_.is_excess(rank_)) [[unlikely]]
    return take_affine();
  return take_in_turn();
}

// Takes a critical, a high or an affine job. A flood of one kind starves no other kind. Of 61 jobs
// in a row, the last is a lower job that is due, or a common job, from the shared queue and the own
// deque in turn. The last but one is an affine normal job, the one before a high job, if there is
// one. Returns null if there is no such job, or if a common job is due.
Job* Worker::take_preferred() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  if (++preferred_in_a_row_ > kPreferredInARow && !shared_.is_excess(rank_)) {
    preferred_in_a_row_ = 0;
    const os::Nanoseconds now = os::quick_now();
    if (Job* const job = take_lower_in_turn(now)) return job;
    is_shared_due_ = !is_shared_due_;
    if (!is_shared_due_) {
      if (Job* const job = take_oldest(now)) return job;
    }
    if (Job* const job = take_common(is_shared_due_)) return job;
  }
  if (preferred_in_a_row_ == kPreferredInARow) {
    if (Job* const job = take_affine_of(Priority::kNormal)) return job;
  } else if (preferred_in_a_row_ == kPreferredInARow - 1) {
    if (Job* const job = take_of(Priority::kHigh)) return job;
  }
  const SharedJobs& queues_of_all = shared_.shared_jobs();
  for (const Priority priority : {Priority::kCritical, Priority::kHigh}) {
    if (!queues_of_all.waits(priority)) continue;
    if (Job* const job = take_of(priority)) return job;
  }
  if (Job* const job = take_affine_of(Priority::kNormal)) return job;
  preferred_in_a_row_ = 0;
  return nullptr;
}

// Takes a job that only this worker may run. Leaves the jobs of its deque to other workers.
JOBS_COLD Job* Worker::take_affine() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  checks_in_ = 1;  // The next take_job() calls take_fairly() again.
  pass_jobs_on();
  for (const Priority priority : {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                                  Priority::kLow, Priority::kBackground}) {
    if (Job* const job = take_affine_of(priority)) return job;
  }
  return nullptr;
}

// Takes a common job: the first job of the shared queue or the oldest job of the own deque, if it
// is its turn, otherwise the newest job of the own deque.
Job* Worker::take_in_turn() noexcept {
  const bool is_check = checks_in_ == 1;
  if (is_check && ++checks_ % kLimitsEvery == 0) {
    // Before IgnoreSync, because check_limits() locks a mutex.
    if (const os::Nanoseconds now = os::now(); shared_.is_check_due(now)) shared_.check_limits(now);
  }
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  const os::Nanoseconds now = os::quick_now();
  if (is_turn_of_shared(now)) {
    if (Job* const job = shared_.shared_jobs().take(!is_main_)) {
      before_shared_ = jobs.read();
      shared_at_ = now;
      return job;
    }
  }
  if (is_check) {
    begin_check(now);
    if (Job* const job = take_lower_in_turn(now)) return job;
    if (Job* const job = take_oldest(now)) return job;
  } else {
    --checks_in_;
  }
  return take_common(false);
}

// Returns whether a job of the shared queue goes before the own jobs.
bool Worker::is_turn_of_shared(os::Nanoseconds now) const noexcept {
  const std::uint64_t since = jobs.read() - before_shared_;
  return since >= kMaxBetweenShared || (since > 1 && now - shared_at_ >= kSharedInterval);
}

// Adapts the number of jobs between two checks to the length of the last jobs.
void Worker::begin_check(os::Nanoseconds now) noexcept {
  const os::Nanoseconds jobs_in_interval =
      check_every_ * kOrderCheckInterval / std::max<os::Nanoseconds>(now - checked_at_, 1);
  // The number at most doubles, because a few short jobs do not prove that the next jobs are short.
  check_every_ = static_cast<unsigned>(std::clamp<os::Nanoseconds>(
      jobs_in_interval, kMinCheckEvery, std::min(2 * check_every_, kMaxCheckEvery)));
  checks_in_ = check_every_;
  checked_at_ = now;
}

// Takes the oldest job of the own deque if it may have waited for kOldestInterval below newer jobs.
// A job that was below newer jobs in the last check, too, may have waited since then.
Job* Worker::take_oldest(os::Nanoseconds now) noexcept {
  if (!context_.has_older()) {
    oldest_since_ = 0;
    return nullptr;
  }
  if (oldest_since_ == 0) oldest_since_ = now;
  const auto wait = static_cast<std::uint64_t>(now - oldest_since_);
  if (const std::uint64_t longest = longest_wait_ns.read(); wait > longest)
    longest_wait_ns.add(wait - longest);
  if (now - oldest_since_ < kOldestInterval) return nullptr;
  Job* const job = context_.pop_oldest();
  if (job != nullptr) oldest_since_ = now;
  return job;
}

Job* Worker::take_common(bool shared_first) noexcept {
  if (shared_first) {
    if (Job* const job = shared_.shared_jobs().take(!is_main_)) return job;
  }
  Job* const job = context_.pop();
  return job != nullptr ? job : take_or_steal();
}

// Moves the jobs of the deque to the shared queue, oldest first, because this worker takes no more
// common jobs. Other workers could be too busy to steal. It notifies the workers again. When the
// jobs were pushed, the notification respected participant slots: it may have left a worker asleep,
// because another thread was working already.
JOBS_COLD void Worker::pass_jobs_on() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreSync queues;
  Job* first = nullptr;
  Job* last = nullptr;
  while (!context_.looks_empty()) {
    Job* const older = context_.pop();
    if (older == nullptr) break;  // A thief has taken it.
    older->next = first;
    first = older;
    if (last == nullptr) last = older;
  }
  if (first == nullptr) return;
  shared_.shared_jobs().push_chain(*first, *last);
  idle_.published_outside();
}

JOBS_COLD void Worker::yield_to_high() noexcept {
  if (&current() != high_in_loop_ && shared_.shared_jobs().waits(Priority::kHigh))
    yield_to(Priority::kHigh);
}

JOBS_COLD void Worker::yield_to(Priority priority) noexcept {
  if (this_thread().spin_locks != 0) return;
  poll();  // A job for this worker may lie in the inbox.
  try {
    fibers_.reserve_loop();
  } catch (...) {
    return;
  }
  Job* job = nullptr;
  {
    [[maybe_unused]] const sanitizer::IgnoreSync queues;
    job = take_of(priority);
  }
  if (job == nullptr) return;
  StackFiber& fiber = fibers_.loops().acquire(&run_in_loop, job);
  if (priority == Priority::kHigh) high_in_loop_ = &fiber;
  run_before_current(fiber, FiberState::kRunnable);
}

JOBS_COLD void Worker::run_pushed(Worker& self) noexcept {
  if (this_thread().spin_locks != 0 || self.pushers_ == kMaxPushers) return;
  try {
    self.fibers_.reserve_loop();
  } catch (...) {
    return;
  }
  Job* const job = self.context_.pop();
  if (job == nullptr) return;
  ++self.pushers_;
  self.run_before_current(self.fibers_.loops().acquire(&run_in_loop, job), FiberState::kRunnable);
  --self.pushers_;
}

}  // namespace jobs::inline JOBS_ABI::detail
