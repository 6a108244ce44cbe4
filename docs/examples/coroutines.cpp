// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Examples of the API reference: coroutines.
// The headers show the marked parts.
#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/coroutine.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;
using example::check;

//! [task]
jobs::Task<int> square(int value) { co_return value* value; }

jobs::Task<int> sum_of_squares(jobs::Event& begin, int count) {
  co_await begin;  // needs no stack meanwhile
  int sum = 0;
  for (int i = 1; i <= count; ++i) sum += co_await square(i);
  co_return sum;
}
//! [task]

//! [sync_wait]
int compute() {
  jobs::Event begin;
  begin.signal();
  return jobs::sync_wait(sum_of_squares(begin, 3));  // 1 + 4 + 9
}
//! [sync_wait]

//! [start]
jobs::Task<> count_down(jobs::Event& begin, std::atomic<int>& left) {
  co_await begin;
  --left;
}

int start_many() {
  jobs::Event begin;
  std::atomic<int> left = 1000;
  jobs::Counter counter;
  for (int i = 0; i < 1000; ++i) jobs::start(counter, count_down(begin, left));
  begin.signal();
  counter.wait();
  return left;  // 0
}
//! [start]

//! [mutex]
jobs::Task<> append(jobs::Mutex& mutex, std::vector<int>& values, int value) {
  const jobs::TaskLock lock = co_await mutex;
  co_await jobs::this_task::sleep_for(10us);  // the lock may be kept meanwhile
  values.push_back(value);
}
//! [mutex]

//! [timed_lock]
jobs::Task<bool> append_in_time(jobs::Mutex& mutex, std::vector<int>& values, int value) {
  const jobs::TaskLock lock = co_await jobs::this_task::try_lock_for(mutex, 10ms);
  if (lock.owns_lock()) values.push_back(value);
  co_return lock.owns_lock();  // false: 10 ms have passed
}
//! [timed_lock]

//! [shared_lock]
jobs::Task<> set(jobs::SharedMutex& mutex, int& value) {
  const jobs::TaskWriterLock lock = co_await mutex;
  value = 7;
}

jobs::Task<int> get(jobs::SharedMutex& mutex, const int& value) {
  const jobs::TaskReaderLock lock = co_await jobs::this_task::lock_shared(mutex);
  co_return value;
}
//! [shared_lock]

//! [condition]
struct Door {
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  bool is_open = false;
};

jobs::Task<bool> pass(Door& door) {
  jobs::TaskLock lock = co_await door.mutex;
  while (!door.is_open) co_await jobs::this_task::wait(door.changed, lock);
  co_return lock.owns_lock();  // true
}

jobs::Task<> open(Door& door) {
  jobs::TaskLock lock = co_await door.mutex;
  door.is_open = true;
  lock.unlock();
  door.changed.notify_all();
}
//! [condition]

//! [timed_condition]
jobs::Task<bool> pass_in_time(Door& door) {
  const auto end = std::chrono::steady_clock::now() + 10ms;
  jobs::TaskLock lock = co_await door.mutex;
  bool in_time = true;
  while (!door.is_open && in_time)
    in_time = co_await jobs::this_task::wait_until(door.changed, lock, end);
  co_return door.is_open;  // the task owns the mutex in any case
}
//! [timed_condition]

//! [channel]
jobs::Task<int> sum_of(jobs::Channel<int>& numbers) {
  int sum = 0;
  while (const auto number = co_await jobs::this_task::pop(numbers)) sum += *number;
  co_return sum;
}

jobs::Task<> fill(jobs::Channel<int>& numbers) {
  for (int i = 1; i <= 10; ++i) co_await jobs::this_task::push(numbers, i);
  numbers.close();
}
//! [channel]

//! [select]
jobs::Task<bool> pop_in_time(jobs::Channel<int>& channel, int& value) {
  std::optional<int> item;
  const auto index = co_await jobs::this_task::select_for(10ms, channel.on_pop(item));
  if (item) value = *item;
  co_return index.has_value();  // false: 10 ms have passed
}
//! [select]

}  // namespace

int main() {
  check(compute() == 14, "sync_wait");
  check(start_many() == 0, "start");
  jobs::Mutex mutex;
  std::vector<int> values;
  jobs::Counter counter;
  for (int i = 0; i < 10; ++i) jobs::start(counter, append(mutex, values, i));
  jobs::Channel<int> numbers(2);
  jobs::start(counter, fill(numbers));
  check(jobs::sync_wait(sum_of(numbers)) == 55, "channel");
  counter.wait();
  check(values.size() == 10, "mutex");
  check(jobs::sync_wait(append_in_time(mutex, values, 10)) && values.size() == 11, "timed lock");
  jobs::SharedMutex shared;
  int kept = 0;
  jobs::sync_wait(set(shared, kept));
  check(jobs::sync_wait(get(shared, kept)) == 7, "shared lock");
  Door door;
  check(!jobs::sync_wait(pass_in_time(door)), "timed condition of a closed door");
  jobs::start(counter, open(door));
  check(jobs::sync_wait(pass(door)), "condition");
  check(jobs::sync_wait(pass_in_time(door)), "timed condition of an open door");
  counter.wait();
  jobs::Channel<int> channel(1);
  int value = 0;
  check(!jobs::sync_wait(pop_in_time(channel, value)), "select without an item");
  check(channel.push(5), "push");
  check(jobs::sync_wait(pop_in_time(channel, value)) && value == 5, "select with an item");
  return example::failures;
}
