// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Fiber<T> runs a function on a stack of its own and returns its result.
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
#include "jobs/error.hpp"
#include "jobs/fiber_options.hpp"
#include "jobs/fiber_ref.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/this_fiber.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

template <class T, class F>
concept FiberBody = std::is_invocable_r_v<T, F&> || std::is_invocable_r_v<T, F&, std::stop_token>;

// For wrong calls.
template <class T>
concept NoFiberOptions = !std::convertible_to<T, FiberOptions>;

// The type of a fiber's result where the function decides it. A result by reference becomes a copy,
// because the variable often ends with the fiber.
template <class F>
  requires FiberBody<void, F>
auto fiber_result() {
  if constexpr (std::invocable<F&, std::stop_token>) {
    return std::type_identity<std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token>>>();
  } else {
    return std::type_identity<std::remove_cvref_t<std::invoke_result_t<F&>>>();
  }
}
template <class F>
using FiberResultOf = decltype(fiber_result<F>())::type;

template <class T>
class FiberResult : public FiberControl {
 public:
  // Called once, after `finished` is set.
  JOBS_TAG_OF_MODE T take() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
    if constexpr (!std::is_void_v<T>) return *std::move(value_);
  }

 protected:
  using FiberControl::FiberControl;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, std::monostate, std::optional<T>>
      value_;
};

JOBS_OF_MODE_BEGIN

template <class T, class F>
class FiberWithBody final : public FiberResult<T> {
 public:
  template <class G>
  FiberWithBody(FiberOptions&& options, const std::source_location& site, G&& function)
      : FiberResult<T>(std::move(options), site),
        function_(std::in_place, std::forward<G>(function)) {}

 private:
  decltype(auto) call() {
    if constexpr (std::is_invocable_r_v<T, F&, std::stop_token>) {
      return std::invoke(*function_, this->fiber_signals.stop_token());
    } else {
      return std::invoke(*function_);
    }
  }
  void execute_body() override {
    struct Reset {
      std::optional<F>& function;
      ~Reset() { function.reset(); }
    };
    const Reset at_end{function_};  // the captured values end with the fiber, not with the handle
    static_cast<void>(run_contained([this] {
      if constexpr (std::is_void_v<T>) {
        static_cast<void>(call());
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
// Requests a stop, waits for the end without interruption, and drops the reference.
JOBS_EXPORT void stop_and_detach(FiberControl* control) noexcept;

}  // namespace detail

/// A function that runs as a fiber; the object owns its result.
///
/// A fiber suits code that waits a lot, has a name, or that other code joins, stops or finds. Plain
/// jobs may wait as well. A fiber starts on any worker that takes it, like a job, and never leaves
/// that worker: addresses of `thread_local` variables stay valid over a wait. It has floating-point
/// control words (rounding, flush-to-zero), `errno` and exception state of its own, and begins with
/// the defaults.
///
/// The object is a move-only handle, like std::jthread, for one thread or fiber at a time: joining,
/// moving and detaching empty it. Other code that observes, wakes, stops or awaits the fiber uses a
/// FiberRef.
///
/// @snippet fibers.cpp fiber
///
/// `jobs::Fiber fiber(function)` takes the type of the result from the function; jobs::async() is
/// the same as an expression. A `Fiber<>` drops what the function returns.
///
/// @tparam T  type of the result: `void` or a movable object type
template <class T = void>
  requires(std::is_void_v<T> || (std::is_object_v<T> && std::movable<T>))
class [[nodiscard]] Fiber : public FiberHandle {
 public:
  /// Creates an empty handle.
  Fiber() noexcept = default;
  /// Starts function() or function(std::stop_token) as a fiber.
  ///
  /// The fiber belongs to the scheduler of the calling thread, or to the default scheduler. A fiber
  /// that starts later may find no memory for its stack. Then it runs on the stack of a job if that
  /// stack is large enough. Otherwise join() throws Error(kNoStack).
  ///
  /// @param function  callable without arguments or with a std::stop_token; moved or copied into
  ///   the fiber. Its result converts to T, unless T is void.
  /// @param options  name, stack size, time of the start, daemon flag
  /// @param site  call site of the fiber in Scheduler::stack_use() and in messages
  /// @throws std::bad_alloc if there is no memory
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kBadArgument) if the stack size is out of range
  /// @throws Error(kNoStack) if there is no stack and `options.start` is FiberStart::kNow
  /// @complexity O(1); one allocation, two with a name
  /// @thread_safety any thread or fiber, concurrently
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Fiber> && detail::FiberBody<T, std::decay_t<F>>)
  [[nodiscard]] JOBS_TAG_OF_MODE explicit Fiber(
      F&& function, FiberOptions options = {},
      const std::source_location& site = std::source_location::current()) {
    auto* const control = new detail::FiberWithBody<T, std::decay_t<F>>(std::move(options), site,
                                                                        std::forward<F>(function));
    control->launch(detail::current_shared());
    control_ = control;
  }
  /// @cond internal
  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Fiber> && !detail::FiberBody<T, std::decay_t<F>>)
  explicit Fiber(F&&, const FiberOptions& = {}) {
    static_assert(
        detail::kNever<F>,
        "jobs::Fiber<T>: function must be callable as f() or f(std::stop_token), for a T");
  }
  template <class F, detail::NoFiberOptions Options, class... Rest>
  explicit Fiber(F&&, Options&&, Rest&&...) {
    static_assert(detail::kNever<F>,
                  "jobs::Fiber: takes a function without arguments, then {.name = \"text\"}");
  }
  template <class F, class... Rest>
  Fiber(const FiberOptions&, F&&, Rest&&...) {
    static_assert(detail::kNever<F>,
                  "jobs::Fiber: takes a function without arguments, then {.name = \"text\"}");
  }
  /// @endcond
  /// Takes over the fiber of another handle, which becomes empty.
  ///
  /// @param other  handle that owned the fiber
  Fiber(Fiber&& other) noexcept : FiberHandle(std::exchange(other.control_, nullptr)) {}
  /// Stops and awaits the current fiber, then takes over another one.
  ///
  /// @param other  handle that owned the fiber
  /// @returns *this
  Fiber& operator=(Fiber&& other) noexcept {
    if (this != &other) {
      finish();
      control_ = std::exchange(other.control_, nullptr);
    }
    return *this;
  }
  /// Requests a stop and waits for the end, unless the fiber was joined or detached.
  ///
  /// An exception of the function that was not joined, other than Cancelled, goes to
  /// SchedulerOptions::on_unhandled; without this hook the program ends by std::terminate.
  ~Fiber() { finish(); }

  /// Waits for the end and returns the result.
  ///
  /// An external thread is parked; a job or fiber is suspended. If the wait is cut short by
  /// Cancelled or Error(kNoStack), the fiber can be joined again.
  ///
  /// @returns result of the function
  /// @throws exception that the function threw, Cancelled included
  /// @throws Error(kBadArgument) if the handle is empty, or if the fiber joins itself
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner of the handle
  JOBS_TAG_OF_MODE T join() {
    check_joinable();
    control_->wait();
    return take();
  }
  /// Requests a stop, waits for the end, and returns the result if there is one.
  ///
  /// A fiber that ends by the Cancelled of this stop has no result; the call does not throw it, as
  /// join() would.
  ///
  /// @snippet fibers.cpp stop_and_join
  ///
  /// @returns result of the function, empty if it ended by Cancelled; for a Fiber<>: true if the
  ///   function returned, false if it ended by Cancelled
  /// @throws exception that the function threw, except Cancelled
  /// @throws Error(kBadArgument) if the handle is empty, or if the fiber joins itself
  /// @throws Cancelled if the wait of the caller is cancelled; the fiber can be joined again
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1) and the stop callbacks of the fiber, no allocation
  /// @thread_safety the owner of the handle
  JOBS_TAG_OF_MODE std::conditional_t<std::is_void_v<T>, bool, std::optional<T>> stop_and_join() {
    check_joinable();
    control_->request_stop();
    control_->wait();
    JOBS_TRY {
      if constexpr (std::is_void_v<T>) {
        take();
        return true;
      } else {
        return take();
      }
    }
    JOBS_CATCH(Cancelled) { return {}; }
  }
  /// Waits for the end for a limited time.
  ///
  /// @param timeout  longest time to wait; 0 or less makes the call a poll
  /// @returns true if the fiber has ended: join() will not wait
  /// @throws Error(kBadArgument) if the handle is empty, if the fiber joins itself, or for NaN
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner of the handle
  template <class Rep, class Period>
  [[nodiscard]] bool join_for(const std::chrono::duration<Rep, Period>& timeout) {
    check_joinable();
    return control_->finished.wait_for(timeout);
  }
  /// Waits for the end until a point in time.
  ///
  /// @param when  point in time on any clock; a past one makes the call a poll
  /// @returns true if the fiber has ended: join() will not wait
  /// @throws Error(kBadArgument) if the handle is empty, if the fiber joins itself, or for NaN
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner of the handle
  template <class Clock, class Duration>
  [[nodiscard]] bool join_until(const std::chrono::time_point<Clock, Duration>& when) {
    check_joinable();
    return control_->finished.wait_until(when);
  }
  /// Tells whether the handle owns a fiber.
  ///
  /// @returns true if the fiber was neither joined nor detached
  /// @complexity O(1)
  /// @thread_safety the owner of the handle
  bool joinable() const noexcept { return control_ != nullptr; }

  /// Gives up the handle; the fiber runs on without an owner.
  ///
  /// An exception of the function goes to SchedulerOptions::on_unhandled.
  ///
  /// @throws Error(kBadArgument) if the handle is empty
  /// @complexity O(1)
  /// @thread_safety the owner of the handle
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
    if (control_ != nullptr) detail::stop_and_detach(std::exchange(control_, nullptr));
  }
};

/// @cond internal
template <class F>
  requires detail::FiberBody<void, std::decay_t<F>>
Fiber(F&&, FiberOptions = {}, const std::source_location& = {})
    -> Fiber<detail::FiberResultOf<std::decay_t<F>>>;
/// @endcond

/// Starts function() or function(std::stop_token) as a fiber, and returns its handle.
///
/// The call corresponds to `std::async`, with a fiber instead of a thread. The destructor of the
/// handle requests a stop before it waits. Work that needs neither a result, a name nor a stop is
/// cheaper as a job: see spawn().
///
/// @snippet fibers.cpp async
///
/// @param function  callable without arguments or with a std::stop_token; moved or copied into the
///   fiber
/// @param options  name, stack size, time of the start, daemon flag
/// @param site  call site of the fiber in Scheduler::stack_use() and in messages
/// @returns Fiber for the result of the function; a result by reference is copied
/// @throws std::bad_alloc if there is no memory
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws Error(kBadArgument) if the stack size is out of range
/// @throws Error(kNoStack) if there is no stack and `options.start` is FiberStart::kNow
/// @complexity O(1); one allocation, two with a name
/// @thread_safety any thread or fiber, concurrently
template <class F>
  requires detail::FiberBody<void, std::decay_t<F>>
[[nodiscard]] JOBS_TAG_OF_MODE auto async(
    F&& function, FiberOptions options = {},
    const std::source_location& site = std::source_location::current()) {
  return Fiber<detail::FiberResultOf<std::decay_t<F>>>(std::forward<F>(function),
                                                       std::move(options), site);
}
/// @cond internal
// A wrong call (jobs/base/wrong_call.hpp).
template <class F>
  requires(!detail::FiberBody<void, std::decay_t<F>>)
auto async(F&&, const FiberOptions& = {}) {
  static_assert(detail::kNever<F>,
                "jobs::async: function must be callable as f() or f(std::stop_token)");
  return detail::Anything();
}
template <class F, detail::NoFiberOptions Options, class... Rest>
auto async(F&&, Options&&, Rest&&...) {
  static_assert(detail::kNever<F>,
                "jobs::async: takes a function without arguments, then {.name = \"text\"}");
  return detail::Anything();
}
template <class F, class... Rest>
auto async(const FiberOptions&, F&&, Rest&&...) {
  static_assert(detail::kNever<F>,
                "jobs::async: takes a function without arguments, then {.name = \"text\"}");
  return detail::Anything();
}
/// @endcond

}  // namespace jobs::inline JOBS_ABI
