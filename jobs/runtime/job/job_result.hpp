// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobResult<R>: the value or the exception of a job, for the frame that joins the job.
//
// Owner: the job that contains it. The running thread calls set(), once. The joiner calls take() or
// drop(), once, after the join, which orders the two.
//
// Invariant: the union is empty until set(). A child that no thief takes pays nothing for its
// result.
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

// Runs f, and passes an exception of f to on_exception(std::exception_ptr). Any thread. Aborts on
// the forced unwinding of pthread_exit and pthread_cancel: it would end the worker, and with the
// worker all fibers pinned to it.
template <class F, class OnException>
void run_guarded(F&& f, OnException&& on_exception) noexcept {
  JOBS_TRY { f(); }
  JOBS_CATCH_ALL {
    std::exception_ptr exception = std::current_exception();
    // A forced unwinding has no C++ type to catch by reference. The absence of a current exception
    // identifies it.
    if (!exception)
      contract_violation("Job", nullptr, "pthread_exit() or pthread_cancel() inside a job");
    on_exception(std::move(exception));
  }
}

template <class R>
class JobResult {
 public:
  JobResult() noexcept {}  // NOLINT: the union stays empty
  ~JobResult() {}          // NOLINT: take() and drop() destroy the value or exception
  JobResult(const JobResult&) = delete;
  JobResult& operator=(const JobResult&) = delete;

  // Calls f and stores its value or exception. Running thread, once.
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

  // Returns the value or throws the exception. Joiner, once, after set().
  R take() {
    if (failed_) {
      const std::exception_ptr exception = std::move(exception_);
      exception_.~exception_ptr();
      std::rethrow_exception(exception);
    }
    if constexpr (std::is_reference_v<R>) {
      return static_cast<R>(*value_);
    } else if constexpr (!std::is_void_v<R>) {
      // Destroys the value after the move, also if the move throws.
      struct Destroy {
        ~Destroy() { value.~Stored(); }
        Stored& value;
      };
      const Destroy destroy{value_};
      return std::move(value_);
    }
  }
  // Destroys the value or the exception. The joiner calls it instead of take() if the other branch
  // has failed.
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
