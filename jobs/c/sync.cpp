// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Events and mutexes of the C interface.
#include "jobs/c/sync.h"

#include <chrono>

#include "jobs/c/border.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"

struct jobs_event {
  explicit jobs_event(jobs::Event::Reset reset) noexcept : value(reset) {}

  jobs::Event value;
};

struct jobs_mutex {
  jobs::Mutex value;
};

using jobs::detail::at_border;

jobs_status jobs_event_create(bool is_automatic, jobs_event** event) noexcept {
  if (event == nullptr) return JOBS_ERROR_ARGUMENT;
  *event = nullptr;
  return at_border([&] {
    using Reset = jobs::Event::Reset;
    *event = new jobs_event(is_automatic ? Reset::kAutomatic : Reset::kManual);
    return JOBS_OK;
  });
}

void jobs_event_destroy(jobs_event* event) noexcept { delete event; }

jobs_status jobs_event_signal(jobs_event* event) noexcept {
  if (event == nullptr) return JOBS_ERROR_ARGUMENT;
  event->value.signal();
  return JOBS_OK;
}

jobs_status jobs_event_reset(jobs_event* event) noexcept {
  if (event == nullptr) return JOBS_ERROR_ARGUMENT;
  event->value.reset();
  return JOBS_OK;
}

jobs_status jobs_event_wait_for(jobs_event* event, int64_t timeout_ns) noexcept {
  if (event == nullptr) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    if (timeout_ns == JOBS_FOREVER) {
      event->value.wait();
      return JOBS_OK;
    }
    const bool is_set = event->value.wait_for(std::chrono::nanoseconds(timeout_ns));
    return is_set ? JOBS_OK : JOBS_TIMEOUT;
  });
}

jobs_status jobs_mutex_create(jobs_mutex** mutex) noexcept {
  if (mutex == nullptr) return JOBS_ERROR_ARGUMENT;
  *mutex = nullptr;
  return at_border([&] {
    *mutex = new jobs_mutex();
    return JOBS_OK;
  });
}

// The lock and its release are in different calls, which the thread-safety analysis cannot follow.

JOBS_NO_THREAD_SAFETY_ANALYSIS jobs_status jobs_mutex_destroy(jobs_mutex* mutex) noexcept {
  if (mutex == nullptr) return JOBS_OK;
  if (!mutex->value.try_lock()) return JOBS_BUSY;
  mutex->value.unlock();
  delete mutex;
  return JOBS_OK;
}

JOBS_NO_THREAD_SAFETY_ANALYSIS jobs_status jobs_mutex_lock(jobs_mutex* mutex) noexcept {
  if (mutex == nullptr) return JOBS_ERROR_ARGUMENT;
  try {
    mutex->value.lock();
    return JOBS_OK;
  } catch (...) {
    return jobs::detail::status_of_exception();
  }
}

JOBS_NO_THREAD_SAFETY_ANALYSIS jobs_status jobs_mutex_try_lock(jobs_mutex* mutex) noexcept {
  if (mutex == nullptr) return JOBS_ERROR_ARGUMENT;
  return mutex->value.try_lock() ? JOBS_OK : JOBS_BUSY;
}

JOBS_NO_THREAD_SAFETY_ANALYSIS jobs_status jobs_mutex_unlock(jobs_mutex* mutex) noexcept {
  if (mutex == nullptr) return JOBS_ERROR_ARGUMENT;
  mutex->value.unlock();
  return JOBS_OK;
}
