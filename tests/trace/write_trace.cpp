// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes recordings for the test of the viewer: `write_trace many FILE` has 1,000,000 slices on 32
// threads, and `write_trace fibers FILE` has frames, jobs, and fibers that wait.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"

namespace {

using namespace std::chrono_literals;

constexpr int kThreads = 32;
constexpr int kSlices = 1'000'000 / kThreads;

// A zone with 9 zones inside, until the thread has its number of slices.
void record_many() {
  for (int i = 0; i < kSlices; i += 10) {
    const jobs::trace::Zone outer(i % 100 == 0 ? "large step" : "step");
    for (int j = 1; j < 10 && i + j < kSlices; ++j)
      const jobs::trace::Zone inner(j % 3 == 0 ? "read" : "compute");
  }
}

void write_many(const std::string& path) {
  jobs::trace::Recording recording;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(record_many);
  for (std::thread& thread : threads) thread.join();
  recording.stop();
  recording.write(path);
}

void work(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

void run_frame(int number, jobs::Mutex& mutex) {
  {
    const jobs::trace::Zone zone("simulate");
    jobs::Counter counter;
    for (int i = 0; i < 12; ++i) {
      jobs::spawn(counter, [i] {
        const jobs::trace::Zone inner(i % 3 == 0 ? "collide" : "integrate");
        work(std::chrono::microseconds(60 + 15 * i));
      });
    }
    counter.wait();
  }
  {
    const jobs::trace::Zone zone("light");
    jobs::parallel_for(0, 16, [](int) { work(20us); }, jobs::Grain{1});
  }
  std::vector<jobs::Fiber<void>> loaders;
  for (const char* const name : {"load meshes", "load textures", "load sounds"}) {
    loaders.emplace_back(
        [&mutex] {
          for (int i = 0; i < 3; ++i) {
            const jobs::trace::Zone zone("decode");
            work(80us);
            const std::scoped_lock lock(mutex);
            const jobs::trace::Zone store("store");
            work(40us);
            jobs::this_fiber::sleep_for(150us);
          }
        },
        jobs::FiberOptions{.name = name});
  }
  for (jobs::Fiber<void>& loader : loaders) loader.join();
  if (number % 8 == 5) {
    jobs::trace::message("a slow frame");
    work(3ms);
  }
  jobs::trace::counter("load", 50 + 40 * std::sin(number / 3.0));
  jobs::trace::frame();
}

void write_fibers(const std::string& path) {
  jobs::trace::Recording recording;
  {
    jobs::Scheduler scheduler({.worker_count = 4});
    scheduler.run([] {
      jobs::Mutex mutex;
      jobs::trace::name_object(&mutex, "the store");
      for (int i = 0; i < 24; ++i) run_frame(i, mutex);
    });
  }
  recording.stop();
  recording.write(path);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    if (std::strcmp(arguments[1], "many") == 0) {
      write_many(arguments[2]);
    } else {
      write_fibers(arguments[2]);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
