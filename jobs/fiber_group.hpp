// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberGroup: fibers that do not outlive the block that started them. It waits for all of them, or stops all of them: when one
// fails the others are stopped, and wait() throws its exception after all have ended.
//
//   jobs::FiberGroup group;
//   for (const Url& url : urls) group.start([&] { pages.push(fetch(url)); });
//   group.wait();
//
// Results: have them written where you want them, or use Fiber<T>.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <mutex>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/exceptions.hpp"
#include "jobs/cancel.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI {

// start(), request_stop() and size() may be called by any thread, its own fibers included; wait() and the destructor by the owner.
class JOBS_EXPORT FiberGroup {
 public:
  FiberGroup() noexcept = default;
  // Stops those that are left and waits for them, whatever happens. Exceptions that no wait() has thrown are dropped.
  ~FiberGroup();
  FiberGroup(const FiberGroup&) = delete;
  FiberGroup& operator=(const FiberGroup&) = delete;

  // Starts function() as a fiber of the group. What it throws, other than Cancelled, stops the group. After request_stop() it still
  // runs, and is stopped from the start. Throws as Fiber's constructor does, and Error(kBadArgument) for FiberStart::kSuspended or a
  // daemon, which nobody could wait for.
  template <class F>
  requires std::invocable < std::decay_t<F>
  & > JOBS_TAG_OF_MODE void start(F&& function, FiberOptions options = {},
                                  const std::source_location& site = std::source_location::current()) {
    if (options.start == FiberStart::kSuspended || options.daemon) throw_not_awaitable();
    running_.add();
    JOBS_TRY {
      Fiber<> fiber(Member<std::decay_t<F>>{*this, std::forward<F>(function)}, std::move(options), site);
      fiber.detach();
    }
    JOBS_CATCH_ALL {
      running_.done();
      JOBS_RETHROW;
    }
  }

  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F, class... Rest>
  requires(!std::invocable<std::decay_t<F>&>) auto start(F&&, Rest&&...) {
    static_assert(detail::kNever<F>, "jobs::FiberGroup::start: function must be callable without arguments");
  }

  // Until all have ended, those included that they start meanwhile. Then throws the first exception, if any. If the wait is cut
  // short itself (Cancelled), they run on: the destructor stops them. Afterwards the group can be used again.
  void wait();
  // Of all that run, and all that will be started before wait() has returned.
  void request_stop();
  // How many run now; for people.
  std::size_t size() const;

 private:
  // A fiber is on the list of its group while it runs.
  class JOBS_EXPORT Membership {
   public:
    explicit Membership(FiberGroup& group);
    ~Membership();
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    FiberGroup& group_;
  };

  struct Done {
    Counter& running;
    ~Done() { running.done(); }  // the last touch of the group
  };

  template <class F>
  struct JOBS_TAG_OF_MODE Member {
    FiberGroup& group;
    F function;

    void operator()() {
      const Done at_end{group.running_};
      JOBS_TRY {
        const Membership membership(group);
        F body(std::move(function));  // what it captured ends before the group's wait
        std::invoke(body);
      }
      JOBS_CATCH_ALL { group.fail_as_caught(); }
    }
  };

  // In the handler of a member that has thrown.
  void fail_as_caught() noexcept;
  [[noreturn]] static void throw_not_awaitable();

  Counter running_;
  mutable detail::SpinLock lock_;
  bool is_stopping_ = false;
  std::vector<FiberRef> members_;
};

}  // namespace jobs::inline JOBS_ABI
