// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Results of the C interface, their texts, and the version.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// @cond internal
#if defined(JOBS_STATIC)
// A source of the static library: the program or plugin that links it does not export its symbols.
#define JOBS_C_API __attribute__((visibility("hidden")))
#else
#define JOBS_C_API __attribute__((visibility("default")))
#endif

#if defined(__cplusplus)
#define JOBS_C_NOEXCEPT noexcept
#define JOBS_C_BEGIN extern "C" {
#define JOBS_C_END }
#else
#define JOBS_C_NOEXCEPT
#define JOBS_C_BEGIN
#define JOBS_C_END
#endif
/// @endcond

JOBS_C_BEGIN

/// Result of a function of the C interface.
///
/// Zero is success, positive values are answers, negative values are errors. A function that
/// returns an error has changed nothing. Later versions may add values.
typedef enum jobs_status {
  /// Success.
  JOBS_OK = 0,
  /// The deadline passed first.
  JOBS_TIMEOUT = 1,
  /// The object is in use: the mutex is locked, or jobs of the counter have not ended.
  JOBS_BUSY = 2,
  /// An argument has an invalid value: a null pointer, a range that ends before it begins.
  JOBS_ERROR_ARGUMENT = -1,
  /// A variable of the environment has an invalid value.
  JOBS_ERROR_ENVIRONMENT = -2,
  /// No memory or no mapping is left for the stack of one more fiber.
  JOBS_ERROR_NO_STACK = -3,
  /// The scheduler is shut down.
  JOBS_ERROR_STOPPED = -4,
  /// The scheduler belongs to the parent process of a fork().
  JOBS_ERROR_FORKED = -5,
  /// The default scheduler has started, so its options are fixed.
  JOBS_ERROR_STARTED = -6,
  /// There is no memory.
  JOBS_ERROR_NO_MEMORY = -7,
  /// The system has refused a thread or another resource.
  JOBS_ERROR_SYSTEM = -8,
  /// The wait was cancelled by C++ code around it.
  JOBS_ERROR_CANCELLED = -9,
  /// A C++ exception has left a callback.
  JOBS_ERROR_CALLBACK = -10,
  /// The function is not allowed here: a job of the scheduler makes the call.
  JOBS_ERROR_WRONG_THREAD = -11,
  /// The library has met an error that has no value here.
  JOBS_ERROR_UNKNOWN = -12
} jobs_status;

/// Time limit of a wait without a limit, in place of nanoseconds.
#define JOBS_FOREVER INT64_MAX

/// Version of the C interface that these headers describe.
///
/// It grows with each addition. A program that was compiled with version n runs with each library
/// of version n or later.
#define JOBS_C_VERSION 1

/// Returns the text of a result.
///
/// @param status  any value
/// @returns static string in English without a line break; for other values "unknown status"
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API const char* jobs_status_text(jobs_status status) JOBS_C_NOEXCEPT;

/// Returns the version of the C interface of the linked library.
///
/// @returns value of JOBS_C_VERSION when the library was compiled
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API uint32_t jobs_c_version(void) JOBS_C_NOEXCEPT;

/// Returns the version of the linked library.
///
/// @returns static string, such as "0.1.0"
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API const char* jobs_version_text(void) JOBS_C_NOEXCEPT;

JOBS_C_END
