// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counters of the C interface.
#include "jobs/c/counter.h"

#include <chrono>

#include "jobs/c/border.hpp"
#include "jobs/cancel.hpp"

namespace {

using jobs::detail::at_border;

constexpr std::size_t kMost = std::size_t{1} << 60;  // as in jobs::Counter

// Returns true if jobs are outstanding.
bool is_in_use(jobs_counter& counter) noexcept {
  const jobs::CancelShield shield;
  try {
    return !counter.value.wait_for(std::chrono::nanoseconds(0));
  } catch (const jobs::Error&) {
    return true;  // no stack for the wait: the count is not zero
  } catch (...) {
    return false;  // the exception of a job that has ended
  }
}

}  // namespace

jobs_status jobs_counter_create(size_t count, jobs_counter** counter) noexcept {
  if (counter == nullptr) return JOBS_ERROR_ARGUMENT;
  *counter = nullptr;
  if (count > kMost) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    *counter = new jobs_counter(count);
    return JOBS_OK;
  });
}

jobs_status jobs_counter_destroy(jobs_counter* counter) noexcept {
  if (counter == nullptr) return JOBS_OK;
  if (is_in_use(*counter)) return JOBS_BUSY;
  delete counter;
  return JOBS_OK;
}

jobs_status jobs_counter_add(jobs_counter* counter, size_t count) noexcept {
  if (counter == nullptr || count > kMost) return JOBS_ERROR_ARGUMENT;
  counter->value.add(count);
  return JOBS_OK;
}

jobs_status jobs_counter_done(jobs_counter* counter) noexcept {
  if (counter == nullptr) return JOBS_ERROR_ARGUMENT;
  counter->value.done();
  return JOBS_OK;
}

jobs_status jobs_counter_wait(jobs_counter* counter) noexcept {
  if (counter == nullptr) return JOBS_ERROR_ARGUMENT;
  return at_border([counter] {
    counter->value.wait();
    return JOBS_OK;
  });
}

jobs_status jobs_counter_wait_for(jobs_counter* counter, int64_t timeout_ns) noexcept {
  if (timeout_ns == JOBS_FOREVER) return jobs_counter_wait(counter);
  if (counter == nullptr) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    const bool is_open = counter->value.wait_for(std::chrono::nanoseconds(timeout_ns));
    return is_open ? JOBS_OK : JOBS_TIMEOUT;
  });
}
