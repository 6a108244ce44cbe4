// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A wait inside a job blocks no thread: one worker runs a thousand fibers that all wait for another
// fiber, which starts last. If each wait blocked its thread, this program would never end. A call
// that does block its thread, for example a system call, goes through jobs::blocking(). Meanwhile
// the worker runs other fibers, here the fiber that the call waits for.
#include <unistd.h>

#include <iostream>
#include <vector>

#include "jobs/jobs.hpp"

int main() {
  jobs::Scheduler scheduler({.worker_count = 1});
  const int sum = scheduler.run([] {
    jobs::Event ready;
    int value = 0;
    std::vector<jobs::Fiber<int>> readers;
    for (int i = 0; i < 1000; ++i) {
      readers.emplace_back([&] {
        ready.wait();  // suspends this fiber; the worker goes on with another
        return value;
      });
    }
    jobs::Fiber<> writer([&] {
      value = 42;
      ready.signal();
    });
    int total = 0;
    for (jobs::Fiber<int>& reader : readers) total += reader.join();
    return total;
  });
  std::cout << "1000 fibers on one worker read " << sum << " in all\n";

  int ends[2];
  if (pipe(ends) != 0) return 1;
  char letter = 0;
  scheduler.run([&] {
    jobs::Fiber<> reader([&] {
      // A separate thread blocks in this call.
      jobs::blocking([&] { return read(ends[0], &letter, 1); });
    });
    jobs::Fiber<> writer([&] { jobs::blocking([&] { return write(ends[1], "x", 1); }); });
    reader.join();
  });
  std::cout << "and one that blocked in read() got '" << letter
            << "' from another on the same worker\n";
  close(ends[0]);
  close(ends[1]);
  return sum == 42'000 && letter == 'x' ? 0 : 1;
}
