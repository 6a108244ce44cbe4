// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// FiberRef refers to a Fiber; find_fiber() and live_fibers() find Fibers.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/deadline.hpp"
#include "jobs/fiber_state.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI {

/// State of a Fiber at one instant.
struct FiberInfo {
  /// Value of `worker` for a fiber that has not begun.
  static constexpr unsigned kNoWorker = detail::FiberControl::kNoWorker;

  /// Identifier, unique in the process; 0 for an empty handle.
  FiberId id{};
  /// Name; empty if the fiber has none.
  std::string name;
  /// State; it may have changed since.
  FiberState state = FiberState::kDead;
  /// Index of the worker of the fiber; kNoWorker if the fiber has not begun.
  unsigned worker = kNoWorker;
  /// Number of times that the fiber was resumed after a switch away from it.
  std::uint64_t switches = 0;
  /// Time on its worker up to its last switch, in nanoseconds.
  ///
  /// Always 0 without SchedulerOptions::account_run_time, and for a ThreadFiber.
  std::chrono::nanoseconds run_time{
      0};  // on its worker, up to its last switch; with SchedulerOptions::account_run_time
  /// True for a fiber that does not keep its scheduler from shutting down.
  bool daemon = false;
};

/// The common members of Fiber and FiberRef; a program uses them through these classes.
///
/// A handle points to the control block of its fiber and owns one reference to it.
///
/// @thread_safety any thread or fiber, concurrently
class FiberHandle {
 public:
  /// @cond internal
  // For the library.
  detail::FiberControl* control() const noexcept { return control_; }
  /// @endcond

  /// Largest number of values of schedule() that wait for one fiber.
  static constexpr unsigned kMaxValues = detail::ResumeValue::kMaxWaiting;

  /// Returns the identifier of the fiber.
  ///
  /// @returns identifier; 0 for an empty handle
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  FiberId id() const noexcept { return control_ != nullptr ? FiberId{control_->id} : FiberId{}; }
  /// Returns the name of the fiber.
  ///
  /// @returns name; empty for an unnamed fiber or an empty handle
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  std::string name() const { return control_ != nullptr ? control_->name() : std::string(); }
  /// Returns the state of the fiber at the time of the call.
  ///
  /// The state may have changed when the call returns. FiberState::kDead is final.
  ///
  /// @returns state; FiberState::kDead for an empty handle
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  FiberState state() const noexcept {
    return control_ != nullptr ? control_->fiber_signals.state() : FiberState::kDead;
  }
  /// Returns identifier, name, state and figures of the fiber.
  ///
  /// @returns information; a default FiberInfo for an empty handle
  /// @throws std::bad_alloc if there is no memory for the name
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  FiberInfo info() const {
    if (control_ == nullptr) return {};
    return {.id = id(),
            .name = name(),
            .state = state(),
            .worker = control_->worker(),
            .switches = control_->fiber_signals.switches(),
            .run_time = control_->run_time(),
            .daemon = control_->is_daemon()};
  }

  /// Requests that the fiber ends.
  ///
  /// The std::stop_token of the fiber observes the request. Each wait that suspends the fiber
  /// throws Cancelled from then on, its current wait included. A fiber that was created suspended
  /// and has not begun ends at once. The call never waits and never switches.
  ///
  /// @returns false if a stop was requested before, or if the handle is empty
  /// @complexity O(1), and the stop callbacks of the fiber
  /// @thread_safety any thread or fiber, concurrently
  bool request_stop() const noexcept { return control_ != nullptr && control_->request_stop(); }

  /// Resumes the fiber from this_fiber::suspend(), without a value.
  ///
  /// A fiber that was created suspended begins. The call never switches: the fiber runs after the
  /// fibers that are ready already. If the fiber is not in this_fiber::suspend(), one call is kept
  /// for its next suspension, so that an early wake-up is not lost.
  ///
  /// @returns false if nothing has changed: the fiber has ended, is the caller itself, or has been
  ///   scheduled already; or the handle is empty
  /// @throws Error(kBadArgument) if the fiber waits for a value
  /// @throws Error(kStopped) if the fiber would begin and its scheduler is shut down
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  bool schedule() const { return control_ != nullptr && control_->schedule(nullptr); }
  /// Resumes the fiber from this_fiber::suspend<T>(), which returns `value`.
  ///
  /// Values that no suspension has read wait in FIFO order, at most kMaxValues. Each suspension
  /// takes one of them. A fiber that was created suspended begins, and the value is kept for its
  /// first `suspend<T>()`. Values that are left at the end of the fiber are dropped with the last
  /// reference to it. The call never switches.
  ///
  /// @snippet fibers.cpp schedule_values
  ///
  /// @param value  moved or copied; its decayed type must be the T of the suspension
  /// @returns false if the value was dropped: the fiber has ended (state() is FiberState::kDead),
  /// is
  ///   the caller itself, or has kMaxValues values that it has not read; or the handle is empty
  /// @throws Error(kBadArgument) if the fiber waits for a value of another type; the value was
  ///   dropped
  /// @throws Error(kStopped) if the fiber would begin and its scheduler is shut down
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1), one allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class V>
  JOBS_TAG_OF_MODE bool schedule(V&& value) const {
    using Value = detail::TypedResumeValue<std::decay_t<V>>;
    return control_ != nullptr &&
           control_->schedule(std::make_unique<Value>(std::forward<V>(value)));
  }
  /// Makes the fiber's current wait, or its next one, throw `exception`.
  ///
  /// The exception takes precedence over a value that was scheduled earlier. A fiber that was
  /// created suspended and has not begun ends with the exception.
  ///
  /// @param exception  thrown by a wait of any kind
  /// @returns false if the fiber has ended, if an exception is pending already, or if the handle is
  ///   empty
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  bool schedule_exception(std::exception_ptr exception) const noexcept {
    return control_ != nullptr && control_->interrupt(std::move(exception));
  }

  /// Makes an alternative for select() that waits for the end of the fiber.
  ///
  /// The result, or the exception, remains for Fiber::join(), which does not wait any more.
  ///
  /// @snippet sync.cpp select_any_wait
  ///
  /// @returns the alternative, for one call of select(); the handle must live as long
  /// @throws Error(kBadArgument) if the handle is empty, or if a fiber would wait for itself
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_EXPORT Event::OnSignal on_end() const;

  /// @cond internal
 protected:
  explicit FiberHandle(detail::FiberControl* control = nullptr) noexcept : control_(control) {}
  ~FiberHandle() = default;
  FiberHandle(const FiberHandle&) = default;
  FiberHandle& operator=(const FiberHandle&) = default;

  detail::FiberControl* control_;
  /// @endcond
};

class FiberRef;

/// Returns the Fiber with a given identifier.
///
/// Plain jobs have no entry in the list of Fibers: they cost nothing there.
///
/// @param id  identifier, as of FiberRef::id()
/// @returns reference to the fiber; empty if it has ended or never existed
/// @complexity O(1) for up to 1,000 live Fibers
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT FiberRef find_fiber(FiberId id) noexcept;
/// Returns all Fibers of the process that have not ended, in no particular order.
///
/// Fibers that begin or end during the call may be missing.
///
/// @returns references to the fibers
/// @throws std::bad_alloc if there is no memory
/// @complexity O(live fibers)
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT std::vector<FiberRef> live_fibers();

namespace this_fiber {
/// Returns a reference to the enclosing Fiber.
///
/// @returns reference; empty in a plain job and on a thread that runs no Fiber
/// @complexity O(1)
/// @thread_safety any thread or fiber
JOBS_EXPORT FiberRef ref() noexcept;
}  // namespace this_fiber

/// Reference to a Fiber, to observe it, wake it, stop it or wait for its end.
///
/// The reference keeps neither the fiber running nor its result. It stays valid after the end of
/// the fiber. It is copyable, and empty by default.
///
/// @snippet fibers.cpp fiber_ref
///
/// @thread_safety any thread or fiber, concurrently, on any number of references to one fiber; one
///   reference object is for one thread at a time where it is modified
class JOBS_EXPORT FiberRef : public FiberHandle {
 public:
  /// Creates an empty reference.
  FiberRef() noexcept = default;
  /// Creates a reference to the fiber of a Fiber or FiberRef.
  ///
  /// @param handle  handle; an empty one gives an empty reference
  FiberRef(const FiberHandle& handle) noexcept
      : FiberHandle(handle) {  // NOLINT(google-explicit-constructor): it is one
    if (control_ != nullptr) control_->add_owner();
  }
  /// Copies a reference.
  ///
  /// @param other  reference to the same fiber
  FiberRef(const FiberRef& other) noexcept : FiberRef(static_cast<const FiberHandle&>(other)) {}
  /// Moves a reference; the source becomes empty.
  ///
  /// @param other  source
  FiberRef(FiberRef&& other) noexcept : FiberHandle(std::exchange(other.control_, nullptr)) {}
  /// Replaces the reference.
  ///
  /// @param other  new reference
  /// @returns *this
  FiberRef& operator=(FiberRef other) noexcept {
    std::swap(control_, other.control_);
    return *this;
  }
  /// Drops the reference; the fiber runs on.
  ~FiberRef() {
    if (control_ != nullptr) control_->release();
  }

  /// Tells whether the reference refers to a fiber.
  ///
  /// @returns true if it is not empty, also after the end of the fiber
  explicit operator bool() const noexcept { return control_ != nullptr; }
  /// Compares two references.
  ///
  /// @param a  one reference
  /// @param b  another reference
  /// @returns true if both refer to the same fiber, or both are empty
  friend bool operator==(const FiberRef& a, const FiberRef& b) noexcept {
    return a.control_ == b.control_;
  }

  /// Waits until the fiber has ended.
  ///
  /// The call returns at once if the fiber has ended. Otherwise it suspends the calling fiber, or
  /// parks an external thread. Any number of callers may wait; they are resumed in FIFO order. The
  /// result remains for Fiber::join().
  ///
  /// @throws Error(kBadArgument) if a fiber waits for itself
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void wait() const { static_cast<void>(wait_before(os::kNever)); }
  /// Waits for a limited time until the fiber has ended.
  ///
  /// @param timeout  longest time to wait; 0 or less makes the call a poll
  /// @returns true if the fiber has ended, false if the time has passed first
  /// @throws Error(kBadArgument) if a fiber waits for itself, or for NaN
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout) const {
    return wait_before(detail::to_deadline(timeout));
  }
  /// Waits until a point in time for the end of the fiber.
  ///
  /// @param when  point in time on any clock; a past one makes the call a poll
  /// @returns true if the fiber has ended, false if the time has passed first
  /// @throws Error(kBadArgument) if a fiber waits for itself, or for NaN
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when) const {
    return wait_before(detail::to_deadline(when));
  }

 private:
  friend FiberRef find_fiber(FiberId id) noexcept;
  friend std::vector<FiberRef> live_fibers();
  friend FiberRef this_fiber::ref() noexcept;
  static FiberRef adopt(detail::FiberControl* control) noexcept {
    FiberRef ref;
    ref.control_ = control;
    return ref;
  }
  bool wait_before(os::Nanoseconds deadline) const;
};

}  // namespace jobs::inline JOBS_ABI
