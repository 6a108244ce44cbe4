// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The model's StopCallback<F>, which jobs/base/stop_callback.hpp includes under JOBS_MODEL. The
// threads of a model are fibers of one OS thread, so the destructor of std::stop_callback would not
// wait for a call of another model thread. This destructor does. A model that requests stops has a
// StopRegistry, which orders the registration of a callback before its call.
#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The lock of std::stop_token, as the explorer sees it.
class StopRegistry {
 public:
  StopRegistry() { current = this; }
  ~StopRegistry() { current = nullptr; }
  StopRegistry(const StopRegistry&) = delete;
  StopRegistry& operator=(const StopRegistry&) = delete;

  static void pass() {
    if (current != nullptr) current->turns_.fetch_add(1, std::memory_order_seq_cst);
  }

 private:
  static inline StopRegistry* current = nullptr;
  Atomic<int> turns_{0};
};

template <class F>
class StopCallback {
 public:
  StopCallback(const std::stop_token& token, F function) : function_(std::move(function)) {
    StopRegistry::pass();
    callback_.emplace(token, Call{*this});
  }
  ~StopCallback() {
    callback_.reset();
    if (!is_called_) return;
    while (!has_returned_.load(std::memory_order_acquire)) cpu_relax();
  }
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;

 private:
  struct Call {
    StopCallback& self;
    void operator()() const noexcept {
      self.is_called_ = true;  // no scheduling point separates it from the begin of the call
      StopRegistry::pass();
      self.function_();
      self.has_returned_.store(true, std::memory_order_release);
    }
  };

  F function_;
  bool is_called_ = false;
  Atomic<bool> has_returned_{false};
  std::optional<std::stop_callback<Call>> callback_;
};

}  // namespace jobs::inline JOBS_ABI::detail
