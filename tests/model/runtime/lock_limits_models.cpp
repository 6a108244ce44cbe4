// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Coroutines that wait for a Mutex, a SharedMutex or a notification until a deadline or a stop. A
// limit may pass at the moment of a grant. Each wait ends once; no permit and no limit is lost; and
// no thread accesses a wait or a mutex after its end.
#include <chrono>
#include <optional>
#include <stop_token>

#include "jobs/base/stop_callback.hpp"
#include "jobs/coroutine.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "tests/model/runtime/tasks.hpp"
#include "tests/model/support/models.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Shared;

// What the users of a lock do.
struct Section {
  explicit Section(std::size_t users) : left(users) {}

  void run() {
    inside += 1;
    check(inside == 1, "the lock has one owner");
    inside -= 1;
  }

  Arrivals left;
  Effect inside, ends;
};

// The last user destroys the mutex.
template <class M>
void leave(std::optional<M>& mutex, Section& section) {
  if (section.left.is_last()) mutex.reset();
}

template <class M>
Task<> lock_in_time(std::optional<M>& mutex, Section& section, std::stop_token stop) {
  auto lock = co_await this_task::try_lock_until(*mutex, kSoon, stop);
  if (lock.owns_lock()) section.run();
  lock.unlock();
  section.ends += 1;
  leave(mutex, section);
}

Task<> lock_until_stop(std::optional<Mutex>& mutex, Section& section, std::stop_token stop) {
  TaskLock lock = co_await this_task::lock(*mutex, stop);
  if (lock.owns_lock()) section.run();
  lock.unlock();
  section.ends += 1;
  leave(mutex, section);
}

template <class M>
void lock_in_thread(std::optional<M>& mutex, Section& section) {
  mutex->lock();
  section.run();
  mutex->unlock();
  leave(mutex, section);
}

// The deadline passes while a thread unlocks.
template <class M>
void deadline_and_grant() {
  Shared shared(1, true);
  std::optional<M> mutex(std::in_place);
  Section section(2);
  Begin begin(lock_in_time(mutex, section, {}));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); }, [&] { lock_in_thread(mutex, section); });
  check(section.ends == 1, "the task continues once");
}

// A thread requests the stop while another one unlocks.
void stop_and_grant() {
  Shared shared(1, true);
  std::optional<Mutex> mutex(std::in_place);
  const detail::StopRegistry registry;
  std::stop_source stop;
  Section section(2);
  Begin begin(lock_until_stop(mutex, section, stop.get_token()));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); }, [&] { lock_in_thread(mutex, section); },
              [&] { stop.request_stop(); });
  check(section.ends == 1, "the task continues once");
}

// The mutex stays locked. The deadline passes while a thread requests a stop.
void deadline_and_stop() {
  Shared shared(1, true);
  std::optional<Mutex> mutex(std::in_place);
  const detail::StopRegistry registry;
  std::stop_source stop;
  Section section(2);
  mutex->lock();
  Begin begin(lock_in_time(mutex, section, stop.get_token()));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); }, [&] { stop.request_stop(); });
  check(section.ends == 1, "the task continues once");
  mutex->unlock();
}

// A thread overtakes the woken task, and keeps the mutex until the task has ended: a limit that
// passes between two links ends the wait.
void limit_between_two_links() {
  Shared shared(1, true);
  std::optional<Mutex> mutex(std::in_place);
  Section section(2);
  Begin begin(lock_in_time(mutex, section, {}));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex->lock();
                mutex->unlock();
                mutex->lock();
                while (!shared.has_ended()) detail::cpu_relax();
                mutex->unlock();
              });
  check(section.ends == 1, "the task continues once");
}

Task<> wait_in_time(ConditionVariable& condition, Mutex& mutex, Section& section, Effect& ready,
                    std::stop_token stop) {
  TaskLock lock = co_await mutex;
  if (ready == 0) {
    const bool is_notified = co_await this_task::wait_until(condition, lock, kSoon, stop);
    check(!is_notified || ready == 1, "a notification follows the change");
  }
  check(lock.owns_lock(), "the task owns the mutex");
  section.run();
  section.ends += 1;
}

// The deadline passes while a thread notifies. The task has the mutex afterwards.
void deadline_and_notification() {
  Shared shared(1, true);
  Mutex mutex;
  ConditionVariable condition;
  Section section(2);
  Effect ready;
  Begin begin(wait_in_time(condition, mutex, section, ready, {}));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex.lock();
                section.run();
                ready = 1;
                condition.notify_one();
                mutex.unlock();
              });
  check(section.ends == 1, "the task continues once");
}

// A stop ends the wait for a notification while a thread owns the mutex.
void stop_of_a_condition() {
  Shared shared(1, true);
  Mutex mutex;
  ConditionVariable condition;
  const detail::StopRegistry registry;
  std::stop_source stop;
  Section section(2);
  Effect ready;
  Begin begin(wait_in_time(condition, mutex, section, ready, stop.get_token()));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex.lock();
                section.run();
                stop.request_stop();
                mutex.unlock();
              });
  check(section.ends == 1, "the task continues once");
}

}  // namespace

const Subject& subject() {
  static const Options kThrice = {.preemptions = 3, .seconds = 100};
  static const Options kTwice = {.preemptions = 2, .seconds = 100};
  static const Subject lock_limits = {
      .headers = {"jobs/runtime/coroutine/lock_limits.hpp"},
      .not_shown = {},
      .models =
          {
              {"deadline_and_stop", deadline_and_stop, kThrice},
              {"deadline_and_grant", deadline_and_grant<Mutex>, kThrice},
              {"deadline_and_grant_of_a_writer", deadline_and_grant<SharedMutex>, kThrice},
              {"limit_between_two_links", limit_between_two_links, kThrice},
              {"deadline_and_notification", deadline_and_notification, kTwice},
              {"stop_of_a_condition", stop_of_a_condition, kTwice},
              {"stop_and_grant", stop_and_grant, kTwice},
          },
  };
  return lock_limits;
}

}  // namespace jobs::model
