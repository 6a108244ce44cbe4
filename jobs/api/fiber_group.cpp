// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberGroup: the list of members under a lock. Members and stopping threads use it concurrently.
#include "jobs/fiber_group.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI {

void FiberGroup::Membership::begin() {
  FiberRef self = this_fiber::ref();
  const std::scoped_lock lock(group_.lock_);
  if (group_.is_stopping_) self.request_stop();
  group_.members_.push_back(std::move(self));
}

FiberGroup::Membership::~Membership() {
  const FiberRef self = this_fiber::ref();
  const std::scoped_lock lock(group_.lock_);
  detail::HeapVector<FiberRef>& members = group_.members_;
  const auto position = std::find(members.begin(), members.end(), self);
  if (position == members.end()) return;  // begin() has failed
  std::iter_swap(position, members.end() - 1);
  members.pop_back();
}

FiberGroup::~FiberGroup() {
  const detail::WaitingThread here;
  const detail::InterruptShield shield(here.host().current());
  request_stop();
  try {
    wait();
  } catch (...) {
  }
}

void FiberGroup::wait() { static_cast<void>(wait_before(os::kNever, {})); }

bool FiberGroup::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  const std::chrono::steady_clock::time_point when{std::chrono::nanoseconds(deadline)};
  if (!running_.wait_until(when, stop)) return false;
  std::exception_ptr failure;
  {
    const std::scoped_lock lock(lock_);
    is_stopping_ = false;
    failure = std::exchange(failure_, nullptr);
  }
  if (failure) std::rethrow_exception(std::move(failure));
  return true;
}

void FiberGroup::request_stop() {
  std::size_t left;
  {
    const std::scoped_lock lock(lock_);
    is_stopping_ = true;
    left = members_.size();
  }
  // Backwards: the last member takes the position of a member that ends, and its stop was requested
  // already. A member that begins requests its own stop.
  for (;;) {
    FiberRef member;
    {
      const std::scoped_lock lock(lock_);
      left = std::min(left, members_.size());
      if (left == 0) return;
      member = members_[--left];
    }
    member.request_stop();  // runs callbacks of the user: without the lock
  }
}

std::size_t FiberGroup::size() const {
  const std::scoped_lock lock(lock_);
  return members_.size();
}

void FiberGroup::fail_as_caught() noexcept {
  try {
    throw;
  } catch (const Cancelled&) {
  } catch (...) {
    std::exception_ptr failure = std::current_exception();
    {
      const std::scoped_lock lock(lock_);
      if (!failure_) failure_ = std::move(failure);
    }
    request_stop();
  }
}

void FiberGroup::throw_not_awaitable() {
  throw Error(ErrorCode::kBadArgument,
              "FiberGroup: a fiber that is created suspended, or a daemon, cannot be waited for");
}

}  // namespace jobs::inline JOBS_ABI
