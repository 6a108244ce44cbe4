// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The results of the C interface: their texts, and the results that stand for C++ exceptions.
#include "jobs/c/status.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>

#include "jobs/c/border.hpp"
#include "jobs/error.hpp"
#include "jobs/version.hpp"

namespace jobs::inline JOBS_ABI::detail {
namespace {

jobs_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kBadEnvironment:
      return JOBS_ERROR_ENVIRONMENT;
    case ErrorCode::kBadArgument:
      return JOBS_ERROR_ARGUMENT;
    case ErrorCode::kNoStack:
      return JOBS_ERROR_NO_STACK;
    case ErrorCode::kStopped:
      return JOBS_ERROR_STOPPED;
    case ErrorCode::kForked:
      return JOBS_ERROR_FORKED;
    case ErrorCode::kStarted:
      return JOBS_ERROR_STARTED;
  }
  return JOBS_ERROR_UNKNOWN;
}

void write(std::span<char> message, const char* text) noexcept {
  if (message.empty()) return;
  const std::size_t length = std::min(std::strlen(text), message.size() - 1);
  std::memcpy(message.data(), text, length);
  message[length] = '\0';
}

}  // namespace

jobs_status status_of_exception(std::span<char> message) noexcept {
  try {
    throw;
  } catch (const CallbackFailed& failure) {
    write(message, failure.what());
    return JOBS_ERROR_CALLBACK;
  } catch (const Error& error) {
    write(message, error.what());
    return status_of(error.code());
  } catch (const Cancelled& cancelled) {
    write(message, cancelled.what());
    return JOBS_ERROR_CANCELLED;
  } catch (const std::bad_alloc& error) {
    write(message, error.what());
    return JOBS_ERROR_NO_MEMORY;
  } catch (const std::system_error& error) {
    write(message, error.what());
    return JOBS_ERROR_SYSTEM;
  } catch (const std::exception& error) {
    write(message, error.what());
    return JOBS_ERROR_UNKNOWN;
  } catch (...) {
    write(message, jobs_status_text(JOBS_ERROR_UNKNOWN));
    return JOBS_ERROR_UNKNOWN;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail

const char* jobs_status_text(jobs_status status) noexcept {
  switch (static_cast<int>(status)) {
    case JOBS_OK:
      return "success";
    case JOBS_TIMEOUT:
      return "the deadline passed first";
    case JOBS_BUSY:
      return "the object is in use";
    case JOBS_ERROR_ARGUMENT:
      return "an argument has an invalid value";
    case JOBS_ERROR_ENVIRONMENT:
      return "a variable of the environment has an invalid value";
    case JOBS_ERROR_NO_STACK:
      return "no stack is left for one more fiber";
    case JOBS_ERROR_STOPPED:
      return "the scheduler is shut down";
    case JOBS_ERROR_FORKED:
      return "the scheduler belongs to the parent process";
    case JOBS_ERROR_STARTED:
      return "the default scheduler has started";
    case JOBS_ERROR_NO_MEMORY:
      return "there is no memory";
    case JOBS_ERROR_SYSTEM:
      return "the system has refused a resource";
    case JOBS_ERROR_CANCELLED:
      return "the wait was cancelled";
    case JOBS_ERROR_CALLBACK:
      return "a C++ exception has left a callback";
    case JOBS_ERROR_WRONG_THREAD:
      return "the call is not allowed in a job of the scheduler";
    case JOBS_ERROR_UNKNOWN:
      return "an error without a value of its own";
    default:
      return "unknown status";
  }
}

uint32_t jobs_c_version() noexcept { return JOBS_C_VERSION; }

const char* jobs_version_text() noexcept { return jobs::version(); }
