// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Jobs of the C interface.
#include "jobs/c/spawn.h"

#include <exception>
#include <optional>

#include "jobs/c/border.hpp"
#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"

namespace {

using jobs::detail::at_border;
using jobs::detail::call_back;
using jobs::detail::RecordedCall;

constexpr std::size_t kFirstSpawnOptions = 40;  // of version 1
static_assert(sizeof(jobs_spawn_options) >= kFirstSpawnOptions);

struct Call {
  jobs_function function;
  void* data;

  void operator()() const {
    const RecordedCall call(function);
    function(data);
  }
};

std::optional<jobs::Priority> to_cpp(int32_t priority) noexcept {
  switch (priority) {
    case JOBS_PRIORITY_BACKGROUND:
      return jobs::Priority::kBackground;
    case JOBS_PRIORITY_LOW:
      return jobs::Priority::kLow;
    case JOBS_PRIORITY_NORMAL:
      return jobs::Priority::kNormal;
    case JOBS_PRIORITY_HIGH:
      return jobs::Priority::kHigh;
    case JOBS_PRIORITY_CRITICAL:
      return jobs::Priority::kCritical;
    default:
      return std::nullopt;
  }
}

std::optional<jobs::SpawnOptions> to_cpp(const jobs_spawn_options& options) noexcept {
  const auto priority = to_cpp(options.priority);
  if (!priority || options.reserved != 0) return std::nullopt;
  if (options.place == JOBS_PLACE_ANYWHERE)
    return jobs::SpawnOptions{.on = jobs::anywhere, .priority = *priority};
  if (options.place == JOBS_PLACE_WORKER)
    return jobs::SpawnOptions{.on = jobs::worker(options.worker), .priority = *priority};
  return std::nullopt;
}

template <class... Counter>
void spawn_on(const jobs_scheduler* scheduler, const jobs::SpawnOptions& options,
              Counter&... counter, auto job) {
  if (scheduler != nullptr) {
    scheduler->get().spawn(counter..., job, options);
  } else if (options == jobs::SpawnOptions{}) {
    jobs::spawn(counter..., job);  // looks at no options
  } else {
    jobs::spawn(counter..., job, options);
  }
}

// Only fibers have names.
void spawn_named(jobs_counter* counter, const char* name, Call call) {
  const auto body = [counter, call] {
    if (counter == nullptr) return call();  // an exception goes to the hook of the scheduler
    try {
      call_back(call);
    } catch (...) {
      counter->value.fail(std::current_exception());
    }
    counter->value.done();
  };
  if (counter != nullptr) counter->value.add();
  try {
    jobs::Fiber<void>(body, {.name = name}).detach();
  } catch (...) {
    if (counter != nullptr) counter->value.done();
    throw;
  }
}

}  // namespace

jobs_status jobs_spawn(jobs_scheduler* scheduler, jobs_function function, void* data,
                       const jobs_spawn_options* given) noexcept {
  if (function == nullptr) return JOBS_ERROR_ARGUMENT;
  jobs_spawn_options options{};
  if (given != nullptr && !jobs::detail::copy_options(*given, kFirstSpawnOptions, options))
    return JOBS_ERROR_ARGUMENT;
  const auto cpp_options = to_cpp(options);
  if (!cpp_options) return JOBS_ERROR_ARGUMENT;
  if (options.name != nullptr && *cpp_options != jobs::SpawnOptions{}) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    const Call call{function, data};
    if (options.name != nullptr) {
      jobs::detail::on_scheduler(scheduler,
                                 [&] { spawn_named(options.counter, options.name, call); });
    } else if (options.counter != nullptr) {
      spawn_on<jobs::Counter>(scheduler, *cpp_options, options.counter->value,
                              [call] { call_back(call); });
    } else {
      spawn_on<>(scheduler, *cpp_options, call);
    }
    return JOBS_OK;
  });
}

jobs_status jobs_run(jobs_scheduler* scheduler, jobs_function function, void* data) noexcept {
  if (function == nullptr) return JOBS_ERROR_ARGUMENT;
  return at_border([&] {
    jobs::Scheduler& target = scheduler != nullptr ? scheduler->get() : jobs::Scheduler::current();
    // A job of the scheduler makes a plain call: its name stands for both.
    const bool is_job =
        jobs::detail::this_context() == nullptr || &jobs::Scheduler::current() != &target;
    target.run([&] { call_back([&] { is_job ? Call{function, data}() : function(data); }); });
    return JOBS_OK;
  });
}

jobs_status jobs_yield() noexcept {
  return at_border([] {
    jobs::yield();
    return JOBS_OK;
  });
}
