// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// live_target blocked|waiting|busy: a process that jobs-top looks at. It prints "ready", and ends
// when its standard input ends. The mode is what its two workers do.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>

#include "jobs/jobs.hpp"

namespace {

// Blocks the thread until the standard input ends.
void read_to_end() {
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

void tell_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

// Both workers block in the kernel, and five jobs wait.
void block() {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<int> blocked{0};
  const auto body = [&blocked] {
    ++blocked;
    read_to_end();
  };
  jobs::Counter counter;
  scheduler.run([&] {
    // The names try to change the terminal.
    jobs::Fiber first(body, {.name = "red \x1b[31m"});
    jobs::Fiber second(body, {.name = "second"});
    first.detach();
    second.detach();
  });
  while (blocked.load() < 2) usleep(1000);
  for (int i = 0; i < 5; ++i) scheduler.spawn(counter, [] {});
  tell_ready();
  counter.wait();
}

// Two Fibers wait for an event, and no worker has work.
void wait() {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event event;
  jobs::Counter counter;
  for (int i = 0; i < 2; ++i) {
    scheduler.spawn(counter, [&event] {
      jobs::Fiber waiter([&event] { event.wait(); }, {.name = "waiter"});
      waiter.join();
    });
  }
  tell_ready();
  read_to_end();
  event.signal();
  counter.wait();
}

// Jobs follow each other.
void work() {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<bool> ends{false};
  jobs::Counter counter;
  for (int i = 0; i < 2; ++i) {
    scheduler.spawn(counter, [&ends] {
      while (!ends.load()) {
        jobs::Counter inner;
        for (int j = 0; j < 100; ++j) jobs::spawn(inner, [] { usleep(10); });
        inner.wait();
      }
    });
  }
  tell_ready();
  read_to_end();
  ends = true;
  counter.wait();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count > 1 ? arguments[1] : "";
  if (mode == "blocked") {
    block();
  } else if (mode == "waiting") {
    wait();
  } else if (mode == "busy") {
    work();
  } else {
    return 2;
  }
  return 0;
}
