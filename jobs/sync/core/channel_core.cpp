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
  if (!parties_.empty()) breach("Channel", this, "destroyed while waited on");
}

void ChannelCore::close() noexcept {
  lock_.lock();
  closed_ = true;
  Waiter* first = parties_.take_all();
  lock_.unlock();
  wake_all(first);
}

bool ChannelCore::is_closed() noexcept {
  const std::scoped_lock lock(lock_);
  return closed_;
}

bool ChannelCore::Party::try_now() {
  Waiter* partner = nullptr;
  core_.lock_.lock();
  const bool decided = try_locked(partner);
  core_.lock_.unlock();
  if (partner != nullptr) wake(*partner);
  return decided;
}

void ChannelCore::Party::run(os::Nanoseconds deadline, const std::stop_token& stop) {
  if (try_now() || deadline == kPoll) return;
  StopGate stop_gate(stop);
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
  const Until until{.deadline = deadline, .stop = stop_gate.get()};
  throw_if_interrupted(host, park(host, *this, *this, until, {WaitKind::kChannel, &core_}));
}

bool ChannelCore::Party::link() noexcept {
  Waiter* first = core_.parties_.front();
  if (first != nullptr && static_cast<Party*>(first)->side_ != side_)
    breach("Channel", &core_, "a select() that pushes to it and pops from it");
  core_.parties_.push_back(*this);
  return true;
}

bool ChannelCore::Party::unlink_self() noexcept {
  const std::scoped_lock lock(core_.lock_);
  if (previous == nullptr) return false;
  core_.parties_.remove(*this);
  return true;
}

ChannelCore::Party* ChannelCore::Party::take_partner() noexcept {
  Waiter* first = core_.parties_.front();
  if (first == nullptr || static_cast<Party*>(first)->side_ == side_) return nullptr;
  return static_cast<Party*>(core_.parties_.pop_granted());
}

}  // namespace jobs::inline JOBS_ABI::detail
