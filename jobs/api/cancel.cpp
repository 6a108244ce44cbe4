// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Time limits and shields: each saves the fields of its fiber and restores them at its end.
#include "jobs/cancel.hpp"

#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

TimeLimit::TimeLimit(os::Nanoseconds deadline) : hosts_thread_(this_thread().host == nullptr) {
  if (hosts_thread_) this_thread().host = new ThreadHost;
  fiber_ = &this_thread().host->current();
  outer_limit_ = fiber_->limit;
  outer_scope_ = fiber_->limit_scope;
  if (deadline >= outer_limit_) return;
  fiber_->limit = deadline;
  fiber_->limit_scope = this;
}

TimeLimit::~TimeLimit() {
  fiber_->limit = outer_limit_;
  fiber_->limit_scope = outer_scope_;
  if (hosts_thread_) delete static_cast<ThreadHost*>(std::exchange(this_thread().host, nullptr));
}

bool TimeLimit::is_the_one_caught() const noexcept {
  try {
    throw;
  } catch (const Cancelled& cancelled) {
    return cancelled.scope() == this;
  } catch (...) {
    return false;
  }
}

}  // namespace detail

// Each object restores the fields that it has changed. Objects on one stack nest.
CancelShield::CancelShield() noexcept : fiber_(nullptr) {
  if (detail::this_thread().host == nullptr) return;
  fiber_ = &detail::this_thread().host->current();
  interrupts_ = std::exchange(fiber_->interrupts, 0);
  limit_ = std::exchange(fiber_->limit, os::kNever);
}

CancelShield::~CancelShield() {
  if (fiber_ == nullptr) return;
  fiber_->interrupts = interrupts_;
  fiber_->limit = limit_;
}

}  // namespace jobs::inline JOBS_ABI
