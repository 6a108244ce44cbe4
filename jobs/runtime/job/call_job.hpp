// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CallJob: a call that another thread makes while the caller waits. `Scheduler::run` and `blocking`
// use it.
//
// Owner: the frame of the caller, which destroys the job after join() and take(). The caller
// constructs, joins and takes; one worker or one blocking thread runs the job.
#pragma once

#include <type_traits>

#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/job/job_result.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// kFinishes: false if the running thread calls finish() itself, outside the code that instantiates
// this template.
template <class F, bool kFinishes = true>
class CallJob final : public Job {
 public:
  // `ended`: the running thread calls this function last; the caller's frame may be destroyed by
  // then. Null: no call.
  explicit CallJob(F& function, void (*ended)() noexcept = nullptr) noexcept
      : Job(&execute), function_(function), ended_(ended) {}

  // Returns the result, or rethrows the exception of the function. The caller calls it once, after
  // join().
  std::invoke_result_t<F&> take() { return result_.take(); }

 private:
  static void execute(Job& job) {
    auto& self = static_cast<CallJob&>(job);
    void (*const ended)() noexcept = self.ended_;
    self.result_.set(self.function_);
    if constexpr (kFinishes) self.finish();
    if (ended != nullptr) ended();
  }

  F& function_;
  void (*const ended_)() noexcept;
  JobResult<std::invoke_result_t<F&>> result_;
};

}  // namespace jobs::inline JOBS_ABI::detail
