// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library throws. Errors of the environment, of resources and of data are exceptions derived from jobs::Error (a bad
// JOBS_NUM_WORKERS, no memory for a stack, a stopped scheduler). Breaches of contract (unlocking another's mutex, a counter
// below zero) print one line that names object, fiber and worker, and abort. Timeouts are [[nodiscard]] bools.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

enum class ErrorCode {
  kBadEnvironment,  // a variable of the environment has a value that means nothing
  kBadArgument,     // an argument that comes from data: a NaN deadline, an impossible stack size
  kNoStack,         // no memory, or no mapping left, for one more fiber
  kStopped,         // the scheduler is shut down
  kForked,          // the scheduler belongs to the process that this one was forked from
};

class JOBS_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

// Something was cut short because somebody asked for that: the stop of a fiber was requested, a cancel_after() or move_on_after()
// around a wait has run out (jobs/cancel.hpp), or a std::stop_token has stopped a loop, a graph or a pipeline, which then has not, or
// not completely, done its work. Not an Error, so that handlers of errors let it pass: let it unwind to the fiber's function.
class JOBS_EXPORT Cancelled : public std::exception {
 public:
  // A wait. `scope`: the time limit that has run out; null: the fiber's stop was requested.
  explicit Cancelled(const void* scope = nullptr) noexcept : scope_(scope), what_("jobs: the wait was cancelled") {}
  // Work. `what`: a literal.
  explicit Cancelled(const char* what) noexcept : scope_(nullptr), what_(what) {}
  const void* scope() const noexcept { return scope_; }
  const char* what() const noexcept override { return what_; }

 private:
  const void* scope_;
  const char* what_;
};

}  // namespace jobs::inline JOBS_ABI
