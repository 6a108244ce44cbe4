// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Interrupts: messages to a fiber (FiberSignals) against grants, deadlines, time limits, each other
// and the fiber's end. Each accepted exception is thrown once, or is dropped with the fiber. After
// a stop request every wait throws the stop. Each value arrives once. An interrupted wait consumes
// no grant. No thread accesses a fiber that has ended.
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "jobs/cancel.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/fibers/fiber_owners.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/core/fiber_signals.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/semaphore.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::DeathWatch;
using detail::EventCore;
using detail::FiberHost;
using detail::FiberOwners;
using detail::FiberSignals;
using detail::InterruptShield;
using detail::Plain;
using detail::ResumeValue;
using detail::WaitingThread;
using Phase = FiberSignals::Phase;
using Sent = FiberSignals::Sent;

// kSoonToo: as kSoon. kLast: later than all other deadlines.
constexpr os::Nanoseconds kSoonToo = 5;
constexpr os::Nanoseconds kLast = 2'000'000'000;

// A mailbox with a lock of its own; a Fiber uses the lock of the registry.
struct OwnLock {
  detail::RawSpinLock lock;
};
struct OwnFiberSignals : OwnLock, FiberSignals {
  explicit OwnFiberSignals(Phase phase) : FiberSignals(phase, lock) {}
  // As FiberControl: with_lock() runs in the section in which the control block dies.
  template <class F>
  void close(FiberHost& host, F&& with_lock) {
    std::unique_lock section(lock);
    while (const unsigned under_way = FiberSignals::close()) {
      section.unlock();
      receive(host, under_way);
      section.lock();
    }
    with_lock();
  }
};

// Runs the thread as a worker that runs a Fiber.
template <class F>
void run_fiber(OwnFiberSignals& fiber_signals, F&& body) {
  const WaitingThread thread;
  FiberHost& host = thread.host();
  fiber_signals.open(host.current());
  body(host);
  fiber_signals.close(host, [] {});
}

// The ways in which a wait ends. The handlers do nothing: the explorer must not switch threads
// inside them.
constexpr int kPassed = 0;
constexpr int kCancelled = -1;
constexpr int kLimited = -2;
constexpr int kWrongType = -3;
template <class F>
int end_of(F&& wait) {
  try {
    wait();
  } catch (const int exception) {
    return exception;
  } catch (const Cancelled& cancelled) {
    return cancelled.scope() == nullptr ? kCancelled : kLimited;
  } catch (const Error&) {
    return kWrongType;
  }
  return kPassed;
}

bool interrupt(FiberSignals& fiber_signals, int exception) {
  return fiber_signals.interrupt(std::make_exception_ptr(exception)) != Sent::kRefused;
}
bool resume(FiberSignals& fiber_signals) { return fiber_signals.resume(nullptr) != Sent::kRefused; }
bool await(FiberSignals& fiber_signals, FiberHost& host, os::Nanoseconds deadline = os::kNever) {
  std::unique_ptr<ResumeValue> value;
  return fiber_signals.await(host, detail::kTypeIdentity<void>, deadline, value);
}
int throw_pending() {
  return end_of([] { Event().wait(); });
}
// Later than the deadlines above; otherwise the wait would return at once.
bool nothing_is_pending() {
  return end_of([] {
           check(!Event().wait_until(kSoon + std::chrono::seconds(1)), "nobody signals");
         }) == kPassed;
}

// --- against grants, deadlines and limits -------------------------------------------------------

// Either the wait takes the permit and the next wait throws the exception, or the permit stays.
void exception_and_grant() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Semaphore permit(0);
  int first = kPassed;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          first = end_of([&] { permit.acquire(); });
          check(first == 1 || throw_pending() == 1, "the exception is thrown");
          check(nothing_is_pending(), "once");
        });
      },
      [&] {
        const bool grant_first = choose(2) == 0;
        if (grant_first) permit.release();
        check(interrupt(fiber_signals, 1), "the fiber lives");
        if (!grant_first) permit.release();
      });
  check(permit.try_acquire() == (first == 1), "the permit is taken or left");
}

// The granting thread and the interrupting thread are not ordered. Another waiter needs the permit
// that is passed on.
void interrupted_waiter_loses_no_permit() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Semaphore permit(0);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          if (end_of([&] { permit.acquire(); }) == kPassed) permit.release();
        });
      },
      [&] { permit.acquire(); },
      [&] {
        static_cast<void>(interrupt(fiber_signals, 1));  // the fiber may have ended
        permit.release();
      });
  check(!permit.try_acquire(), "the one permit is with the second thread");
}

void exception_and_deadline() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          const int first = end_of([] { check(!Event().wait_until(kSoon), "nobody signals"); });
          check(first == 1 || throw_pending() == 1, "the exception is thrown");
          check(nothing_is_pending(), "once");
        });
      },
      [&] { check(interrupt(fiber_signals, 1), "the fiber lives"); });
}

// Either the limit or the grant ends the wait. A later deadline has no effect.
void limit_and_grant() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Semaphore permit(0);
  int end = kPassed;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          const bool far_deadline = choose(2) == 0;
          {
            const detail::TimeLimit limit(kSoonToo);
            end = end_of([&] {
              if (far_deadline) {
                check(permit.try_acquire_until(kSoon + std::chrono::nanoseconds(1)),
                      "the limit is nearer");
              } else {
                permit.acquire();
              }
            });
          }
          check(nothing_is_pending(), "the limit is gone");
        });
      },
      [&] { permit.release(); });
  check(end == kPassed || end == kLimited, "no other reason");
  check(permit.try_acquire() == (end == kLimited), "the permit is taken or left");
}

void exception_and_limit() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          int first = kPassed;
          {
            const detail::TimeLimit limit(kSoonToo);
            first = throw_pending();
          }
          check(first == 1 || first == kLimited, "one of the two");
          check(first == 1 || throw_pending() == 1, "the exception is thrown");
          check(nothing_is_pending(), "once");
        });
      },
      [&] { check(interrupt(fiber_signals, 1), "the fiber lives"); });
}

// Messages do not interrupt a shielded wait. A message that arrives during the wait takes effect
// after it.
void exception_and_shield() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Event event;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          {
            const InterruptShield shield(host.current());
            check(end_of([&] { event.wait(); }) == kPassed, "shielded");
          }
          check(throw_pending() == 1, "the exception is thrown");
        });
      },
      [&] {
        check(interrupt(fiber_signals, 1), "the fiber lives");
        event.signal();
      });
}

void item_is_popped_or_left() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Channel<int> channel(1);
  bool popped = false;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          popped = end_of([&] { check(channel.pop() == 7, "the item"); }) == kPassed;
          check(!popped || throw_pending() == 1, "the exception is thrown");
        });
      },
      [&] {
        check(interrupt(fiber_signals, 1), "the fiber lives");
        check(channel.push(7), "not closed");
      });
  check(channel.try_pop().has_value() != popped, "popped or left");
}

void selected_or_interrupted() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Event never;
  Event event(Event::Reset::kAutomatic);
  bool passed = false;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          passed = end_of([&] {
                     check(select(never.on_signal(), event.on_signal()) == 1, "the one");
                   }) == kPassed;
          check(!passed || throw_pending() == 1, "the exception is thrown");
        });
      },
      [&] {
        check(interrupt(fiber_signals, 1), "the fiber lives");
        event.signal();
      });
  check(event.is_set() != passed, "the signal is used or left");
}

// Notified or interrupted, the fiber owns the mutex after the wait.
void condition_variable_holds_its_mutex() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Mutex mutex;
  ConditionVariable changed;
  Plain<int> value{0};
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          std::unique_lock lock(mutex, std::defer_lock);
          bool was_locked = false;
          const int end = end_of([&] {
            lock.lock();
            was_locked = true;
            while (value == 0) changed.wait(lock);
          });
          check(lock.owns_lock() == was_locked, "it is locked again");
          if (!was_locked) lock.lock();  // the wait was interrupted in lock()
          value = value + 1;
          lock.unlock();
          check(end == 1 || throw_pending() == 1, "the exception is thrown");
        });
      },
      [&] {
        check(interrupt(fiber_signals, 1), "the fiber lives");
        const std::scoped_lock lock(mutex);
        value = value + 1;
        changed.notify_one();
      });
  check(value == 2, "one at a time");
}

// A fiber that waits for work on its own stack frame waits to the end. It hurries the work once.
void wait_to_the_end_is_cut_short() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Event end;
  Event hurry;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          int hurried = 0;
          const int how = end_of([&] {
            detail::wait_or_cancel(end, [&] {
              ++hurried;
              hurry.signal();
            });
          });
          check(end.is_set(), "the work has ended");
          check(hurried == how, "it was hurried if the wait was cut short");
        });
      },
      [&] {
        check(interrupt(fiber_signals, 1), "the fiber lives");
        hurry.wait();
        end.signal();
      });
}

// --- several messages at a time -----------------------------------------------------------------

// The second of two exceptions is refused, or is thrown after the first.
void two_exceptions() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Event sent;
  int accepted = 0;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          int thrown = 0;
          for (int end = kPassed; (end = end_of([&] { sent.wait(); })) != kPassed;)
            check(end == ++thrown, "in order");
          while (thrown < accepted) check(throw_pending() == ++thrown, "in order");
          check(thrown == accepted, "each that was accepted, once");
          check(nothing_is_pending(), "nothing more");
        });
      },
      [&] {
        accepted = interrupt(fiber_signals, 1) ? 1 : 0;
        accepted += interrupt(fiber_signals, 2) ? 1 : 0;
        sent.signal();
      });
  check(accepted != 0, "the first at least");
}

void exceptions_of_two_senders() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  std::array<bool, 2> accepted{};
  int thrown = 0;
  run_threads([&] { run_fiber(fiber_signals, [&](FiberHost&) { thrown = throw_pending(); }); },
              [&] { accepted[0] = interrupt(fiber_signals, 1); },
              [&] { accepted[1] = interrupt(fiber_signals, 2); });
  check(thrown == 1 ? accepted[0] : thrown == 2 && accepted[1],
        "what was thrown had been accepted");
}

// After the stop each wait throws.
void stop_stays() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          check(throw_pending() == kCancelled && throw_pending() == kCancelled, "each wait");
          check(end_of([&] { await(fiber_signals, host); }) == kCancelled, "whatever it waits for");
        });
      },
      [&] {
        check(fiber_signals.request_stop() == Sent::kStored, "the first");
        check(fiber_signals.request_stop() == Sent::kRefused, "the second");
      });
}

void stops_of_two_senders() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  std::array<bool, 2> first{};
  run_threads(
      [&] {
        run_fiber(fiber_signals,
                  [&](FiberHost&) { check(throw_pending() == kCancelled, "stopped"); });
      },
      [&] { first[0] = fiber_signals.request_stop() != Sent::kRefused; },
      [&] { first[1] = fiber_signals.request_stop() != Sent::kRefused; });
  check(first[0] != first[1], "one of them was the first");
}

void exception_then_stop() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost&) {
          check(throw_pending() == 1, "the exception");
          check(throw_pending() == kCancelled && throw_pending() == kCancelled,
                "then the stop, for ever");
        });
      },
      [&] {
        check(interrupt(fiber_signals, 1), "the fiber lives");
        check(fiber_signals.request_stop() == Sent::kStored, "the first");
      });
}

// The fiber may see the stop before the exception is sent; then the next wait throws the exception.
void stop_then_exception() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Event sent;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          if (throw_pending() == kCancelled) {
            {
              const InterruptShield shield(host.current());
              sent.wait();
            }
            check(throw_pending() == 1, "the exception is thrown");
          }
          check(throw_pending() == kCancelled, "once");
        });
      },
      [&] {
        check(fiber_signals.request_stop() == Sent::kStored, "the first");
        check(interrupt(fiber_signals, 1), "the fiber lives");
        sent.signal();
      });
}

// --- values -------------------------------------------------------------------------------------

struct Two final : ResumeValue {
  Two() : ResumeValue(detail::kTypeIdentity<int>) {}
};

// A late wait leaves the value for the next one.
void value_and_deadline() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Plain<int> data{0};
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          std::unique_ptr<ResumeValue> value;
          if (!fiber_signals.await(host, detail::kTypeIdentity<int>, kSoonToo, value)) {
            check(fiber_signals.await(host, detail::kTypeIdentity<int>, os::kNever, value),
                  "nothing else ends it");
          }
          check(value != nullptr && data == 7, "it sees what was done before");
          check(!fiber_signals.await(host, detail::kTypeIdentity<int>, kLast, value), "once");
        });
      },
      [&] {
        data = 7;
        check(fiber_signals.resume(std::make_unique<Two>()) != Sent::kRefused, "the first");
      });
}

// The exception is thrown first; the value stays.
void value_and_exception() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          const int first = end_of([&] { check(await(fiber_signals, host), "scheduled"); });
          if (first == kPassed) {
            check(throw_pending() == 1, "the exception is thrown");
          } else {
            check(await(fiber_signals, host), "the value has stayed");
          }
          check(nothing_is_pending() && !await(fiber_signals, host, kLast), "each once");
        });
      },
      [&] {
        const bool value_first = choose(2) == 0;
        if (value_first) check(resume(fiber_signals), "the first");
        check(interrupt(fiber_signals, 1), "the fiber lives");
        if (!value_first) check(resume(fiber_signals), "the first");
      });
}

// The mailbox keeps one wake-up without a value: it refuses the second, unless the fiber has taken
// the first.
void two_wakeups() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  Event sent;
  bool both = false;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          check(await(fiber_signals, host), "one comes");
          sent.wait();
          check(!both || await(fiber_signals, host), "so does the other");
          check(!await(fiber_signals, host, kLast), "no more");
        });
      },
      [&] {
        check(resume(fiber_signals), "the first");
        both = resume(fiber_signals);
        sent.signal();
      });
}

void wakeups_of_two_senders() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  std::array<bool, 2> accepted{};
  run_threads(
      [&] {
        run_fiber(fiber_signals,
                  [&](FiberHost& host) { check(await(fiber_signals, host), "one comes"); });
      },
      [&] { accepted[0] = resume(fiber_signals); }, [&] { accepted[1] = resume(fiber_signals); });
  check(accepted[0] || accepted[1], "one at least");
}

struct Number final : ResumeValue {
  explicit Number(int n) : ResumeValue(detail::kTypeIdentity<int>), number(n) {}
  const int number;
};
bool send(FiberSignals& fiber_signals, int number) {
  return fiber_signals.resume(std::make_unique<Number>(number)) != Sent::kRefused;
}
// Returns the number of the next value; 0: none came before the deadline.
int receive_number(FiberSignals& fiber_signals, FiberHost& host, os::Nanoseconds deadline) {
  std::unique_ptr<ResumeValue> value;
  if (!fiber_signals.await(host, detail::kTypeIdentity<int>, deadline, value)) return 0;
  return static_cast<const Number&>(*value).number;
}

// Values arrive in their order, those from before the start, too. An early deadline loses none.
void values_in_order() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  check(send(fiber_signals, 1), "the fiber is queued");
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          for (const int number : {1, 2, 3}) {
            int got = receive_number(fiber_signals, host, number == 2 ? kSoonToo : os::kNever);
            if (got == 0) got = receive_number(fiber_signals, host, os::kNever);
            check(got == number, "in order");
          }
          check(receive_number(fiber_signals, host, kLast) == 0, "each once");
        });
      },
      [&] {
        for (const int number : {2, 3}) check(send(fiber_signals, number), "the fiber lives");
      });
}

// A value is appended behind those that the fiber has not read.
void value_comes_last() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  for (const int number : {1, 2, 3}) check(send(fiber_signals, number), "the fiber is queued");
  run_threads([&] {
    run_fiber(fiber_signals, [&](FiberHost& host) {
      check(receive_number(fiber_signals, host, os::kNever) == 1, "the first");
      check(send(fiber_signals, 4), "the fiber lives");
      for (const int number : {2, 3, 4})
        check(receive_number(fiber_signals, host, os::kNever) == number, "in order");
      check(receive_number(fiber_signals, host, kLast) == 0, "each once");
    });
  });
}

// Both senders are accepted at any time.
void values_of_two_senders() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          int sum = 0;
          for (int i = 0; i < 2; ++i) sum += receive_number(fiber_signals, host, os::kNever);
          check(sum == 11, "each once");
        });
      },
      [&] { check(send(fiber_signals, 1), "the fiber lives"); },
      [&] { check(send(fiber_signals, 10), "the fiber lives"); });
}

// The fiber ends with values that it has not read. No wake-up arrives after its end.
void values_are_left() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          check(receive_number(fiber_signals, host, os::kNever) == 1, "the first");
        });
        check(!send(fiber_signals, 4), "it refuses everything");
      },
      [&] {
        check(send(fiber_signals, 1), "the fiber lives");
        const bool second = send(fiber_signals, 2);
        check(second || !send(fiber_signals, 3), "refused once, refused for ever");
      });
}

// A value follows a wake-up without a value; a wake-up does not follow a value.
void wakeup_and_value() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  bool last = false;
  Event sent;
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          check(await(fiber_signals, host), "the wake-up");
          check(receive_number(fiber_signals, host, os::kNever) == 1, "the value");
          sent.wait();
          check(!last || await(fiber_signals, host), "the wake-up, unless it was refused");
          check(!await(fiber_signals, host, kLast), "no more");
        });
      },
      [&] {
        check(resume(fiber_signals), "the first");
        check(send(fiber_signals, 1), "the value");
        last = resume(fiber_signals);
        sent.signal();
      });
}

// A value of the wrong type is discarded together with its message; only then may the next value be
// sent.
void value_of_the_wrong_type() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  const auto send = [&] {
    // Refused if the fiber waits already: the fiber then receives the value that it waits for.
    if (end_of([&] { resume(fiber_signals); }) == kWrongType)
      fiber_signals.resume(std::make_unique<Two>());
  };
  run_threads(
      [&] {
        run_fiber(fiber_signals, [&](FiberHost& host) {
          std::unique_ptr<ResumeValue> value;
          const int end = end_of([&] {
            check(fiber_signals.await(host, detail::kTypeIdentity<int>, os::kNever, value),
                  "an int");
          });
          check((end == kWrongType) == (value == nullptr), "an int or nothing");
        });
      },
      send, send);
}

// --- start and end ------------------------------------------------------------------------------

// Stands for FiberControl: the state that a fiber, its Fiber and one FiberRef share.
struct Control {
  OwnFiberSignals fiber_signals{Phase::kQueued};
  Event finished;
  FiberOwners owners;
  Plain<int> result{0};

  Control() { owners.add(); }
};
using OptionalControl = std::optional<Control>;

void run(OptionalControl& control) {
  const WaitingThread thread;
  control->fiber_signals.open(thread.host().current());
  control->result = 1;
  bool left = false;
  control->fiber_signals.close(thread.host(), [&] { left = control->owners.leave(); });
  control->finished.signal();
  if (!left && control->owners.drop()) control.reset();
}
void join(OptionalControl& control) {
  control->finished.wait();
  check(control->fiber_signals.state() == FiberState::kDead, "dead");
  check(control->result == 1, "the result is seen");
  if (control->owners.drop_both()) control.reset();
}
void detach(OptionalControl& control) {
  bool in_time = false;
  {
    const std::scoped_lock section(control->fiber_signals.lock);
    in_time = control->owners.detach();
  }
  if (!in_time) return join(control);
  if (control->owners.drop()) control.reset();
}

// A message under way at the fiber's end arrives before its home is destroyed. A joining thread
// sees the fiber dead.
template <class Send, class Let>
void ends_meanwhile(Send&& send, Let&& let_go) {
  OptionalControl control(std::in_place);
  run_threads([&] { run(control); },
              [&] {
                send(control->fiber_signals);
                if (control->owners.drop()) control.reset();
              },
              [&] { let_go(control); });
  check(!control.has_value(), "destroyed");
}
void value_and_end() {
  ends_meanwhile([](FiberSignals& fiber_signals) { static_cast<void>(resume(fiber_signals)); },
                 join);
}
void exception_and_end() {
  ends_meanwhile(
      [](FiberSignals& fiber_signals) { static_cast<void>(interrupt(fiber_signals, 1)); }, join);
}
void stop_and_end() {
  ends_meanwhile(
      [](FiberSignals& fiber_signals) { static_cast<void>(fiber_signals.request_stop()); }, join);
}
void detached_and_end() {
  ends_meanwhile([](FiberSignals&) {}, detach);
}

// The home still exists: an accepted message does no harm.
void dead() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads([&] {
    const WaitingThread home;
    run_fiber(fiber_signals, [](FiberHost&) {});
    check(!resume(fiber_signals) && !interrupt(fiber_signals, 1), "it refuses everything");
  });
}

// A watch is signalled, or is refused because it came too late. The watcher's stack frame may be
// destroyed at once.
void watch_and_end() {
  OwnFiberSignals fiber_signals(Phase::kQueued);
  run_threads([&] { run_fiber(fiber_signals, [](FiberHost&) {}); },
              [&] {
                EventCore ended(1);
                DeathWatch watch{.gate = &ended};
                if (!fiber_signals.watch(watch)) return;
                if (choose(2) == 0) ended.wait({});
                fiber_signals.unwatch(watch);
              });
  check(fiber_signals.state() == FiberState::kDead, "dead");
}

// The fiber is created suspended. The first schedule starts it; a stop or an exception before that
// ends it.
template <class F>
void held(F&& send) {
  OwnFiberSignals fiber_signals(Phase::kUnstarted);
  Sent resumed = Sent::kRefused;
  Sent sent = Sent::kRefused;
  run_threads(
      [&] {
        resumed = fiber_signals.resume(nullptr);
        if (resumed != Sent::kStarts) return;
        run_fiber(fiber_signals, [&](FiberHost& host) {
          check(throw_pending() != kPassed, "it is interrupted");
          check(end_of([&] {
                  check(!await(fiber_signals, host, kSoonToo), "its start is no value");
                }) <= kPassed,
                "it may be cancelled");
        });
      },
      [&] { sent = send(fiber_signals); });
  check((resumed == Sent::kStarts) == (sent == Sent::kStored), "started, then interrupted");
  check((resumed == Sent::kRefused) == (sent == Sent::kEnds), "or ended before");
}
void held_and_stopped() {
  held([](FiberSignals& fiber_signals) { return fiber_signals.request_stop(); });
}
void held_and_interrupted() {
  held([](FiberSignals& fiber_signals) {
    return fiber_signals.interrupt(std::make_exception_ptr(1));
  });
}

// A watch is signalled also at the end of a fiber that never ran.
void held_and_watched() {
  OwnFiberSignals fiber_signals(Phase::kUnstarted);
  run_threads(
      [&] {
        EventCore ended(1);
        DeathWatch watch{.gate = &ended};
        if (!fiber_signals.watch(watch)) return;
        ended.wait({});
        fiber_signals.unwatch(watch);
      },
      [&] {
        check((choose(2) == 0 ? fiber_signals.request_stop() : fiber_signals.interrupt(nullptr)) ==
                  Sent::kEnds,
              "it ends");
      });
}

}  // namespace

const Subject& subject() {
  static const Subject interrupts = {
      .headers = {"jobs/queue/raw_spin_lock.hpp", "jobs/queue/inbox.hpp",
                  "jobs/runtime/fibers/fiber_owners.hpp"},
      .not_shown = {},
      .models =
          {
              {"exception_and_deadline", exception_and_deadline, {.preemptions = 2}},
              {"exception_and_limit", exception_and_limit, {.preemptions = 2}},
              {"exception_and_shield", exception_and_shield, {.preemptions = 2}},
              {"exception_then_stop", exception_then_stop, {.preemptions = 2}},
              {"stop_then_exception", stop_then_exception, {.preemptions = 2}},
              {"limit_and_grant", limit_and_grant, {.preemptions = 2}},
              {"exception_and_grant", exception_and_grant, {.preemptions = 2}},
              {"value_and_deadline", value_and_deadline, {.preemptions = 2}},
              {"dead", dead, {.preemptions = 0}},
              {"watch_and_end", watch_and_end, {.preemptions = 2}},
              {"held_and_stopped", held_and_stopped, {.preemptions = 2}},
              {"held_and_interrupted", held_and_interrupted, {.preemptions = 2}},
              {"held_and_watched", held_and_watched, {.preemptions = 2}},
              {"item_is_popped_or_left", item_is_popped_or_left, {.preemptions = 1}},
              {"selected_or_interrupted", selected_or_interrupted, {.preemptions = 1}},
              {"wait_to_the_end_is_cut_short", wait_to_the_end_is_cut_short, {.preemptions = 1}},
              {"condition_variable_holds_its_mutex",
               condition_variable_holds_its_mutex,
               {.preemptions = 1}},
              {"value_and_end", value_and_end, {.preemptions = 1}},
              {"exception_and_end", exception_and_end, {.preemptions = 1}},
              {"stop_and_end", stop_and_end, {.preemptions = 1}},
              {"detached_and_end", detached_and_end, {.preemptions = 2}},
              {"stop_stays", stop_stays, {.preemptions = 1}},
              {"value_and_exception", value_and_exception, {.preemptions = 1}},
              {"two_wakeups", two_wakeups, {.preemptions = 1}},
              {"two_exceptions", two_exceptions, {.preemptions = 1}},
              {"stops_of_two_senders", stops_of_two_senders, {.preemptions = 1}},
              {"exceptions_of_two_senders", exceptions_of_two_senders, {.preemptions = 1}},
              {"wakeups_of_two_senders", wakeups_of_two_senders, {.preemptions = 1}},
              {"value_comes_last", value_comes_last, {.preemptions = 0}},
              {"values_in_order", values_in_order, {.preemptions = 1}},
              {"values_of_two_senders", values_of_two_senders, {.preemptions = 1}},
              {"values_are_left", values_are_left, {.preemptions = 1}},
              {"wakeup_and_value", wakeup_and_value, {.preemptions = 1}},
              {"value_of_the_wrong_type",
               value_of_the_wrong_type,
               {.preemptions = 1, .seconds = 100}},
              {"interrupted_waiter_loses_no_permit",
               interrupted_waiter_loses_no_permit,
               {.preemptions = 0}},
          },
  };
  return interrupts;
}

}  // namespace jobs::model
