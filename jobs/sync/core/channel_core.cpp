// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/channel_core.hpp"

#include <mutex>

#include "jobs/base/deadline.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/stop_event.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

ChannelCore::~ChannelCore() {
  if (!operations_.empty()) contract_violation("Channel", this, "destroyed while waited on");
}

void ChannelCore::close() noexcept {
  lock_.lock();
  closed_ = true;
  Waiter* first = operations_.take_all();
  lock_.unlock();
  wake_all(first);
}

bool ChannelCore::is_closed() noexcept {
  const std::scoped_lock lock(lock_);
  return closed_;
}

bool ChannelCore::Operation::try_now() {
  Waiter* partner = nullptr;
  core_.lock_.lock();
  const bool decided = try_locked(partner);
  core_.lock_.unlock();
  if (partner != nullptr) wake(*partner);
  return decided;
}

void ChannelCore::Operation::run(os::Nanoseconds deadline, const std::stop_token& stop) {
  if (try_now() || deadline == kPoll) return;
  StopEvent stop_event(stop);
  WaitingThread thread;
  FiberHost& host = thread.host();
  host.prepare_wait();
  fiber = &host.current();
  Waiter* partner = nullptr;
  core_.lock_.lock();
  const bool waits = !try_locked(partner) && link();
  core_.lock_.unlock();
  if (partner != nullptr) wake(*partner);
  if (!waits) return;
  const WaitLimit limit{.deadline = deadline, .stop = stop_event.get()};
  throw_if_interrupted(host, park(host, *this, *this, limit, {WaitKind::kChannel, &core_}));
}

bool ChannelCore::Operation::link() noexcept {
  Waiter* first = core_.operations_.front();
  if (first != nullptr && static_cast<Operation*>(first)->side_ != side_)
    contract_violation("Channel", &core_, "a select() that pushes to it and pops from it");
  core_.operations_.push_back(*this);
  return true;
}

bool ChannelCore::Operation::unlink_self() noexcept {
  const std::scoped_lock lock(core_.lock_);
  if (previous == nullptr) return false;
  core_.operations_.remove(*this);
  return true;
}

ChannelCore::Operation* ChannelCore::Operation::take_partner() noexcept {
  Waiter* first = core_.operations_.front();
  if (first == nullptr || static_cast<Operation*>(first)->side_ == side_) return nullptr;
  return static_cast<Operation*>(core_.operations_.pop_claimed());
}

}  // namespace jobs::inline JOBS_ABI::detail
