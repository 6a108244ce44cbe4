// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobResult<R>: what a job that ran elsewhere left for the frame that joins it: a value or an exception. Nothing is initialised
// until the job has run, so a child that is never stolen pays nothing for it.
#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/invoke.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Runs f; what it throws goes to on_exception(std::exception_ptr). The forced unwinding of pthread_exit and pthread_cancel must
// not end here: it would take the worker and all fibers pinned to it.
template <class F, class OnException>
void run_guarded(F&& f, OnException&& on_exception) noexcept {
  JOBS_TRY { f(); }
  JOBS_CATCH_ALL {
    std::exception_ptr exception = std::current_exception();
    // It has no C++ type that could be caught by reference: only that there is no current exception gives it away.
    if (!exception) breach("Job", nullptr, "pthread_exit() or pthread_cancel() inside a job");
    on_exception(std::move(exception));
  }
}

template <class R>
class JobResult {
 public:
  JobResult() noexcept {}  // NOLINT: the union stays empty
  ~JobResult() {}          // NOLINT: take() destroys what set() made
  JobResult(const JobResult&) = delete;
  JobResult& operator=(const JobResult&) = delete;

  template <class F>
  void set(F& f) noexcept {
    failed_ = false;
    run_guarded(
        [&] {
          if constexpr (std::is_void_v<R>) {
            detail::invoke(f);
          } else if constexpr (std::is_reference_v<R>) {
            auto&& value = detail::invoke(f);
            value_ = &value;
          } else {
            ::new (static_cast<void*>(&value_)) R(detail::invoke(f));
          }
        },
        [&](std::exception_ptr exception) {
          ::new (static_cast<void*>(&exception_)) std::exception_ptr(std::move(exception));
          failed_ = true;
        });
  }

  // Once, after set(): returns the value or throws.
  R take() {
    if (failed_) {
      const std::exception_ptr exception = std::move(exception_);
      exception_.~exception_ptr();
      std::rethrow_exception(exception);
    }
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R>(*value_);
    } else if constexpr (!std::is_void_v<R>) {
      R value = std::move(value_);
      value_.~Stored();
      return value;
    }
  }
  // Instead of take(): the other branch has failed already.
  void drop() noexcept {
    if (failed_) {
      exception_.~exception_ptr();
    } else {
      value_.~Stored();
    }
  }

 private:
  struct Nothing {};
  using Stored = std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*,
                                    std::conditional_t<std::is_void_v<R>, Nothing, R>>;

  union {
    Stored value_;
    std::exception_ptr exception_;
  };
  bool failed_;
};

}  // namespace jobs::inline JOBS_ABI::detail
