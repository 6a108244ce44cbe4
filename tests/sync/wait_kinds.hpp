// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Every wait of the library in one shape, so that each common guarantee is tested once for all of
// them. The party that calls grant() later constructs the object of a kind, in a state in which a
// wait blocks.
//     bool wait(stop), bool wait_until(when, stop)   false: not granted
//     void grant() override                          lets one wait pass
//     void leave() override                          undoes a wait that has passed
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/barrier.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/latch.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/sync/shared_mutex.hpp"

namespace jobs::test {

using When = std::chrono::steady_clock::time_point;

// The party that calls grant() later constructs it, in a state in which a wait blocks.
struct Wait {
  virtual ~Wait() = default;
  // post: false: the wait was not granted.
  virtual bool wait(const std::stop_token& stop) = 0;
  virtual bool wait_until(When when, const std::stop_token& stop) = 0;
  // Lets one wait pass.
  virtual void grant() = 0;
  // Called by a party after its wait has passed: undoes the wait, if there is an effect to undo.
  virtual void leave() = 0;
};

struct ManualEvent final : Wait {
  static constexpr const char* kName = "Event";
  static constexpr bool kOneOnly = false;
  bool wait(const std::stop_token& stop) override { return event.wait(stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return event.wait_until(when, stop);
  }
  void grant() override { event.signal(); }
  void leave() override {}
  Event event;
};

struct AutomaticEvent final : Wait {
  static constexpr const char* kName = "automatic Event";
  static constexpr bool kOneOnly = true;
  bool wait(const std::stop_token& stop) override { return event.wait(stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return event.wait_until(when, stop);
  }
  void grant() override { event.signal(); }
  void leave() override {}
  Event event{Event::Reset::kAutomatic};
};

struct OneCounter final : Wait {
  static constexpr const char* kName = "Counter";
  static constexpr bool kOneOnly = false;
  bool wait(const std::stop_token& stop) override { return counter.wait(stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return counter.wait_until(when, stop);
  }
  void grant() override { counter.done(); }
  void leave() override {}
  Counter counter{1};
};

struct OneLatch final : Wait {
  static constexpr const char* kName = "Latch";
  static constexpr bool kOneOnly = false;
  bool wait(const std::stop_token& stop) override { return latch.wait(stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return latch.wait_until(when, stop);
  }
  void grant() override { latch.count_down(); }
  void leave() override {}
  Latch latch{1};
};

struct OneSemaphore final : Wait {
  static constexpr const char* kName = "Semaphore";
  static constexpr bool kOneOnly = true;
  bool wait(const std::stop_token& stop) override { return semaphore.acquire(stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return semaphore.try_acquire_until(when, stop);
  }
  void grant() override { semaphore.release(); }
  void leave() override {}
  Semaphore semaphore{0};
};

// Waits for the phase that the granting party ends; the waiter has arrived already.
struct OneBarrier final : Wait {
  static constexpr const char* kName = "Barrier";
  static constexpr bool kOneOnly = false;
  bool wait(const std::stop_token& stop) override { return barrier.wait(token, stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return barrier.wait_until(token, when, stop);
  }
  void grant() override { static_cast<void>(barrier.arrive()); }
  void leave() override {}
  Barrier<> barrier{2};
  const Barrier<>::ArrivalToken token = barrier.arrive();
};

// A mutex that the granting party owns. The analysis does not follow locks from one function to
// another.
template <class M>
struct Held final : Wait {
  static constexpr const char* kName =
      std::is_same_v<M, Mutex> ? "Mutex" : "SharedMutex for a writer";
  static constexpr bool kOneOnly = true;
  Held() JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.lock(); }
  bool wait(const std::stop_token& stop) override JOBS_NO_THREAD_SAFETY_ANALYSIS {
    return mutex.lock(stop);
  }
  bool wait_until(When when, const std::stop_token& stop) override JOBS_NO_THREAD_SAFETY_ANALYSIS {
    return mutex.try_lock_until(when, stop);
  }
  void grant() override JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.unlock(); }
  void leave() override JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.unlock(); }
  M mutex;
};

struct HeldFromReader final : Wait {
  static constexpr const char* kName = "SharedMutex for a reader";
  static constexpr bool kOneOnly = false;
  HeldFromReader() JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.lock(); }
  bool wait(const std::stop_token& stop) override JOBS_NO_THREAD_SAFETY_ANALYSIS {
    return mutex.lock_shared(stop);
  }
  bool wait_until(When when, const std::stop_token& stop) override JOBS_NO_THREAD_SAFETY_ANALYSIS {
    return mutex.try_lock_shared_until(when, stop);
  }
  void grant() override JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.unlock(); }
  void leave() override JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.unlock_shared(); }
  SharedMutex mutex;
};

struct OneCondition final : Wait {
  static constexpr const char* kName = "ConditionVariable";
  static constexpr bool kOneOnly = true;
  bool wait(const std::stop_token& stop) override {
    std::unique_lock lock(mutex);
    return take(changed.wait(lock, stop, [&] { return tokens != 0; }));
  }
  bool wait_until(When when, const std::stop_token& stop) override {
    std::unique_lock lock(mutex);
    return take(changed.wait_until(lock, stop, when, [&] { return tokens != 0; }));
  }
  bool take(bool granted) {
    if (granted) --tokens;
    return granted;
  }
  void grant() override {
    // Notified under the lock: the waiter may destroy the whole object.
    const std::scoped_lock lock(mutex);
    ++tokens;
    changed.notify_one();
  }
  void leave() override {}
  Mutex mutex;
  ConditionVariable changed;
  int tokens = 0;
};

// A pop that waits for a push.
template <std::size_t kCapacity>
struct Popped final : Wait {
  static constexpr const char* kName =
      kCapacity == 0 ? "pop of a rendezvous" : "pop of a buffered Channel";
  static constexpr bool kOneOnly = true;
  bool wait(const std::stop_token& stop) override { return channel.pop(stop).has_value(); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return channel.try_pop_until(when, stop).has_value();
  }
  void grant() override { static_cast<void>(channel.push(1)); }
  void leave() override {}
  Channel<int> channel{kCapacity};
};

// A push into a full channel, which waits for a pop.
struct Pushed final : Wait {
  static constexpr const char* kName = "push into a full Channel";
  static constexpr bool kOneOnly = true;
  Pushed() { static_cast<void>(channel.push(0)); }
  bool wait(const std::stop_token& stop) override { return channel.push(1, stop); }
  bool wait_until(When when, const std::stop_token& stop) override {
    return channel.try_push_until(1, when, stop);
  }
  void grant() override { static_cast<void>(channel.pop()); }
  void leave() override {}
  Channel<int> channel{1};
};

// Waits for two objects; the second one is granted.
template <Event::Reset kReset>
struct SelectedEvent final : Wait {
  static constexpr bool kIsManual = kReset == Event::Reset::kManual;
  static constexpr const char* kName =
      kIsManual ? "select of an Event" : "select of an automatic Event";
  static constexpr bool kOneOnly = !kIsManual;
  bool wait(const std::stop_token& stop) override {
    return select(stop, never.on_signal(), event.on_signal()) == 1;
  }
  bool wait_until(When when, const std::stop_token& stop) override {
    if (stop.stop_possible()) return wait(stop);
    return select_until(when, never.on_signal(), event.on_signal()) == 1;
  }
  void grant() override { event.signal(); }
  void leave() override {}
  Event never;
  Event event{kReset};
};

struct SelectedPop final : Wait {
  static constexpr const char* kName = "select of a pop";
  static constexpr bool kOneOnly = true;
  bool wait(const std::stop_token& stop) override {
    std::optional<int> item;
    return select(stop, never.on_pop(item), channel.on_pop(item)) == 1;
  }
  bool wait_until(When when, const std::stop_token& stop) override {
    if (stop.stop_possible()) return wait(stop);
    std::optional<int> item;
    return select_until(when, never.on_pop(item), channel.on_pop(item)) == 1;
  }
  void grant() override { static_cast<void>(channel.push(1)); }
  void leave() override {}
  Channel<int> never{1};
  Channel<int> channel{1};
};

struct SelectedZero final : Wait {
  static constexpr const char* kName = "select of a Counter";
  static constexpr bool kOneOnly = false;
  bool wait(const std::stop_token& stop) override {
    return select(stop, never.on_zero(), counter.on_zero()) == 1;
  }
  bool wait_until(When when, const std::stop_token& stop) override {
    if (stop.stop_possible()) return wait(stop);
    return select_until(when, never.on_zero(), counter.on_zero()) == 1;
  }
  void grant() override { counter.done(); }
  void leave() override {}
  ~SelectedZero() override { never.done(); }
  Counter never{1};
  Counter counter{1};
};

struct SelectedPermit final : Wait {
  static constexpr const char* kName = "select of a Semaphore";
  static constexpr bool kOneOnly = true;
  bool wait(const std::stop_token& stop) override {
    return select(stop, never.on_acquire(), semaphore.on_acquire()) == 1;
  }
  bool wait_until(When when, const std::stop_token& stop) override {
    if (stop.stop_possible()) return wait(stop);
    return select_until(when, never.on_acquire(), semaphore.on_acquire()) == 1;
  }
  void grant() override { semaphore.release(); }
  void leave() override {}
  Semaphore never{0};
  Semaphore semaphore{0};
};

struct Kind {
  const char* name;
  bool is_for_one;   // grant() lets one wait pass, not all
  bool is_returned;  // leave() lets the next wait pass
  bool keeps;        // a grant before the wait is kept for it
  std::unique_ptr<Wait> (*make)();
};

inline const auto& all_waits() {
  const auto kind = []<class W>(std::type_identity<W>) {
    return Kind{
        .name = W::kName,
        .is_for_one = W::kOneOnly,
        .is_returned = std::is_same_v<W, Held<Mutex>> || std::is_same_v<W, Held<SharedMutex>>,
        // A rendezvous grants only a wait that has begun.
        .keeps = !std::is_same_v<W, Popped<0>>,
        .make = []() -> std::unique_ptr<Wait> { return std::make_unique<W>(); }};
  };
  static const std::array all{
      kind(std::type_identity<ManualEvent>()),
      kind(std::type_identity<AutomaticEvent>()),
      kind(std::type_identity<OneCounter>()),
      kind(std::type_identity<OneLatch>()),
      kind(std::type_identity<OneSemaphore>()),
      kind(std::type_identity<OneBarrier>()),
      kind(std::type_identity<Held<Mutex>>()),
      kind(std::type_identity<Held<SharedMutex>>()),
      kind(std::type_identity<HeldFromReader>()),
      kind(std::type_identity<OneCondition>()),
      kind(std::type_identity<Popped<0>>()),
      kind(std::type_identity<Popped<2>>()),
      kind(std::type_identity<Pushed>()),
      kind(std::type_identity<SelectedEvent<Event::Reset::kManual>>()),
      kind(std::type_identity<SelectedEvent<Event::Reset::kAutomatic>>()),
      kind(std::type_identity<SelectedPop>()),
      kind(std::type_identity<SelectedZero>()),
      kind(std::type_identity<SelectedPermit>()),
  };
  return all;
}

}  // namespace jobs::test
