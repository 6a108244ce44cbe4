// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: the exceptions that the library throws, jobs::Error and jobs::Cancelled.
//
// The library reports failures in three ways.
// - Errors of the environment, of resources and of data are exceptions of type jobs::Error.
//   Examples: a bad JOBS_NUM_WORKERS, no memory for a stack, a stopped scheduler.
// - Violations of the contract print one line that names object, fiber and worker, and abort.
//   Examples: an unlock() by a fiber that is not the lock owner, a counter below zero.
// - Timeouts are [[nodiscard]] results of type bool.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Cause of an Error.
enum class ErrorCode {
  /// A variable of the environment has an invalid value.
  kBadEnvironment,
  /// An argument has an invalid value, such as a NaN deadline or an impossible stack size.
  kBadArgument,
  /// No memory or no mapping is left for the stack of one more fiber.
  kNoStack,
  /// The scheduler is shut down.
  kStopped,
  /// The scheduler belongs to the parent process of a fork().
  kForked,
  /// The default scheduler has started, so its options are fixed.
  kStarted,
};

/// Reports an error of the environment, of a resource or of data.
///
/// Violations of the contract are not exceptions: they abort with one line that names the object,
/// the fiber and the worker. A cancelled wait throws Cancelled instead.
///
/// @thread_safety as std::runtime_error: an object may be read concurrently
class JOBS_EXPORT Error : public std::runtime_error {
 public:
  /// Constructs an error.
  ///
  /// @param code  the cause
  /// @param what  the text that what() returns
  Error(ErrorCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  /// Returns the cause of the error.
  ///
  /// @returns the code given to the constructor
  /// @complexity O(1)
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Reports that a wait, or the work of a parallel call, was cut short on request.
///
/// Three requests throw it: the stop of a fiber was requested; a cancel_after() or move_on_after()
/// around a wait has expired (jobs/cancel.hpp); or a std::stop_token has stopped a loop, a graph or
/// a pipeline. In the last case, the work was done in part or not at all.
///
/// The class does not derive from Error, so that handlers of errors do not catch it. Let it unwind
/// to the function of the fiber.
///
/// @thread_safety an object may be read concurrently
class JOBS_EXPORT Cancelled : public std::exception {
 public:
  /// Constructs the exception of a cancelled wait.
  ///
  /// @param scope  the time limit that has expired; null if the stop of the fiber was requested
  explicit Cancelled(const void* scope = nullptr) noexcept
      : scope_(scope), what_("jobs: the wait was cancelled") {}
  /// Constructs the exception of cancelled work.
  ///
  /// @param what  a string literal
  explicit Cancelled(const char* what) noexcept : scope_(nullptr), what_(what) {}
  /// Returns the time limit that has expired.
  ///
  /// @returns the address of the scope of the time limit; null if none has expired
  const void* scope() const noexcept { return scope_; }
  /// Returns the description of the cancelled operation.
  ///
  /// @returns a string literal
  const char* what() const noexcept override { return what_; }

 private:
  const void* scope_;
  const char* what_;
};

}  // namespace jobs::inline JOBS_ABI
