// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of Worker that decides when it steals again after a theft, and when it leaves jobs to
// thieves. Only the thread of the worker calls these functions.
#include <algorithm>

#include "jobs/base/os.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// A theft costs the victim two cache misses of about 150 ns each. A shorter job runs faster on its
// owner. So a thief pauses after each theft. The pause doubles after a theft that was not worth its
// cost: the stolen work kept the thief busy for less than kWorthATheft. For a fork the limit is
// kForkWorthATheft, because its joiner needs it soon and may have to suspend. Without the pause,
// trees of 300 ns took five times as long when two workers stole their parts from each other.
constexpr os::Nanoseconds kTheftEvery = 500;
constexpr os::Nanoseconds kMaxTheftPause = 8'000;
constexpr os::Nanoseconds kWorthATheft = 250;
constexpr os::Nanoseconds kForkWorthATheft = 1'000;
// Jobs without a joiner often lie in a deque by the thousand. If each of them is worth a theft, but
// none keeps the thief busy for a pause, the thief takes a batch. Each further job costs it one
// cache miss. Jobs of 250 ns with two workers: 152 ns per job, against 324 ns without batches.
constexpr unsigned kMaxBatch = 4;
constexpr os::Nanoseconds kWorthAnother = 150;
constexpr os::Nanoseconds kWorthATheftAlone = 2'000;
// The pause ends early if kMaxEmptyChecks checks of all queues find nothing. Then jobs are few, and
// each new job should start at once.
constexpr os::Nanoseconds kPauseCheckInterval = 250;
constexpr unsigned kMaxEmptyChecks = 4;
// The time for which a worker offers jobs although no other worker gets more fibers. A worker that
// was woken may wait for a CPU; it counts as searching meanwhile.
constexpr os::Nanoseconds kOffer = 200'000;
constexpr os::Nanoseconds kOfferToSearcher = 2'000'000;

}  // namespace

JOBS_COLD TheftPace::Step Worker::step_pace(os::Nanoseconds now) noexcept {
  return pace_.step(now, jobs.read(), [this] {
    const Worker& victim = *last_victim_->worker();
    return TheftPace::Progress{victim.jobs.read(), victim.context_.spawned.read()};
  });
}

// Returns whether a job is visible outside the deque of `victim`.
JOBS_ALWAYS_INLINE bool Worker::is_other_work_visible(const WorkerContext& victim) const noexcept {
  const SharedJobs& queues = shared_.shared_jobs();
  if (queues.has_common() || (!is_main_ && queues.has_not_main())) return true;
  for (const WorkerRemote* const worker : shared_.workers()) {
    if (&worker->context() != &victim && !worker->context().looks_empty()) return true;
  }
  return shared_.participants().any_of(
      [](const WorkerContext& context) { return !context.looks_empty(); });
}

// Pauses until the pace decides to steal, or until other work may exist. This worker counts as
// running, so a push of another worker wakes a parked worker. Returns false if a message or a
// deadline has ended the pause.
JOBS_ALWAYS_INLINE bool Worker::rest(TheftPace::Step& step) noexcept {
  while (step == TheftPace::Step::kPause) {
    const os::Nanoseconds now = os::now();
    if (!parker_.inbox.is_empty() || timers_.next_check() <= now) return false;
    if (now < pace_.next()) {
      relax();
    } else if (last_victim_->looks_empty() || is_other_work_visible(*last_victim_)) {
      pace_.reset();
      step = TheftPace::Step::kSteal;
    } else {
      step = step_pace(now);
    }
  }
  return true;
}

// Pauses after a theft. Returns false if a message has ended the pause early.
bool Worker::pause_after_theft() noexcept {
  struct Pause {
    explicit Pause(Atomic<bool>& flag) noexcept : pausing(flag) {
      pausing.store(true, pause_order::kBeginPause);
    }
    ~Pause() { Idle::end_pause(pausing); }
    Atomic<bool>& pausing;
  };
  const Pause pause(pausing_);
  os::Nanoseconds now = os::now();
  const bool was_fork = context_.stolen_forks.read() != forks_before_theft_;
  const os::Nanoseconds busy = now - last_theft_;
  const bool were_short = busy < last_batch_ * kWorthATheftAlone;
  TheftPace::Step step = TheftPace::Step::kUnknown;
  if (was_fork || !were_short || last_victim_ == nullptr) {
    pace_.reset();
  } else {
    step = step_pace(now);
    if (step == TheftPace::Step::kPause) {
      if (!rest(step)) return false;
      now = os::now();
    }
  }
  const bool was_worth_it =
      step == TheftPace::Step::kSteal ||
      (step == TheftPace::Step::kUnknown &&
       busy >= (was_fork ? kForkWorthATheft : kWorthATheft + (last_batch_ - 1) * kWorthAnother));
  batch_ = was_worth_it && were_short && !was_fork ? std::min(2 * batch_, kMaxBatch) : 1;
  theft_pause_ =
      was_worth_it ? kTheftEvery : std::clamp(2 * theft_pause_, kTheftEvery, kMaxTheftPause);
  os::Nanoseconds next_check = now + kPauseCheckInterval;
  unsigned empty_checks = 0;
  for (; now < last_theft_ + theft_pause_ && empty_checks < kMaxEmptyChecks; now = os::now()) {
    if (!parker_.inbox.is_empty()) return false;
    if (now >= next_check) {
      const bool is_empty = shared_.is_work_visible(!is_main_) == Idle::Visible::kNothing;
      next_check = is_empty ? now + kPauseCheckInterval : os::kNever;
      if (is_empty) ++empty_checks;
    }
    relax();
  }
  last_theft_ = 0;
  return true;
}

// Excess and vacant workers take no jobs, so they do not count.
JOBS_ALWAYS_INLINE FiberShare::Fibers Worker::count_fibers() const noexcept {
  FiberShare::Fibers fibers;
  for (unsigned i = 0; i < shared_.worker_count(); ++i) {
    Worker& worker = of(shared_, i);
    if (shared_.is_excess(i) || worker.is_vacant()) continue;
    const std::size_t count = worker.fibers_.in_use();
    fibers.add(i, count);
    (i == index_ ? fibers.own : fibers.others) += count;
  }
  return fibers;
}

// Returns whether a job is visible that other workers may take, and none that is for this worker or
// urgent.
bool Worker::has_offer() const noexcept {
  const SharedJobs& queues = shared_.shared_jobs();
  return shared_.is_work_visible(!is_main_) != Idle::Visible::kNothing &&
         !parker_.affine.has_upper() && !queues.waits(Priority::kCritical) &&
         !queues.waits(Priority::kHigh);
}

// Leaves visible jobs to workers with fewer fibers, if this worker has more than its share. Returns
// when it has not, when it has other work, or when the other workers take no part: then this worker
// takes the next job itself. This worker counts as running meanwhile, as a worker in a job.
JOBS_COLD void Worker::offer_jobs() noexcept {
  for (os::Nanoseconds since = 0; !shared_.is_excess(rank_) && context_.has_thieves();) {
    const FiberShare::Fibers fibers = count_fibers();
    if (!share_.exceeds(fibers) || !has_offer()) return;
    const os::Nanoseconds now = os::now();
    if (since == 0) fiber_offers.add(1);
    if (since == 0 || share_.has_grown()) since = now;
    if (now - since >= (idle_.has_searching_workers() ? kOfferToSearcher : kOffer))
      return share_.give_up();
    context_.publish();
    idle_.offered(fibers.least);
    relax();
    if (!parker_.inbox.is_empty()) drain(false);
    if (timers_.next_check() <= now) fire_timers(now);
    if (has_ready()) return;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
