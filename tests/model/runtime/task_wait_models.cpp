// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Coroutines that wait, on two workers. A wake-up may come while the wait is being published. Each
// coroutine is resumed once, and sees the effects that precede the grant. No thread accesses a
// frame, an event or a scheduler after the coroutine has destroyed it.
#include <memory>
#include <optional>

#include "jobs/coroutine.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "tests/model/runtime/tasks.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Shared;

Task<> wait_and_destroy(std::optional<Event>& event, Effect& data, Effect& turns) {
  co_await *event;
  check(data == 7, "the task sees the effects before the signal");
  event.reset();
  turns += 1;
}

// An external thread signals while the worker publishes the wait.
void external_signal() {
  Shared shared(1, true);
  std::optional<Event> event(std::in_place);
  Effect data, turns;
  Begin begin(wait_and_destroy(event, data, turns));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                data = 7;
                event->signal();
              });
  check(turns == 1, "the task continues once");
}

// Another worker signals, and resumes the task itself.
void signal_of_a_worker() {
  Shared shared(1, true);
  std::optional<Event> event(std::in_place);
  Effect data, turns;
  Begin begin(wait_and_destroy(event, data, turns));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                detail::this_thread().context = &shared.context(1);
                data = 7;
                event->signal();
                shared.serve(1);
              });
  check(turns == 1, "the task continues once");
}

// The scheduler is destroyed when its last job has ended.
void scheduler_dies_after_the_submission() {
  auto shared = std::make_unique<Shared>(1, true);
  std::optional<Event> event(std::in_place);
  Effect data, turns;
  Begin begin(wait_and_destroy(event, data, turns));
  begin_on(*shared, 0, begin);
  run_threads(
      [&] {
        shared->serve(0);
        shared.reset();
      },
      [&] {
        data = 7;
        event->signal();
      });
  check(turns == 1, "the task continues once");
}

Task<> select_one(std::optional<Event>& first, std::optional<Event>& second, Effect& data) {
  const std::size_t index = co_await this_task::select(first->on_signal(), second->on_signal());
  if (index == 1) {
    check(data == 7, "the task sees the effects before the signal");
    second.reset();
  } else {
    first.reset();
  }
}

// One of two events is set while the worker publishes the wait.
void select_and_signal() {
  Shared shared(1, true);
  std::optional<Event> first(std::in_place), second(std::in_place);
  Effect data;
  Begin begin(select_one(first, second, data));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                data = 7;
                second->signal();
              });
}

// Both events are set: one granter wins, and the other one drops its waiter.
void two_signals() {
  Shared shared(1, true);
  std::optional<Event> first(std::in_place), second(std::in_place);
  Effect data;
  data = 7;
  Begin begin(select_one(first, second, data));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); }, [&] { first->signal(); }, [&] { second->signal(); });
}

Task<> take_turns(Event& own, Event& other, Effect& turns, int count) {
  for (int i = 0; i < count; ++i) {
    co_await own;
    turns += 1;
    other.signal();
  }
}

// Two tasks on two workers signal each other.
void ping_pong() {
  Shared shared(2, true);
  Event ping(Event::Reset::kAutomatic), pong(Event::Reset::kAutomatic);
  Effect turns;
  Begin one(take_turns(ping, pong, turns, 1));
  Begin two(take_turns(pong, ping, turns, 1));
  begin_on(shared, 0, one);
  begin_on(shared, 1, two);
  ping.signal();
  run_threads([&] { shared.serve(0); }, [&] { shared.serve(1); });
  check(turns == 2, "each task takes its turn");
}

Task<> wait_for_count(std::optional<Counter>& counter, Effect& data) {
  co_await *counter;
  check(data == 7, "the task sees the effects of the jobs");
  counter.reset();
}

void counter_reaches_zero() {
  Shared shared(1, true);
  std::optional<Counter> counter(std::in_place, 1);
  Effect data;
  Begin begin(wait_for_count(counter, data));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                data = 7;
                counter->done();
              });
}

Task<> lock_once(std::optional<Mutex>& mutex, Effect& inside, Effect& turns, int last) {
  TaskLock lock = co_await *mutex;
  inside += 1;
  check(inside == 1, "one task owns the mutex");
  inside -= 1;
  turns += 1;
  const bool is_last = turns == last;
  lock.unlock();
  if (is_last) mutex.reset();
}

// A thread locks, too. The last owner destroys the mutex.
void lock_in_thread(std::optional<Mutex>& mutex, Effect& turns, int last) {
  mutex->lock();
  turns += 1;
  const bool is_last = turns == last;
  mutex->unlock();
  if (is_last) mutex.reset();
}

// Two tasks on two workers, and a thread, lock a mutex.
void tasks_lock() {
  Shared shared(2, true);
  std::optional<Mutex> mutex(std::in_place);
  Effect inside, turns;
  Begin one(lock_once(mutex, inside, turns, 3));
  Begin two(lock_once(mutex, inside, turns, 3));
  begin_on(shared, 0, one);
  begin_on(shared, 1, two);
  run_threads([&] { shared.serve(0); }, [&] { shared.serve(1); },
              [&] { lock_in_thread(mutex, turns, 3); });
  check(turns == 3, "each locks once");
}

// A thread that locks again overtakes a task that was woken.
void thread_overtakes() {
  Shared shared(1, true);
  std::optional<Mutex> mutex(std::in_place);
  Effect inside, turns;
  Begin begin(lock_once(mutex, inside, turns, 2));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex->lock();
                mutex->unlock();
                lock_in_thread(mutex, turns, 2);
              });
  check(turns == 2, "both lock once");
}

Task<> wait_for_latch(std::optional<Latch>& latch, Effect& data) {
  co_await *latch;
  check(data == 7, "the task sees the effects of the steps");
  latch.reset();
}

void latch_opens() {
  Shared shared(1, true);
  std::optional<Latch> latch(std::in_place, 1);
  Effect data;
  Begin begin(wait_for_latch(latch, data));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                data = 7;
                latch->count_down();
              });
}

Task<> meet(std::optional<Barrier<>>& barrier, Effect& data) {
  co_await *barrier;
  check(data == 7, "the task sees the effects before each arrival");
  barrier.reset();
}

// The parties are a task, which destroys the barrier after the phase, and a thread.
void barrier_of_a_task_and_a_thread() {
  Shared shared(1, true);
  std::optional<Barrier<>> barrier(std::in_place, 2);
  Effect data;
  Begin begin(meet(barrier, data));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                data = 7;
                static_cast<void>(barrier->arrive());
              });
  check(!barrier, "the parties have met");
}

Task<> wait_until_true(ConditionVariable& condition, Mutex& mutex, Effect& ready, Effect& turns) {
  TaskLock lock = co_await mutex;
  while (ready == 0) co_await this_task::wait(condition, lock);
  check(lock.owns_lock(), "the task owns the mutex");
  ready += 1;
  turns += 1;
}

// A thread sets the condition under the mutex while the task begins to wait.
void condition_becomes_true() {
  Shared shared(1, true);
  Mutex mutex;
  ConditionVariable condition;
  Effect ready, turns;
  Begin begin(wait_until_true(condition, mutex, ready, turns));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex.lock();
                ready = 1;
                condition.notify_one();
                mutex.unlock();
              });
  check(turns == 1 && ready == 2, "the task continues once");
}

// A thread notifies after it has unlocked, and locks again: it may overtake the notified task.
void notified_task_is_overtaken() {
  Shared shared(1, true);
  Mutex mutex;
  ConditionVariable condition;
  Effect ready, turns;
  Begin begin(wait_until_true(condition, mutex, ready, turns));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex.lock();
                ready = 1;
                condition.notify_all();
                mutex.unlock();
                mutex.lock();
                ready += 1;
                mutex.unlock();
              });
  check(turns == 1 && ready == 3, "both have locked");
}

Task<> write_once(SharedMutex& mutex, Effect& value) {
  TaskWriterLock lock = co_await mutex;
  value += 1;
}

Task<> read_once(SharedMutex& mutex, Effect& value, Effect& turns) {
  TaskReaderLock lock = co_await this_task::lock_shared(mutex);
  check(value == 0 || value == 1 || value == 2, "no writer writes meanwhile");
  turns += 1;
}

// A task writes, and a thread writes.
void writers() {
  Shared shared(1, true);
  SharedMutex mutex;
  Effect value;
  Begin begin(write_once(mutex, value));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex.lock();
                value += 1;
                mutex.unlock();
              });
  check(value == 2, "each writes once");
}

// A task reads, and a thread writes. The wait of the task is listed for reports.
void reader_and_writer() {
  Shared shared(1, true);
  shared.records = true;
  SharedMutex mutex;
  Effect value, turns;
  Begin begin(read_once(mutex, value, turns));
  begin_on(shared, 0, begin);
  run_threads([&] { shared.serve(0); },
              [&] {
                mutex.lock();
                value += 1;
                mutex.unlock();
              });
  check(turns == 1 && value == 1, "each has its turn");
  check(detail::WaitingTasks::instance().take_count() == 0, "no wait is listed that has ended");
}

}  // namespace

const Subject& subject() {
  static const Options kThrice = {.preemptions = 3, .seconds = 100};
  static const Options kTwice = {.preemptions = 2, .seconds = 100};
  static const Subject task_wait = {
      .headers = {"jobs/runtime/coroutine/task_wait.hpp"},
      .not_shown = {},
      .models =
          {
              {"external_signal", external_signal, kThrice},
              {"signal_of_a_worker", signal_of_a_worker, kThrice},
              {"scheduler_dies_after_the_submission", scheduler_dies_after_the_submission, kThrice},
              {"counter_reaches_zero", counter_reaches_zero, kThrice},
              {"select_and_signal", select_and_signal, kThrice},
              {"ping_pong", ping_pong, kThrice},
              {"thread_overtakes", thread_overtakes, kThrice},
              {"latch_opens", latch_opens, kThrice},
              {"barrier_of_a_task_and_a_thread", barrier_of_a_task_and_a_thread, kThrice},
              {"condition_becomes_true", condition_becomes_true, kThrice},
              {"notified_task_is_overtaken", notified_task_is_overtaken, kTwice},
              {"writers", writers, kThrice},
              {"reader_and_writer", reader_and_writer, kThrice},
              {"two_signals", two_signals, kTwice},
              {"tasks_lock", tasks_lock, kTwice},
          },
  };
  return task_wait;
}

}  // namespace jobs::model
