// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How a worker comes by its next job when its own deque does not give one: whose turn it is among the queues, stealing, searching,
// sleeping, and resting while the machine grants fewer workers.
#include <algorithm>
#include <atomic>

#include "jobs/base/chaos.hpp"
#include "jobs/base/hand_over.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/runtime/scheduler_core.hpp"
#include "jobs/runtime/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Urgent jobs and those that only this worker may run go before all others; but after so many in a row one of the others is due.
constexpr unsigned kPreferredInARow = 60;
// A theft costs the victim two cache misses, of some 150 ns each: jobs that take no longer are better left to their owner. So there
// is a pause after each, twice as long after one that was not worth it. That is, what came of it did not keep the thief busy for so long;
// a fork must, because its joiner comes for it soon and may have to suspend. Trees of 300 ns took five times as long where two
// workers stole their parts from each other.
constexpr os::Nanoseconds kTheftEvery = 500;
constexpr os::Nanoseconds kMaxTheftPause = 8'000;
constexpr os::Nanoseconds kWorthATheft = 250;
constexpr os::Nanoseconds kForkWorthATheft = 1'000;
// Jobs that nobody joins lie side by side by the thousand. So from those that were worth a theft each, but would not keep the thief
// busy for a pause, it takes some at a time: they cost it one miss each. Jobs of 250 ns, with two workers: 324 -> 152 ns each.
constexpr unsigned kMaxBatch = 4;
constexpr os::Nanoseconds kWorthAnother = 150;
constexpr os::Nanoseconds kWorthATheftAlone = 2'000;
// The pause ends early if all these looks found nothing: jobs are few then, and whoever makes one wants it started at once.
constexpr os::Nanoseconds kLookEvery = 250;
constexpr unsigned kEmptyLooks = 4;
// Enough others search: this one mostly watches its inbox, because at the end of nested joins workers wake each other in turns, and
// looks at the queues about once a microsecond.
constexpr unsigned kLazySteps = 16;
// A worker that never idles looks at what the machine grants every so many times that it looks at the shared queue.
constexpr unsigned kLimitsEvery = 16;

Job* job_of(const JobMessage* message) noexcept { return message != nullptr ? message->job : nullptr; }

}  // namespace

JOBS_NOINLINE Job* Worker::take_elsewhere() noexcept {
  if (core_.is_surplus(index_)) [[unlikely]]
    return nullptr;
  if (Job* const job = core_.shared_jobs().take(!is_main_)) return job;
  return steal_one();
}

// A flood of one kind starves no other: of each 61 jobs the last is a common one, from a shared queue and from the deque in turn,
// and the last but one is none of the urgent ones; those come from here and from the shared queues in turn.
JOBS_COLD Job* Worker::take_in_turn() noexcept {
  if (!has_special()) {
    if (core_.is_surplus(index_)) [[unlikely]]
      return take_placed();
    if (++looks_at_shared_ % kLimitsEvery == 0) {
      if (const os::Nanoseconds now = os::now(); core_.is_look_due(now)) core_.look_at_limits(now);
    }
    [[maybe_unused]] const sanitizer::Unordered queues;  // not before: what looks at limits has a lock
    return take_common(is_turn_of_shared());
  }
  [[maybe_unused]] const sanitizer::Unordered queues;
  PlacedJobs& placed = sleeper_.placed;
  if (++preferred_in_a_row_ > kPreferredInARow && !core_.is_surplus(index_)) {
    preferred_in_a_row_ = 0;
    is_shared_due_ = !is_shared_due_;
    if (Job* const job = take_common(is_shared_due_)) return job;
  }
  if (preferred_in_a_row_ == kPreferredInARow) {
    if (Job* const job = job_of(placed.pop_normal())) return job;
  }
  is_own_due_ = !is_own_due_;
  for (const bool own : {is_own_due_, !is_own_due_}) {
    if (Job* const job = own ? job_of(placed.pop_urgent()) : core_.shared_jobs().take_urgent(!is_main_)) return job;
  }
  if (Job* const job = job_of(placed.pop_normal())) return job;
  preferred_in_a_row_ = 0;
  return core_.is_surplus(index_) ? take_placed() : take_common(is_turn_of_shared());
}

// What nobody else may run. All else that lies here is left to others.
JOBS_COLD Job* Worker::take_placed() noexcept {
  [[maybe_unused]] const sanitizer::Unordered queues;
  turns_to_shared_ = 1;  // the next time, too
  lane_.leave_to_others();
  if (Job* const job = job_of(sleeper_.placed.pop_urgent())) return job;
  return job_of(sleeper_.placed.pop_normal());
}

bool Worker::is_turn_of_shared() noexcept {
  if (turns_to_shared_ > 1) {
    --turns_to_shared_;
    return false;
  }
  turns_to_shared_ = kSharedEvery;
  return true;
}

Job* Worker::take_common(bool shared_first) noexcept {
  if (shared_first) {
    if (Job* const job = core_.shared_jobs().take(!is_main_)) return job;
  }
  Job* const job = lane_.pop();
  return job != nullptr ? job : take_elsewhere();
}

// False: a message has cut it short.
bool Worker::pause_after_theft() noexcept {
  os::Nanoseconds now = os::now();
  const bool was_fork = lane_.stolen_forks.read() != forks_before_theft_;
  const os::Nanoseconds busy = now - last_theft_;
  const bool was_worth_it = busy >= (was_fork ? kForkWorthATheft : kWorthATheft + (last_batch_ - 1) * kWorthAnother);
  const bool were_short = busy < last_batch_ * kWorthATheftAlone;
  batch_ = was_worth_it && were_short && !was_fork ? std::min(2 * batch_, kMaxBatch) : 1;
  theft_pause_ = was_worth_it ? kTheftEvery : std::clamp(2 * theft_pause_, kTheftEvery, kMaxTheftPause);
  os::Nanoseconds next_look = now + kLookEvery;
  unsigned empty_looks = 0;
  for (; now < last_theft_ + theft_pause_ && empty_looks < kEmptyLooks; now = os::now()) {
    if (!sleeper_.inbox.is_empty()) return false;
    if (now >= next_look) {
      const bool is_empty = core_.is_work_visible(!is_main_) == Idle::Visible::kNothing;
      next_look = is_empty ? now + kLookEvery : os::kNever;
      if (is_empty) ++empty_looks;
    }
    core_.relax();
  }
  last_theft_ = 0;
  return true;
}

Job* Worker::steal_one() noexcept {
  if (last_theft_ != 0 && !pause_after_theft()) return nullptr;
  Lane* hidden = nullptr;
  const std::uint64_t before = steals.read();
  Job* const job = core_.steal(index_, random_, batch_, hidden);
  if (hidden == nullptr || job != nullptr) {
    asked_at_ = 0;
  } else {
    wait_for_answer(*hidden);
  }
  if (job == nullptr) return nullptr;
  last_batch_ = static_cast<unsigned>(steals.read() - before);
  last_theft_ = os::now();
  forks_before_theft_ = lane_.stolen_forks.read();
  return job;
}

// Owners that fork answer in nanoseconds. One that computes for long without a look at its deque is raided.
void Worker::wait_for_answer(Lane& hidden) noexcept {
  const os::Nanoseconds now = os::now();
  if (asked_at_ == 0) asked_at_ = now;
  if (!core_.raids().may_begin(asked_at_, now)) return;
  hidden.raid();
  core_.raids().note(!hidden.looks_empty(), now);
  raids.add(1);
  asked_at_ = 0;
}

// Searches, then sleeps, until there is a job (returned), or there is a ready fiber, a job for this worker or the end (null).
Job* Worker::wait_for_job() noexcept {
  reset_float_control();
  preferred_in_a_row_ = 0;
  asked_at_ = 0;
  const os::Nanoseconds start = os::now();
  if (core_.is_look_due(start)) core_.look_at_limits(start);  // before anybody counts on us as searching
  os::Nanoseconds spin_until = start + core_.search_time();
  const auto note_end = [&] { idle_ns.add(static_cast<std::uint64_t>(os::now() - start)); };
  const auto leave = [&](Job* job) {
    cool_down();
    idle_.found_work();
    note_end();
    return job;
  };
  if (core_.is_surplus(index_) && rest()) {
    note_end();
    return nullptr;
  }
  bool eager = idle_.start_searching();
  for (;;) {
    for (;;) {
      if (Job* const job = take_job()) return leave(job);
      const os::Nanoseconds now = os::now();
      if (!sleeper_.inbox.is_empty()) drain(true);
      fire_timers(now);
      if (has_ready() || core_.is_stopping()) return leave(nullptr);
      if (!sleeper_.placed.empty()) continue;  // it must not sleep on what it has taken out of its inbox
      if (core_.is_surplus(index_)) break;
      if (now >= spin_until && asked_at_ == 0 && timers_.next_look() > now) {
        if (!stay_hot(now)) break;
        spin_until = now + core_.search_time();
      }
      if (is_main_ && core_.shared_jobs().has_off_main()) break;  // to pass them on
      for (unsigned i = 0; i < (eager ? 1 : kLazySteps) && sleeper_.inbox.is_empty(); ++i) core_.relax();
    }
    cool_down();

    if (core_.is_surplus(index_)) [[unlikely]] {
      idle_.found_work();  // as far as the others are concerned: whatever there is, is not for us
      if (rest()) {
        note_end();
        return nullptr;
      }
      eager = idle_.start_searching();
      spin_until = os::now() + core_.search_time();
      continue;
    }
    core_.before_park();
    if (has_ready()) continue;  // a shutdown on this very worker waited for that
    parks.add(1);
    core_.tell_idle(index_);
    lane_.forget_cpu();
    const Idle::Woken woken =
        idle_.park(index_, timers_.next_look(), [this] { return core_.is_work_visible(!is_main_); });
    settle();
    core_.after_park();
    if (sleeper_.inspections != nullptr) answer_inspections(true);
    if (woken == Idle::Woken::kByMessage) {
      drain(true);
      // It has not searched, so nobody counts on it to wake the next one: such a wake-up stays between the two.
      if (has_ready() || !sleeper_.placed.empty()) {
        note_end();
        return nullptr;
      }
      eager = idle_.start_searching();
    }
    spin_until = os::now() + core_.search_time();
  }
}

// This worker has searched for as long as it may. True: somebody wants it to go on all the same (HotRegion).
JOBS_COLD bool Worker::stay_hot(os::Nanoseconds now) noexcept {
  if (++hot_searches_ > HotRegions::kMostSearches || !core_.may_be_hot(is_hot())) return false;
  hot_.store(true, std::memory_order_relaxed);
  os::yield_thread();  // to whoever else wants this CPU
  if (core_.is_look_due(now)) core_.look_at_limits(now);
  return true;
}

void Worker::cool_down() noexcept {
  hot_searches_ = 0;
  if (!is_hot()) return;
  hot_.store(false, std::memory_order_relaxed);
  core_.leave_hot();
}

// One worker too many: it sleeps, and wakes up for what only it may run. It is neither searching nor parked, so that no job is handed to
// it; what lies in its deque is taken by the others. True: there is something to run here, or this is the end.
// False: it is one of the active again.
JOBS_COLD bool Worker::rest() noexcept {
  bool has_something = false;
  asked_at_ = 0;  // it wants no answer any more
  lane_.leave_to_others();
  while (!has_something && core_.is_surplus(index_)) {
    core_.before_park();
    if (has_ready() || !sleeper_.placed.empty() || core_.is_stopping()) {
      has_something = true;
      break;
    }
    parks.add(1);
    core_.tell_idle(index_);
    lane_.forget_cpu();
    resting_.store(true, std::memory_order_relaxed);
    sleeper_.inbox.park(std::min(timers_.next_look(), core_.next_look_of(index_)));
    resting_.store(false, std::memory_order_relaxed);
    lane_.note_cpu();
    drain(true);
    const os::Nanoseconds now = os::now();
    fire_timers(now);
    if (core_.is_look_due(now)) core_.look_at_limits(now);
    has_something = has_ready() || !sleeper_.placed.empty() || core_.is_stopping();
  }
  if (!core_.is_surplus(index_)) core_.after_park();
  return has_something;
}

// Kernels wake a thread on the CPU of its waker if they take the others for busy, and in a virtual machine a halted CPU looks
// busy. Then waker and woken would share one CPU for milliseconds, while another idles: so the woken one moves on.
void Worker::settle() noexcept {
  if (core_.is_oversubscribed()) return;
  if (core_.is_cpu_taken(os::current_cpu(), *this)) os::leave_cpu();
  lane_.note_cpu();
}

}  // namespace jobs::inline JOBS_ABI::detail
