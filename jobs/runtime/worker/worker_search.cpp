// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How a worker comes by its next job when its own deque does not give one: whose turn it is among the queues, stealing, searching,
// sleeping, and resting while the machine grants fewer workers.
#include <algorithm>
#include <atomic>

#include "jobs/base/annotate.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/runtime/worker/worker.hpp"

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
  if (shared_.is_surplus(index_)) [[unlikely]]
    return nullptr;
  if (Job* const job = shared_.shared_jobs().take(!is_main_)) return job;
  return steal_one();
}

// A flood of one kind starves no other: of each 61 jobs the last is a common one, from a shared queue and from the deque in turn,
// and the last but one is none of the urgent ones; those come from here and from the shared queues in turn.
JOBS_COLD Job* Worker::take_in_turn() noexcept {
  if (!has_special()) {
    if (shared_.is_surplus(index_)) [[unlikely]]
      return take_placed();
    if (++looks_at_shared_ % kLimitsEvery == 0) {
      if (const os::Nanoseconds now = os::now(); shared_.is_look_due(now)) shared_.look_at_limits(now);
    }
    [[maybe_unused]] const sanitizer::Unordered queues;  // not before: what looks at limits has a lock
    return take_common(is_turn_of_shared());
  }
  [[maybe_unused]] const sanitizer::Unordered queues;
  PlacedJobs& placed = sleeper_.placed;
  if (++preferred_in_a_row_ > kPreferredInARow && !shared_.is_surplus(index_)) {
    preferred_in_a_row_ = 0;
    is_shared_due_ = !is_shared_due_;
    if (Job* const job = take_common(is_shared_due_)) return job;
  }
  if (preferred_in_a_row_ == kPreferredInARow) {
    if (Job* const job = job_of(placed.pop_normal())) return job;
  }
  is_own_due_ = !is_own_due_;
  for (const bool own : {is_own_due_, !is_own_due_}) {
    if (Job* const job = own ? job_of(placed.pop_urgent()) : shared_.shared_jobs().take_urgent(!is_main_)) return job;
  }
  if (Job* const job = job_of(placed.pop_normal())) return job;
  preferred_in_a_row_ = 0;
  return shared_.is_surplus(index_) ? take_placed() : take_common(is_turn_of_shared());
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
    if (Job* const job = shared_.shared_jobs().take(!is_main_)) return job;
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
      const bool is_empty = shared_.is_work_visible(!is_main_) == Idle::Visible::kNothing;
      next_look = is_empty ? now + kLookEvery : os::kNever;
      if (is_empty) ++empty_looks;
    }
    relax();
  }
  last_theft_ = 0;
  return true;
}

Job* Worker::steal_one() noexcept {
  if (last_theft_ != 0 && !pause_after_theft()) return nullptr;
  Lane* hidden = nullptr;
  const std::uint64_t before = steals.read();
  Job* const job = sweep(hidden);
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

// One sweep over all victims, nearest first, each ring from a random start. Null: all deques were empty, or some were hidden: then
// `hidden` is a lane that has been asked to share its jobs. pre: the own deque is empty.
Job* Worker::sweep(Lane*& hidden) noexcept {
  hidden = nullptr;
  chaos::point();
  if (chaos::strikes()) return nullptr;
  const std::span<WorkerRemote* const> workers = shared_.workers();
  const Topology& topology = shared_.topology();
  for (const std::vector<unsigned>& ring : rings_) {
    const auto size = static_cast<unsigned>(ring.size());
    unsigned at = random_.below(size);
    for (unsigned i = 0; i < size; ++i) {
      const bool is_remote = shared_.is_placed() && topology.cpu_of(index_).node != topology.cpu_of(ring[at]).node;
      if (Job* const job = steal_from(workers[ring[at]]->lane(), is_remote, hidden)) return job;
      if (++at == size) at = 0;
    }
  }
  Job* job = nullptr;
  shared_.guests().any_of([&](Lane& lane) { return (job = steal_from(lane, false, hidden)) != nullptr; });
  return job;
}

// Of a batch all jobs but the first go to the own deque. `hidden`: set if it is null and the victim's jobs are hidden.
Job* Worker::steal_from(Lane& victim, bool is_remote, Lane*& hidden) noexcept {
  if (victim.looks_empty()) return nullptr;
  StealResult<Job> result = victim.steal();
  while (result.outcome == StealOutcome::kLost) result = victim.steal();
  if (result.outcome == StealOutcome::kHidden && hidden == nullptr) hidden = &victim;  // the nearest
  if (result.item == nullptr) return nullptr;
  // A theft from another node costs more, so it takes more jobs.
  const unsigned others = batch_ > 1 ? lane_.take_from(victim, is_remote ? 2 * batch_ : batch_ - 1) : 0;
  steals.add(1 + others);
  if (is_remote) remote_steals.add(1 + others);
  return result.item;
}

// Owners that fork answer in nanoseconds. One that computes for long without a look at its deque is raided.
void Worker::wait_for_answer(Lane& hidden) noexcept {
  const os::Nanoseconds now = os::now();
  if (asked_at_ == 0) asked_at_ = now;
  if (!shared_.raids().may_begin(asked_at_, now)) return;
  hidden.raid();
  shared_.raids().note(!hidden.looks_empty(), now);
  raids.add(1);
  asked_at_ = 0;
}

// Searches, then sleeps, until there is a job (returned), or there is a ready fiber, a job for this worker or the end (null).
Job* Worker::wait_for_job() noexcept {
  reset_float_control();
  preferred_in_a_row_ = 0;
  asked_at_ = 0;
  const os::Nanoseconds start = os::now();
  if (shared_.is_look_due(start)) shared_.look_at_limits(start);  // before anybody counts on us as searching
  os::Nanoseconds spin_until = start + shared_.search_time();
  const auto note_end = [&] { idle_ns.add(static_cast<std::uint64_t>(os::now() - start)); };
  const auto leave = [&](Job* job) {
    cool_down();
    idle_.found_work();
    note_end();
    return job;
  };
  if (shared_.is_surplus(index_) && rest()) {
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
      if (has_ready() || shared_.is_stopping()) return leave(nullptr);
      if (!sleeper_.placed.empty()) continue;  // it must not sleep on what it has taken out of its inbox
      if (shared_.is_surplus(index_)) break;
      if (now >= spin_until && asked_at_ == 0 && timers_.next_look() > now) {
        if (!stay_hot(now)) break;
        spin_until = now + shared_.search_time();
      }
      if (is_main_ && shared_.shared_jobs().has_off_main()) break;  // to pass them on
      for (unsigned i = 0; i < (eager ? 1 : kLazySteps) && sleeper_.inbox.is_empty(); ++i) relax();
    }
    cool_down();

    if (shared_.is_surplus(index_)) [[unlikely]] {
      idle_.found_work();  // as far as the others are concerned: whatever there is, is not for us
      if (rest()) {
        note_end();
        return nullptr;
      }
      eager = idle_.start_searching();
      spin_until = os::now() + shared_.search_time();
      continue;
    }
    shared_.before_park();
    if (has_ready()) continue;  // a shutdown on this very worker waited for that
    parks.add(1);
    shared_.tell_idle(index_);
    lane_.forget_cpu();
    const Idle::Woken woken =
        idle_.park(index_, timers_.next_look(), [this] { return shared_.is_work_visible(!is_main_); });
    settle();
    shared_.after_park();
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
    spin_until = os::now() + shared_.search_time();
  }
}

// This worker has searched for as long as it may. True: somebody wants it to go on all the same (HotRegion).
JOBS_COLD bool Worker::stay_hot(os::Nanoseconds now) noexcept {
  if (++hot_searches_ > HotRegions::kMostSearches || !shared_.may_be_hot(is_hot())) return false;
  hot_.store(true, std::memory_order_relaxed);
  os::yield_thread();  // to whoever else wants this CPU
  if (shared_.is_look_due(now)) shared_.look_at_limits(now);
  return true;
}

void Worker::cool_down() noexcept {
  hot_searches_ = 0;
  if (!is_hot()) return;
  hot_.store(false, std::memory_order_relaxed);
  shared_.leave_hot();
}

// One worker too many: it sleeps, and wakes up for what only it may run. It is neither searching nor parked, so that no job is handed to
// it; what lies in its deque is taken by the others. True: there is something to run here, or this is the end.
// False: it is one of the active again.
JOBS_COLD bool Worker::rest() noexcept {
  bool has_something = false;
  asked_at_ = 0;  // it wants no answer any more
  lane_.leave_to_others();
  while (!has_something && shared_.is_surplus(index_)) {
    shared_.before_park();
    if (has_ready() || !sleeper_.placed.empty() || shared_.is_stopping()) {
      has_something = true;
      break;
    }
    parks.add(1);
    shared_.tell_idle(index_);
    lane_.forget_cpu();
    resting_.store(true, std::memory_order_relaxed);
    sleeper_.inbox.park(std::min(timers_.next_look(), shared_.next_look_of(index_)));
    resting_.store(false, std::memory_order_relaxed);
    lane_.note_cpu();
    drain(true);
    const os::Nanoseconds now = os::now();
    fire_timers(now);
    if (shared_.is_look_due(now)) shared_.look_at_limits(now);
    has_something = has_ready() || !sleeper_.placed.empty() || shared_.is_stopping();
  }
  if (!shared_.is_surplus(index_)) shared_.after_park();
  return has_something;
}

// One step of a search.
void Worker::relax() const noexcept {
  if (shared_.is_oversubscribed()) {
    os::yield_thread();
  } else {
    // About 80 ns: a thief that looks more often only takes the owner's cache line away.
    for (int i = 0; i < 8; ++i) cpu_relax();
  }
}

// Another worker or a guest runs on that CPU, as far as is known.
bool Worker::is_cpu_taken(unsigned cpu) const noexcept {
  for (const WorkerRemote* const worker : shared_.workers()) {
    if (worker != this && worker->lane().was_on(cpu)) return true;
  }
  return shared_.guests().any_of([cpu](const Lane& lane) { return lane.was_on(cpu); });
}

// Kernels wake a thread on the CPU of its waker if they take the others for busy, and in a virtual machine a halted CPU looks
// busy. Then waker and woken would share one CPU for milliseconds, while another idles: so the woken one moves on.
void Worker::settle() noexcept {
  if (shared_.is_oversubscribed()) return;
  if (is_cpu_taken(os::current_cpu())) os::leave_cpu();
  lane_.note_cpu();
}

}  // namespace jobs::inline JOBS_ABI::detail
