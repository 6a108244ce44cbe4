// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CallJob: a call that is made elsewhere while its caller waits: Scheduler::run, blocking. Lives in the caller's frame.
#pragma once

#include <type_traits>

#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/job/job_result.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// kFinishes: false if the thread that runs the job finishes it, outside of the code that this template is instantiated in.
template <class F, bool kFinishes = true>
class CallJob final : public Job {
 public:
  // `ended`: called last of all where the job has run, when the caller may be gone already; null: nothing.
  explicit CallJob(F& function, void (*ended)() noexcept = nullptr) noexcept
      : Job(&execute), function_(function), ended_(ended) {}

  // Once, after join(): returns the result or throws what the function threw.
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
