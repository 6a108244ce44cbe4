// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DependentJob: dependencies, submission and end. dependent_job.hpp has the protocol and its proof.
#include "jobs/runtime/scheduler/dependent_job.hpp"

#include "jobs/base/chaos.hpp"
#include "jobs/base/spin.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/scheduler/job_failure.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Returns the fiber that runs the caller; null on an external thread that does not wait.
const FiberCore* current_fiber() noexcept {
  const FiberHost* const host = this_thread().host;
  return host != nullptr ? &host->current() : nullptr;
}

}  // namespace

DependentJob::~DependentJob() {
  if (failure_ != nullptr) [[unlikely]]
    failure_->release();
}

void DependentJob::free() noexcept {
  this->~DependentJob();
  heap_deallocate_unsized(this);
}

void DependentJob::refuse_empty() {
  throw Error(ErrorCode::kBadArgument, "JobHandle: the handle is empty");
}

std::uint32_t DependentJob::checked_count(std::size_t count) {
  if (count >= kMaxCount)
    throw Error(ErrorCode::kBadArgument, "spawn_after: 2^30 - 1 dependencies or more");
  return static_cast<std::uint32_t>(count);
}

void DependentJob::admit() {
  if (shared_.is_own_worker()) [[likely]] {
    this_context()->spawned.add(1);
  } else {
    shared_.admit();
  }
}

// --- dependencies --------------------------------------------------------------------------------

bool DependentJob::link(Successor& entry) noexcept {
  Successor* head = successors_.load(dependent_order::kSeeClosed);
  do {
    if (head == closed()) return false;
    entry.next = head;
    chaos::inject_delay();
  } while (!successors_.compare_exchange_weak(head, &entry, dependent_order::kLink,
                                              dependent_order::kSeeClosed));
  return true;
}

bool DependentJob::follow(DependentJob& predecessor, Successor& entry) noexcept {
  const bool needs_result = entry.needs_result();
  if (predecessor.link(entry)) return true;
  destroy(entry);
  if (predecessor.failure_ != nullptr && needs_result) [[unlikely]]
    take(*predecessor.failure_);
  return false;
}

void DependentJob::destroy(Successor& entry) noexcept {
  if (entry.is_on_heap()) [[unlikely]] {
    delete &entry;
  } else {
    std::destroy_at(&entry);
  }
}

// The first failed predecessor determines the failure of this job. It is published by the
// dependency that its caller meets next.
void DependentJob::take(JobFailure& failure) noexcept {
  std::uint32_t seen = word_.load(dependent_order::kGuess);
  do {
    if ((seen & kFailed) != 0) return;
  } while (!word_.compare_exchange_weak(seen, seen | kFailed, dependent_order::kGuess,
                                        dependent_order::kGuess));
  failure.add_owner();
  failure_ = &failure;
}

void DependentJob::add(std::uint64_t count) {
  add_to_count(count);
  note_added(static_cast<std::uint32_t>(count));
}

void DependentJob::add_to_count(std::uint64_t count) {
  std::uint32_t seen = word_.load(dependent_order::kGuess);
  do {
    if ((seen & kMaxCount) == 0)
      throw Error(ErrorCode::kBadArgument, "JobHandle: add_dependency() after the start");
    if (count > kMaxCount - (seen & kMaxCount))
      throw Error(ErrorCode::kBadArgument, "JobHandle: more than 2^30 dependencies");
  } while (!word_.compare_exchange_weak(seen, seen + static_cast<std::uint32_t>(count),
                                        dependent_order::kGuess, dependent_order::kGuess));
}

void DependentJob::add(DependentJob& predecessor) {
  if (&predecessor == this)
    throw Error(ErrorCode::kBadArgument, "JobHandle: a job cannot depend on itself");
  auto entry = std::make_unique<Successor>(*this, Dependency::kResult, true);
  add_to_count(1);
  if (!follow(predecessor, *entry.release())) meet(1);
}

// The job cannot start between the two steps, because they are about the same dependencies.
void DependentJob::remove(std::uint64_t count) {
  if (count == 0) return;
  std::uintptr_t seen = added_or_runner_.load(dependent_order::kGuess);
  do {
    if (count > added_in(seen))
      throw Error(
          ErrorCode::kBadArgument,
          "JobHandle: remove_dependency() of more dependencies than were added by a number");
  } while (!added_or_runner_.compare_exchange_weak(
      seen, seen - kAdded * static_cast<std::uintptr_t>(count), dependent_order::kGuess,
      dependent_order::kGuess));
  meet(static_cast<std::uint32_t>(count));
}

// --- submission ----------------------------------------------------------------------------------

void DependentJob::submit() noexcept {
  if (!shared_.is_own_worker()) return submit_from_outside();
  try {
    this_context()->push(*this);
  } catch (const std::bad_alloc&) {
    shared_.resubmit(*this);
  }
}

// No other thread writes word_ at a count of zero.
void DependentJob::submit_from_outside() noexcept {
  add_owner();
  word_.store(kBeingSubmitted, dependent_order::kGuess);
  shared_.resubmit(*this);
  chaos::inject_delay();
  word_.store(0, dependent_order::kSubmitted);
  release();
}

// --- run and end ---------------------------------------------------------------------------------

bool DependentJob::begin() noexcept {
  added_or_runner_.store(reinterpret_cast<std::uintptr_t>(current_fiber()),
                         dependent_order::kGuess);
  return failure_ == nullptr;
}

void DependentJob::fail(std::exception_ptr exception) noexcept {
  failure_ = JobFailure::make(shared_, std::move(exception));
}

void DependentJob::end() noexcept {
  Successor* left = successors_.exchange(closed(), dependent_order::kClose);
  ended_.opened(ended_.subtract(1));
  while (left != nullptr) {
    Successor& entry = *left;
    left = entry.next;
    DependentJob& job = entry.job();
    if (failure_ != nullptr && entry.needs_result()) [[unlikely]]
      job.take(*failure_);
    destroy(entry);
    job.meet(1);
  }
  Spin spin;
  while (word_.load(dependent_order::kSeeSubmitted) == kBeingSubmitted) spin.once();
  this_context()->finished.add(1);
  release();
}

bool DependentJob::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  StopEvent stop_event(stop);
  return wait({.deadline = deadline, .stop = stop_event.get()});
}

bool DependentJob::wait(WaitLimit limit) {
  if (!is_done()) {
    if (const FiberCore* const fiber = current_fiber();
        fiber != nullptr &&
        added_or_runner_.load(dependent_order::kGuess) == reinterpret_cast<std::uintptr_t>(fiber))
      throw Error(ErrorCode::kBadArgument, "JobHandle: a job cannot wait for its own end");
    if (ended_.wait(limit, WaitKind::kJob) != WaitStatus::kOk) return false;
  }
  if (failure_ != nullptr) [[unlikely]]
    failure_->rethrow();
  return true;
}

}  // namespace jobs::inline JOBS_ABI::detail
