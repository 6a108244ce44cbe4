// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberRef: names a Fiber from anywhere: looks at it, wakes it, stops it, waits for its end. It keeps neither the fiber running
// nor its result; it stays safe when the fiber has ended. find_fiber() and live_fibers() look in the process's list of Fibers.
//
//   jobs::Fiber<> worker([] { while (true) serve(jobs::this_fiber::suspend<Request>()); }, {.name = "server"});
//   worker.schedule(Request{...});                                  // does not switch: the fiber goes on when its turn comes
//   for (const jobs::FiberRef& fiber : jobs::live_fibers()) std::cout << fiber.info().name << '\n';
//
// Plain jobs are not in the list: nothing about them costs anything until they wait.
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

namespace jobs::inline JOBS_ABI {

struct FiberInfo {
  static constexpr unsigned kNoWorker = detail::FiberControl::kNoWorker;

  FiberId id{};
  std::string name;  // empty: unnamed
  FiberState state = FiberState::kDead;
  unsigned worker = kNoWorker;  // index of its home; kNoWorker: it has not begun
  std::uint64_t switches = 0;   // how often it went on after it had been left
  std::chrono::nanoseconds run_time{
      0};  // on its worker, up to its last switch; with SchedulerOptions::account_run_time
  bool daemon = false;
};

namespace detail {

// What Fiber and FiberRef share: a pointer to what the fiber keeps of itself, one reference of which it owns.
class FiberHandle {
 public:
  // For the library.
  FiberControl* control() const noexcept { return control_; }

  // 0 for an empty handle. O(1), as everything here.
  FiberId id() const noexcept { return control_ != nullptr ? FiberId{control_->id} : FiberId{}; }
  std::string name() const { return control_ != nullptr ? control_->name() : std::string(); }
  // As of now: it may have changed when this returns. kDead for an empty handle, and for ever once it was returned.
  FiberState state() const noexcept { return control_ != nullptr ? control_->mailbox.state() : FiberState::kDead; }
  FiberInfo info() const {
    if (control_ == nullptr) return {};
    return {.id = id(),
            .name = name(),
            .state = state(),
            .worker = control_->worker(),
            .switches = control_->mailbox.switches(),
            .run_time = control_->run_time(),
            .daemon = control_->is_daemon()};
  }

  // Asks it to end: its std::stop_token sees it, and from now on each of its waits that would suspend it throws Cancelled, the
  // present one too. If it was created suspended and has not begun it ends at once. Never waits and never switches. post: false:
  // that was done before. Any thread.
  bool request_stop() const noexcept { return control_ != nullptr && control_->request_stop(); }

  // Makes it go on from this_fiber::suspend<T>(), which returns `value`; or begin, if it was created suspended: then the value
  // waits for its first suspend<T>(). Never switches: the fiber runs after those that are ready already. If it does not wait there
  // just now, one call is kept for the next time, so that a wake-up that comes early is not lost. post: false: nothing has
  // changed: it has ended, is the caller itself, or has been scheduled already. Throws Error(kBadArgument) if it waits for a value
  // of another type, Error(kStopped) if it would begin and its scheduler is shut down, std::bad_alloc. Any thread.
  bool schedule() const { return control_ != nullptr && control_->schedule(nullptr); }
  template <class V>
  JOBS_TAG_OF_MODE bool schedule(V&& value) const {
    using Value = TypedResumeValue<std::decay_t<V>>;
    return control_ != nullptr && control_->schedule(std::make_unique<Value>(std::forward<V>(value)));
  }
  // Its present wait, whatever it is for, or else its next one, throws this; goes before a value that was scheduled earlier. If it
  // was created suspended and has not begun it ends with it. post: false: it has ended, or one is on its way already.
  bool schedule_exception(std::exception_ptr exception) const noexcept {
    return control_ != nullptr && control_->interrupt(std::move(exception));
  }

 protected:
  explicit FiberHandle(FiberControl* control = nullptr) noexcept : control_(control) {}
  ~FiberHandle() = default;
  FiberHandle(const FiberHandle&) = default;
  FiberHandle& operator=(const FiberHandle&) = default;

  FiberControl* control_;
};

}  // namespace detail

class FiberRef;

// The Fiber of that id; empty if it has ended or never was. O(1) for up to a thousand Fibers at a time. Any thread.
JOBS_EXPORT FiberRef find_fiber(FiberId id) noexcept;
// All Fibers of the process that have not ended, in no particular order; those that begin or end meanwhile may be missing. O(live
// fibers). Any thread.
[[nodiscard]] JOBS_EXPORT std::vector<FiberRef> live_fibers();

namespace this_fiber {
// The enclosing Fiber; empty in plain jobs and on other threads.
JOBS_EXPORT FiberRef ref() noexcept;
}  // namespace this_fiber

// Copyable; empty by default. Its members may be called by any thread, for any number of references to one fiber.
class JOBS_EXPORT FiberRef : public detail::FiberHandle {
 public:
  FiberRef() noexcept = default;
  FiberRef(const FiberHandle& handle) noexcept
      : FiberHandle(handle) {  // NOLINT(google-explicit-constructor): it is one
    if (control_ != nullptr) control_->add_owner();
  }
  FiberRef(const FiberRef& other) noexcept : FiberRef(static_cast<const FiberHandle&>(other)) {}
  FiberRef(FiberRef&& other) noexcept : FiberHandle(std::exchange(other.control_, nullptr)) {}
  FiberRef& operator=(FiberRef other) noexcept {
    std::swap(control_, other.control_);
    return *this;
  }
  ~FiberRef() {
    if (control_ != nullptr) control_->release();
  }

  explicit operator bool() const noexcept { return control_ != nullptr; }
  // The same fiber.
  friend bool operator==(const FiberRef& a, const FiberRef& b) noexcept { return a.control_ == b.control_; }

  // Until it has ended: at once if it has, otherwise suspends the fiber (an external thread: parks it). Any number may wait; they
  // go on in the order in which they came. The result stays for Fiber::join(). Throws Error(kBadArgument) if a fiber waits for
  // itself, Cancelled, Error(kNoStack).
  void wait() const { static_cast<void>(wait_before(os::kNever)); }
  // post: false: it had not ended in time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout) const {
    return wait_before(detail::to_deadline(timeout));
  }
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
