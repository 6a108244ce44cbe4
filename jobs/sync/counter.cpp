// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/counter.hpp"

#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/stop_event.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI {

std::atomic<void (*)(Counter&) noexcept> Counter::lift_{nullptr};

// The caller is about to wait.
JOBS_ALWAYS_INLINE void Counter::lift_if_lower() noexcept {
  if ((failures_.load(detail::counter_order::kFailure) & kHasLower) == 0) [[likely]]
    return;
  if (const auto lift = lift_.load(std::memory_order_relaxed)) lift(*this);
}

// Nothing that the caller has linked before is lost: the lift neither waits nor runs a job.
bool Counter::OnZero::link() noexcept {
  counter_.lift_if_lower();
  return detail::OnZero::link();
}

void Counter::fail(std::exception_ptr error) noexcept {
  if ((failures_.fetch_add(1, detail::counter_order::kFailure) & kFailures) == 0)
    first_ = std::move(error);
}

void Counter::wait_for_jobs() {
  lift_if_lower();
  const detail::ThreadState& thread = detail::this_thread();
  const bool is_worker = thread.context != nullptr && thread.context->participant == nullptr;
  if (thread.help_counter != nullptr && !is_worker) thread.help_counter(this);
  core_.wait({});
}

bool Counter::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  if (deadline != detail::kPoll) lift_if_lower();
  detail::StopEvent stop_event(stop);
  if (core_.wait({.deadline = deadline, .stop = stop_event.get()}) != detail::WaitStatus::kOk)
    return false;
  if (failures_.load(detail::counter_order::kFailure) != 0) rethrow();
  return true;
}

// Also removes the flags, because no job is outstanding.
void Counter::rethrow() {
  const std::uint32_t failures = failures_.exchange(0, detail::counter_order::kFailure) & kFailures;
  if (failures == 0) return;  // another waiter has taken the exception
  dropped_ = failures - 1;
  std::exception_ptr error = first_;
  first_ = nullptr;
  std::rethrow_exception(std::move(error));
}

bool Counter::last_or_marked(detail::WaitState before) noexcept {
  const std::uint64_t count = detail::CountThreshold::count_of(before);
  if (count == 0) detail::contract_violation("Counter", this, "done() without a job outstanding");
  if (detail::CountThreshold::is_marked(before)) {
    detail::CountThreshold::fell(&core_);
  } else {
    core_.opened(before);
  }
  return count == 1;
}

void Counter::destroyed_in_use() noexcept {
  const detail::WaitState state = core_.state();
  if (state.flags() != 0) detail::contract_violation("Counter", this, "destroyed while waited on");
  if (std::uncaught_exceptions() == 0)
    detail::contract_violation("Counter", this, "destroyed with jobs outstanding");
  // An exception unwinds the frame that owns the counter. The jobs of the counter may refer to that
  // frame, so they end first.
  const detail::WaitingThread here;
  const detail::InterruptShield shield(here.host().current());
  core_.wait({});
}

void Counter::added_while_waited_on() const noexcept {
  detail::contract_violation("Counter", this, "add() from zero while waited on");
}

// After the addition of `n`. A mark is no count, and a count of 2^61 looks like a mark.
void Counter::check_overflow(std::size_t n) const noexcept {
  const std::uint64_t count = detail::CountThreshold::count_of(core_.look());
  if (count < n || count > kMaxCount) overflow();
}

void Counter::overflow() const noexcept {
  detail::contract_violation("Counter", this, "more than 2^60 jobs outstanding");
}

}  // namespace jobs::inline JOBS_ABI
