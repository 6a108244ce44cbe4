// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of jobs/base/thread.hpp in a simulation: contexts of one OS thread, scheduled from a
// seed. jobs/testing implements them. The functions work inside jobs::testing::simulate() only.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Number of a running virtual thread of the simulation, from 1. 0: none.
using ThreadId = unsigned;
[[nodiscard]] JOBS_EXPORT ThreadId this_thread_id() noexcept;

// As std::thread, without arguments for the function.
class JOBS_EXPORT Thread {
 public:
  Thread() noexcept = default;
  // Throws std::system_error if the simulation refuses a thread.
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Thread>)
  explicit Thread(F&& function) : id_(start(std::function<void()>(std::forward<F>(function)))) {}
  Thread(Thread&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  bool joinable() const noexcept { return id_ != 0; }
  ThreadId get_id() const noexcept { return id_; }
  os::ThreadHandle native_handle() const noexcept { return id_; }
  void join();
  void detach() noexcept { id_ = 0; }

 private:
  static ThreadId start(std::function<void()> function);

  ThreadId id_ = 0;
};

class JOBS_EXPORT ThreadMutex {
 public:
  constexpr ThreadMutex() noexcept = default;
  ThreadMutex(const ThreadMutex&) = delete;
  ThreadMutex& operator=(const ThreadMutex&) = delete;

  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;

 private:
  friend class ThreadCondition;
  bool is_locked() const noexcept;

  // The simulation in which it was locked. A lock that an earlier, failed simulation left behind
  // has no effect.
  std::uint64_t locked_in_ = 0;
};

class JOBS_EXPORT ThreadCondition {
 public:
  ThreadCondition() noexcept = default;
  ThreadCondition(const ThreadCondition&) = delete;
  ThreadCondition& operator=(const ThreadCondition&) = delete;

  void notify_one() noexcept;
  void notify_all() noexcept;
  template <class Holds>
  void wait(std::unique_lock<ThreadMutex>& lock, Holds&& holds) {
    while (!holds()) wait_before(lock, os::kNever);
  }
  template <class Rep, class Period, class Holds>
  bool wait_for(std::unique_lock<ThreadMutex>& lock,
                const std::chrono::duration<Rep, Period>& timeout, Holds&& holds) {
    const os::Nanoseconds deadline =
        os::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(timeout).count();
    while (!holds()) {
      if (!wait_before(lock, deadline)) return holds();
    }
    return true;
  }

 private:
  bool wait_before(std::unique_lock<ThreadMutex>& lock, os::Nanoseconds deadline);
};

// std::stop_callback sees all virtual threads as one thread, because the system does. Its
// destructor would not wait for a call on another virtual thread, so this class waits.
template <class F>
class StopCallback {
 public:
  template <class G>
  StopCallback(std::stop_token token, G&& function)
      : function_(std::forward<G>(function)), callback_(std::move(token), Call{*this}) {}
  StopCallback(const StopCallback&) = delete;
  StopCallback& operator=(const StopCallback&) = delete;
  ~StopCallback() {
    while (caller_ != 0 && caller_ != this_thread_id()) cpu_relax();
  }

 private:
  struct Call {
    StopCallback& self;
    void operator()() const {
      self.caller_ = this_thread_id();
      self.function_();
      self.caller_ = 0;
    }
  };

  F function_;
  ThreadId caller_ = 0;  // the thread in the call; plain, because no step lies in between
  std::stop_callback<Call> callback_;
};

}  // namespace jobs::inline JOBS_ABI::detail
