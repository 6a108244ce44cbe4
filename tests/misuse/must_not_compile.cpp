// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that the compiler must refuse, one for each CASE; case 0 is what all of them have in common and compiles.
#include <cstddef>
#include <functional>

#include "jobs/jobs.hpp"

int main() {
  jobs::Scheduler scheduler;
  jobs::Counter done;
  jobs::Event event;
  jobs::Mutex mutex;
  jobs::Fiber<> fiber([] {});
  [[maybe_unused]] const std::size_t size = 10;

#if CASE == 1
  jobs::Scheduler copy = scheduler;  // a value, but one that cannot be in two places
#elif CASE == 2
  jobs::Counter copy = done;
#elif CASE == 3
  jobs::Fiber<> copy = fiber;  // nobody knows which of them would join
#elif CASE == 4
  jobs::Mutex moved = std::move(mutex);  // others have its address
#elif CASE == 5
  jobs::spawn(done, [](int) {});  // nobody has an int for it
#elif CASE == 6
  jobs::fork_join([] {});  // that is a call
#elif CASE == 7
  jobs::parallel_for(0, size, [](std::size_t) {});  // an int and a size_t: which one shall the index be?
#elif CASE == 8
  jobs::parallel_for(
      0, 10, [](int) {}, 4);  // is 4 a grain, or a number of workers?
#elif CASE == 9
  event.wait_for(std::chrono::seconds(1));  // has it happened?
#elif CASE == 10
  jobs::parallel_reduce(
      0, 10, 0, [](int i) { return i; }, std::plus<>());  // a sum for nobody
#elif CASE == 11
  jobs::Fiber<>([] {});  // joined at once: a call would be cheaper
#elif CASE == 12
  mutex.try_lock();  // is it locked now?
#elif CASE == 13
  jobs::parallel_for(0.0, 1.0, [](double) {});  // how many are that?
#endif

  event.signal();
  fiber.join();
  done.wait();
}
