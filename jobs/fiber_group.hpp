// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// FiberGroup starts fibers that end before their block does.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <source_location>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/deadline.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/cancel.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/this_fiber.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
template <class F>
concept GroupBody = std::invocable<F&> || std::invocable<F&, std::stop_token>;
}  // namespace detail

/// How FiberGroup::supervise() restarts a function that has failed.
struct RestartOptions {
  /// Largest number of restarts. The exception after the last one is a failure of the group.
  std::size_t most = static_cast<std::size_t>(-1);
  /// Time between a failure and the next call.
  std::chrono::nanoseconds delay{0};
  /// Called with each exception that leads to a restart, in a handler for this exception. Its own
  /// exceptions are failures of the group.
  std::function<void(const std::exception_ptr&)> on_restart = {};
};

/// Fibers that do not outlive the block that started them.
///
/// The group waits for all of its fibers, or stops all of them. When one fiber fails, the group
/// stops the remaining ones, and wait() throws the exception after all have ended. The fibers
/// return no results: they write them to memory of the caller, or the caller uses Fiber.
///
/// @snippet fibers.cpp fiber_group
///
/// @thread_safety any thread or fiber may call start(), request_stop() and size(), the fibers of
///   the group included; only the owner calls wait() and the destructor
class JOBS_EXPORT FiberGroup {
 public:
  /// Creates an empty group.
  FiberGroup() noexcept = default;
  /// Stops the remaining fibers and waits for them; the wait cannot be interrupted.
  ///
  /// Exceptions that no wait() has thrown are dropped.
  ~FiberGroup();
  FiberGroup(const FiberGroup&) = delete;
  FiberGroup& operator=(const FiberGroup&) = delete;

  /// Starts function() or function(std::stop_token) as a fiber of the group.
  ///
  /// An exception of the function, other than Cancelled, stops the group. After request_stop() the
  /// fiber still starts; its stop is requested from the beginning.
  ///
  /// @param function  callable without arguments or with a std::stop_token; moved or copied into
  ///   the fiber
  /// @param options  as for a Fiber
  /// @param site  call site of the fiber in Scheduler::stack_use() and in messages
  /// @throws std::bad_alloc if there is no memory
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kBadArgument) if the stack size is out of range, if `options.start` is
  ///   FiberStart::kSuspended, or for a daemon: the group could not wait for such a fiber
  /// @throws Error(kNoStack) if there is no stack and `options.start` is FiberStart::kNow
  /// @complexity O(1); as a Fiber
  /// @thread_safety any thread or fiber, concurrently
  template <class F>
    requires detail::GroupBody<std::decay_t<F>>
  JOBS_TAG_OF_MODE void start(F&& function, FiberOptions options = {},
                              const std::source_location& site = std::source_location::current()) {
    if (options.start == FiberStart::kSuspended || options.daemon) throw_not_awaitable();
    running_.add();
    JOBS_TRY {
      Fiber<> fiber(Member<std::decay_t<F>>{*this, std::forward<F>(function)}, std::move(options),
                    site);
      fiber.detach();
    }
    JOBS_CATCH_ALL {
      running_.done();
      JOBS_RETHROW;
    }
  }

  /// @cond internal
  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F, class... Rest>
    requires(!detail::GroupBody<std::decay_t<F>>)
  auto start(F&&, Rest&&...) {
    static_assert(detail::kNever<F>,
                  "jobs::FiberGroup::start: function must be callable as f() or "
                  "f(std::stop_token)");
  }
  /// @endcond

  /// Starts a fiber of the group that calls its function again when the function fails.
  ///
  /// Each exception of the function leads to a further call of the same object, after the delay.
  /// The fiber ends when the function returns, when the restarts are used up, or when a stop is
  /// requested: a stop also ends the delay.
  ///
  /// @snippet fibers.cpp supervise
  ///
  /// @param function  callable without arguments or with a std::stop_token, several times; moved or
  ///   copied into the fiber
  /// @param restarts  number of restarts, delay, and a function that learns of each failure
  /// @param options  as for a Fiber
  /// @param site  call site of the fiber in Scheduler::stack_use() and in messages
  /// @throws exception as start()
  /// @complexity O(1); as a Fiber
  /// @thread_safety any thread or fiber, concurrently
  template <class F>
    requires detail::GroupBody<std::decay_t<F>>
  JOBS_TAG_OF_MODE void supervise(
      F&& function, RestartOptions restarts = {}, FiberOptions options = {},
      const std::source_location& site = std::source_location::current()) {
    static_assert(detail::kHasExceptions<F>, "jobs::FiberGroup::supervise needs exceptions");
    start(Supervised<std::decay_t<F>>{std::forward<F>(function), std::move(restarts)},
          std::move(options), site);
  }

  /// Waits until all fibers have ended.
  ///
  /// The wait includes the fibers that members start meanwhile.
  ///
  /// If the wait itself is cancelled, the fibers run on, and the destructor stops them. The group
  /// can be used again after the call: if all fibers have ended, also by an exception or a stop, a
  /// later fiber starts without a stop request.
  ///
  /// @throws exception of the first fiber that failed
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner
  void wait();

  /// Waits as wait() does, until a stop is requested.
  ///
  /// The fibers run on after a wait without success. The owner may wait again.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if all fibers have ended, false if the stop came first
  /// @throws exception of the first fiber that failed
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  /// Waits as wait() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if all fibers have ended, false if the deadline or the stop came first
  /// @throws exception of the first fiber that failed
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }

  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if all fibers have ended, false if the deadline or the stop came first
  /// @throws exception of the first fiber that failed
  /// @throws Cancelled if the wait is cancelled
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety the owner
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  /// Requests a stop of all fibers of the group.
  ///
  /// Fibers that start before wait() has returned are stopped, too.
  ///
  /// @complexity O(fibers), and the stop callbacks of the fibers
  /// @thread_safety any thread or fiber, concurrently
  void request_stop();
  /// Returns the number of fibers that run; a human-readable figure.
  ///
  /// @returns number at the time of the call
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  std::size_t size() const;

 private:
  // Keeps a fiber on the list of its group from begin() on.
  class JOBS_EXPORT Membership {
   public:
    explicit Membership(FiberGroup& group) noexcept : group_(group) {}
    ~Membership();
    void begin();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    FiberGroup& group_;
  };

  struct Done {
    Counter& running;
    ~Done() { running.done(); }  // the last access to the group
  };

  template <class F>
  struct JOBS_TAG_OF_MODE Member {
    FiberGroup& group;
    F function;

    void operator()()
      requires(!std::invocable<F&, std::stop_token>)
    {
      run([](F& body) { std::invoke(body); });
    }
    void operator()(std::stop_token stop)
      requires std::invocable<F&, std::stop_token>
    {
      run([&](F& body) { std::invoke(body, std::move(stop)); });
    }

    template <class Call>
    void run(Call&& call) {
      const Done at_end{group.running_};
      Membership membership(
          group);  // ends when the failure is known: no later member misses the stop
      JOBS_TRY {
        membership.begin();
        F body(std::move(function));  // the captured values end before the wait of the group does
        call(body);
      }
      JOBS_CATCH_ALL { group.fail_as_caught(); }
    }
  };

  template <class F>
  struct JOBS_TAG_OF_MODE Supervised {
    F function;
    RestartOptions restarts;

    void operator()() {
      const std::stop_token stop = this_fiber::stop_token();
      for (std::size_t left = restarts.most;; --left) {
        JOBS_TRY {
          if constexpr (std::invocable<F&, std::stop_token>) {
            std::invoke(function, stop);
          } else {
            std::invoke(function);
          }
          return;
        }
        JOBS_CATCH_ALL {
          if (left == 0 || stop.stop_requested()) JOBS_RETHROW;
          if (restarts.on_restart) restarts.on_restart(std::current_exception());
        }
        this_fiber::sleep_for(restarts.delay);
      }
    }
  };

  // Called in the handler of a member that has thrown.
  void fail_as_caught() noexcept;
  [[noreturn]] static void throw_not_awaitable();
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);

  Counter running_;
  mutable detail::RawSpinLock lock_;
  bool is_stopping_ = false;
  std::exception_ptr failure_;  // of the first member that failed; the next wait throws it
  detail::HeapVector<FiberRef> members_;
};

}  // namespace jobs::inline JOBS_ABI
