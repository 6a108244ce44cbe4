// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Schedulers of the C interface.
#include "jobs/c/scheduler.h"

#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "jobs/c/border.hpp"
#include "jobs/stats_text.hpp"

namespace {

using jobs::detail::at_border;

constexpr std::size_t kFirstSchedulerOptions = 96;  // of version 1
static_assert(sizeof(jobs_scheduler_options) >= kFirstSchedulerOptions);

// The handle of the default scheduler. It has no state.
constinit jobs_scheduler default_handle;

void report_unhandled(void (*hook)(void*, const char*), void* user,
                      const std::exception_ptr& exception) noexcept {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    hook(user, error.what());
  } catch (...) {
    hook(user, "an exception that is no std::exception");
  }
}

jobs::SchedulerOptions to_cpp(const jobs_scheduler_options& options) {
  jobs::SchedulerOptions result{.worker_count = options.worker_count,
                                .max_fibers = options.max_fibers,
                                .pin_workers = options.pin_workers != 0};
  if (options.stack_size != 0) result.stack_size = options.stack_size;
  // A hook that throws ends the program: the lambdas are noexcept.
  if (options.on_unhandled != nullptr) {
    result.on_unhandled = [hook = options.on_unhandled,
                           user = options.user](std::exception_ptr exception) noexcept {
      report_unhandled(hook, user, exception);
    };
  }
  if (options.on_worker_start != nullptr) {
    result.on_worker_start = [hook = options.on_worker_start, user = options.user](
                                 unsigned worker) noexcept { hook(user, worker); };
  }
  if (options.on_worker_stop != nullptr) {
    result.on_worker_stop = [hook = options.on_worker_stop,
                             user = options.user](unsigned worker) noexcept { hook(user, worker); };
  }
  if (options.on_suspend != nullptr) {
    result.on_suspend = [hook = options.on_suspend,
                         user = options.user](jobs::FiberId id) noexcept {
      hook(user, static_cast<std::uint64_t>(id));
    };
  }
  if (options.on_resume != nullptr) {
    result.on_resume = [hook = options.on_resume, user = options.user](jobs::FiberId id) noexcept {
      hook(user, static_cast<std::uint64_t>(id));
    };
  }
  return result;
}

// Calls use(SchedulerOptions). The message of an exception goes to the buffer of the options.
template <class Use>
jobs_status with_options(const jobs_scheduler_options* given, Use&& use) noexcept {
  jobs_scheduler_options options{};
  if (given != nullptr && !jobs::detail::copy_options(*given, kFirstSchedulerOptions, options))
    return JOBS_ERROR_ARGUMENT;
  try {
    use(to_cpp(options));
    return JOBS_OK;
  } catch (...) {
    return jobs::detail::status_of_exception(options.message != nullptr
                                                 ? std::span(options.message, options.message_size)
                                                 : std::span<char>());
  }
}

}  // namespace

jobs_status jobs_scheduler_create(const jobs_scheduler_options* options,
                                  jobs_scheduler** scheduler) noexcept {
  if (scheduler == nullptr) return JOBS_ERROR_ARGUMENT;
  *scheduler = nullptr;
  return with_options(options, [&](jobs::SchedulerOptions cpp_options) {
    auto handle = std::make_unique<jobs_scheduler>();
    handle->own = new jobs::Scheduler(std::move(cpp_options));
    *scheduler = handle.release();
  });
}

jobs_status jobs_scheduler_destroy(jobs_scheduler* scheduler) noexcept {
  if (scheduler == nullptr) return JOBS_OK;
  if (scheduler == &default_handle) return JOBS_ERROR_ARGUMENT;
  return at_border([scheduler] {
    if (jobs::detail::is_inside(*scheduler)) return JOBS_ERROR_WRONG_THREAD;
    delete scheduler->own;
    delete scheduler;
    return JOBS_OK;
  });
}

jobs_scheduler* jobs_scheduler_default() noexcept { return &default_handle; }

jobs_status jobs_scheduler_set_default_options(const jobs_scheduler_options* options) noexcept {
  if (options == nullptr) return JOBS_ERROR_ARGUMENT;
  return with_options(options, [](jobs::SchedulerOptions cpp_options) {
    jobs::set_default_options(std::move(cpp_options));
  });
}

jobs_status jobs_scheduler_shutdown(jobs_scheduler* scheduler, int64_t timeout_ns) noexcept {
  if (scheduler == nullptr) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    if (jobs::detail::is_inside(*scheduler)) return JOBS_ERROR_WRONG_THREAD;
    const std::chrono::nanoseconds timeout(timeout_ns);
    bool is_complete = true;
    if (timeout_ns == JOBS_FOREVER) {
      scheduler->own != nullptr ? scheduler->own->shutdown() : jobs::shutdown_default();
    } else {
      is_complete = scheduler->own != nullptr ? scheduler->own->shutdown_for(timeout)
                                              : jobs::shutdown_default_for(timeout);
    }
    return is_complete ? JOBS_OK : JOBS_TIMEOUT;
  });
}

uint32_t jobs_worker_count(jobs_scheduler* scheduler) noexcept {
  if (scheduler != nullptr && scheduler->own != nullptr) return scheduler->own->worker_count();
  try {
    return scheduler != nullptr ? jobs::default_scheduler().worker_count() : jobs::worker_count();
  } catch (...) {
    return 0;
  }
}

jobs_status jobs_scheduler_stats_json(jobs_scheduler* scheduler, char* buffer, size_t size,
                                      size_t* length) noexcept {
  if (buffer == nullptr && size != 0) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    const jobs::Scheduler& source =
        scheduler != nullptr ? scheduler->get() : jobs::Scheduler::current();
    const std::string text = jobs::to_json(source.stats());
    if (length != nullptr) *length = text.size();
    if (buffer == nullptr && length != nullptr) return JOBS_OK;
    if (text.size() >= size) return JOBS_ERROR_ARGUMENT;
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return JOBS_OK;
  });
}

int32_t jobs_worker_index() noexcept {
  const auto index = jobs::worker_index();
  return index ? static_cast<int32_t>(*index) : -1;
}
