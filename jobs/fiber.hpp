// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Fiber<T>: a function with a stack of its own, for what waits a lot or wants a name. Plain jobs may wait as well; a Fiber is for
// when somebody joins it, stops it, or looks for it.
//
//   jobs::Event ready;
//   jobs::Fiber<std::size_t> consumer([&] { ready.wait(); return data.size(); });
//   jobs::Fiber<> producer([&] { data = load(); ready.signal(); });
//   std::cout << consumer.join() << '\n';
//
// A fiber starts on whatever worker takes it, as a job does, and never leaves that worker: addresses of thread_local variables stay
// valid over a wait. It has floating-point control words (rounding, flush-to-zero), errno and exception state of its own, and
// begins with the defaults.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "jobs/base/deadline.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/fiber_options.hpp"
#include "jobs/fiber_ref.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/this_fiber.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

template <class T, class F>
concept FiberBody = std::is_invocable_r_v<T, F&> || std::is_invocable_r_v<T, F&, std::stop_token>;

template <class T>
class FiberResult : public FiberControl {
 public:
  // Once, after finished.
  JOBS_TAG_OF_MODE T take() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
    if constexpr (!std::is_void_v<T>) return *std::move(value_);
  }

 protected:
  using FiberControl::FiberControl;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, std::monostate, std::optional<T>> value_;
};

JOBS_OF_MODE_BEGIN

template <class T, class F>
class FiberWithBody final : public FiberResult<T> {
 public:
  template <class G>
  FiberWithBody(FiberOptions&& options, const std::source_location& site, G&& function)
      : FiberResult<T>(std::move(options), site), function_(std::in_place, std::forward<G>(function)) {}

 private:
  T call() {
    if constexpr (std::is_invocable_r_v<T, F&, std::stop_token>) {
      return std::invoke(*function_, this->mailbox.stop_token());
    } else {
      return std::invoke(*function_);
    }
  }
  void execute_body() override {
    struct Reset {
      std::optional<F>& function;
      ~Reset() { function.reset(); }
    };
    const Reset at_end{function_};  // what it captured ends with the fiber, not with the handle
    static_cast<void>(run_contained([this] {
      if constexpr (std::is_void_v<T>) {
        call();
      } else {
        this->value_.emplace(call());
      }
      return true;
    }));
  }

  std::optional<F> function_;
};

JOBS_OF_MODE_END

[[noreturn]] JOBS_EXPORT void throw_not_joinable();
[[noreturn]] JOBS_EXPORT void throw_joins_itself();
JOBS_EXPORT bool is_current(const FiberControl& control) noexcept;
// Requests its stop, waits for its end, whatever happens, and gives the reference back.
JOBS_EXPORT void stop_and_forget(FiberControl* control) noexcept;

}  // namespace detail

// Move-only handle, for one thread or fiber at a time, as std::jthread: joining, moving and detaching empty it. Whoever else has to do
// with the fiber (looks at it, wakes it, stops it, waits for it) has a FiberRef.
template <class T = void>
requires(std::is_void_v<T> || (std::is_object_v<T> && std::movable<T>)) class [[nodiscard]] Fiber
    : public detail::FiberHandle {
 public:
  Fiber() noexcept = default;
  // Starts function() or function(std::stop_token) as a fiber of the calling thread's scheduler, else of the default one. One
  // allocation, two with a name. `site`: the place that it counts for in stack_use() and messages. Throws std::bad_alloc, Error(kStopped),
  // Error(kBadArgument) for a stack of an impossible size; with FiberStart::kNow Error(kNoStack). If the stack of a fiber that starts
  // later cannot be had, it runs on that of a job if that is large enough, else join() throws Error(kNoStack).
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Fiber> && detail::FiberBody<T, std::decay_t<F>>)
      [[nodiscard]] JOBS_TAG_OF_MODE
      explicit Fiber(F&& function, FiberOptions options = {},
                     const std::source_location& site = std::source_location::current()) {
    auto* const control =
        new detail::FiberWithBody<T, std::decay_t<F>>(std::move(options), site, std::forward<F>(function));
    control->launch(detail::current_shared());
    control_ = control;
  }
  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Fiber> &&
           !detail::FiberBody<T, std::decay_t<F>>) explicit Fiber(F&&, const FiberOptions& = {}) {
    static_assert(detail::kNever<F>, "jobs::Fiber<T>: function must be callable as f() or f(std::stop_token), for a T");
  }
  Fiber(Fiber&& other) noexcept : FiberHandle(std::exchange(other.control_, nullptr)) {}
  Fiber& operator=(Fiber&& other) noexcept {
    if (this != &other) {
      finish();
      control_ = std::exchange(other.control_, nullptr);
    }
    return *this;
  }
  // If it was neither joined nor detached: requests a stop and waits for the end, as std::jthread. An exception that nobody has
  // joined, other than Cancelled, goes to on_unhandled, else to std::terminate.
  ~Fiber() { finish(); }

  // Waits for the end; returns the result or throws what the function threw, Cancelled included. Once. Throws Error(kBadArgument) if
  // it was joined or detached already, or if a fiber joins itself; Cancelled, Error(kNoStack) if the wait is cut short: it can be
  // joined again then. An external thread parks, a job suspends.
  JOBS_TAG_OF_MODE T join() {
    check_joinable();
    control_->wait();
    return take();
  }
  // True: it has ended, and join() will not wait.
  template <class Rep, class Period>
  [[nodiscard]] bool join_for(const std::chrono::duration<Rep, Period>& timeout) {
    check_joinable();
    return control_->finished.wait_for(timeout);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool join_until(const std::chrono::time_point<Clock, Duration>& when) {
    check_joinable();
    return control_->finished.wait_until(when);
  }
  bool joinable() const noexcept { return control_ != nullptr; }

  // Lets it run on alone. Throws Error(kBadArgument) if there is nothing to detach.
  void detach() {
    if (control_ == nullptr) detail::throw_not_joinable();
    std::exchange(control_, nullptr)->detach();
  }

 private:
  void check_joinable() const {
    if (control_ == nullptr) detail::throw_not_joinable();
    if (detail::is_current(*control_)) detail::throw_joins_itself();
  }
  JOBS_TAG_OF_MODE T take() {
    struct Release {
      detail::FiberControl* control;
      ~Release() { control->release_joined(); }
    };
    auto* const control = static_cast<detail::FiberResult<T>*>(std::exchange(control_, nullptr));
    const Release release{control};
    return control->take();
  }
  void finish() noexcept {
    if (control_ != nullptr) detail::stop_and_forget(std::exchange(control_, nullptr));
  }
};

}  // namespace jobs::inline JOBS_ABI
