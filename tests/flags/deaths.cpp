// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program without exceptions that meets an error; argument 1 selects the error. The
// program must end at once with a message.
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include "jobs/jobs.hpp"

namespace {

// Requests more memory than any machine has. Throws std::bad_alloc.
void run_out_of_memory() {
  void* volatile memory = ::operator new(std::size_t{1} << 62);
  ::operator delete(memory);
}

// The frame has no clean-up code, so the mutex stays locked. If a handler above swallows the
// exception, other threads wait for ever.
void fail_with_lock(jobs::Mutex& mutex, jobs::Event& locked) {
  const std::scoped_lock lock(mutex);
  locked.signal();
  run_out_of_memory();
}

int run(std::string_view name) {
  if (name == "grain") jobs::parallel_for(0, 10, [](int) {}, jobs::Grain(0));
  if (name == "step") jobs::parallel_for(0, 10, 0, [](int) {});
  if (name == "stopped_loop") {
    std::stop_source stop;
    stop.request_stop();
    jobs::parallel_for(0, 10, [](int) {}, stop.get_token());
  }
  if (name == "environment") {
    ::setenv("JOBS_NUM_WORKERS", "many", 1);
    jobs::spawn([] {});
  }
  if (name == "bad_timeout") {
    jobs::Event event;
    static_cast<void>(event.wait_for(std::chrono::duration<double>(std::strtod("nan", nullptr))));
  }
  if (name == "job") {
    jobs::Counter done;
    jobs::spawn(done, run_out_of_memory);
    done.wait();
  }
  if (name == "unjoined_job") {
    jobs::spawn(run_out_of_memory);
    std::this_thread::sleep_for(std::chrono::seconds(10));
  }
  if (name == "fiber") {
    jobs::Mutex mutex;
    jobs::Event locked;
    jobs::Fiber<> fiber([&] { fail_with_lock(mutex, locked); });
    locked.wait();
    mutex.lock();
    fiber.join();
  }
  if (name == "loop") {
    jobs::parallel_for(0, 1000, [](int i) {
      if (i == 500) run_out_of_memory();
    });
  }
  if (name == "fork") jobs::fork_join([] {}, [] { run_out_of_memory(); });
  if (name == "blocking") jobs::Fiber<>([] { jobs::blocking(run_out_of_memory); }).join();
  if (name == "node") {
    jobs::Mutex mutex;
    jobs::Event locked;
    jobs::TaskGraph graph;
    graph.node([&] {
      locked.wait();
      mutex.lock();
    });
    graph.node([&] { fail_with_lock(mutex, locked); });
    graph.run();
  }
  if (name == "stage") {
    int tokens = 0;
    jobs::pipeline(
        4, [&] { return ++tokens < 10 ? std::optional(tokens) : std::nullopt; },
        jobs::parallel([](int token) {
          // One token only: two threads that terminate at once mix their messages.
          if (token == 5) run_out_of_memory();
        }));
  }
  if (name == "group") {
    jobs::FiberGroup group;
    group.start(run_out_of_memory);
    group.wait();
  }
  if (name == "thread") std::thread(run_out_of_memory).join();
  if (name == "no_stack") {
    jobs::Scheduler scheduler({.worker_count = 1, .max_fibers = 2});
    jobs::Event event;
    jobs::Counter done;
    scheduler.run([&] {
      for (int i = 0; i < 10; ++i) jobs::spawn(done, [&] { event.wait(); });
      done.wait();
    });
  }
  if (name == "cancelled") {
    jobs::Event event;
    jobs::Fiber<> fiber([&] { event.wait(); });
    fiber.request_stop();
    fiber.join();
  }
  if (name == "contract") {
    jobs::Mutex mutex;
    mutex.unlock();
  }
  return 0;
}

}  // namespace

int main(int, char** arguments) { return run(arguments[1]); }
