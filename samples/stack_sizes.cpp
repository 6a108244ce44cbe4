// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Shallow and deep fibers that wait at the same time, in two runs. In the first, all stacks have
// the size of a job's stack. In the second, the size of a stack follows from measurements at the
// same creation site (SchedulerOptions::automatic_stacks). The program prints the address space and
// the memory of each run, the measurements, and the memory that trim() releases.
//
//   stack_sizes [fibers]     shallow fibers; there is one deep fiber for each ten of them
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

// Returns the value of a line of /proc/self/status, in MiB.
double status_mib(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == key && status >> kib) return kib / 1024;
  }
  return 0;
}

struct Use {
  double address_space = 0;  // in MiB
  double resident = 0;
  static Use now() { return {status_mib("VmSize:"), status_mib("VmRSS:")}; }
  Use operator-(const Use& other) const {
    return {address_space - other.address_space, resident - other.resident};
  }
};

struct Outcome {
  Use waiting;  // while all fibers wait
  Use idle;     // after the fibers have ended
  Use trimmed;
  std::size_t ended = 0;
  std::vector<jobs::StackUse> places;
};

// Waits below `kib` KiB of frames. Returns a value that depends on all frames, so that the compiler
// omits none.
int wait_below(int kib, jobs::Event& release) {
  std::array<char, 1024> frame;
  std::memset(frame.data(), kib, frame.size());
  int below = 0;
  if (kib > 1) {
    below = wait_below(kib - 1, release);
  } else {
    release.wait();
  }
  asm volatile("" : : "r"(frame.data()) : "memory");
  return below + frame[0];
}

// Starts the fibers from a job on one worker: each runs at once, until it waits. Then all are
// released and joined.
std::size_t run_fibers(std::size_t count, Use* waiting) {
  constexpr int kDeepKib = 100;
  std::size_t ended = 0;
  jobs::Event release;
  std::vector<jobs::Fiber<>> fibers;
  const auto shallow = [&](std::size_t how_many) {
    for (std::size_t i = 0; i < how_many; ++i) {
      fibers.push_back(jobs::Fiber<>(
          [&] {
            release.wait();
            ++ended;
          },
          {.start = jobs::FiberStart::kNow}));
    }
  };
  const auto deep = [&](std::size_t how_many) {
    for (std::size_t i = 0; i < how_many; ++i) {
      fibers.push_back(jobs::Fiber<>(
          [&] {
            if (wait_below(kDeepKib, release) != 0) ++ended;
          },
          {.start = jobs::FiberStart::kNow}));
    }
  };
  shallow(count);
  deep(count / 10);
  if (waiting != nullptr) *waiting = Use::now();
  release.signal();
  for (jobs::Fiber<>& fiber : fibers) fiber.join();
  return ended;
}

Outcome measure(std::size_t count, bool automatic) {
  jobs::Scheduler scheduler({.worker_count = 1, .automatic_stacks = automatic});
  // The library chooses the size after 16 measurements per creation site.
  constexpr std::size_t kFirst = 200;
  scheduler.run([] { run_fibers(kFirst, nullptr); });
  scheduler.trim();
  const Use before = Use::now();
  Outcome outcome;
  outcome.ended = scheduler.run([&] { return run_fibers(count, &outcome.waiting); });
  outcome.idle = Use::now() - before;
  outcome.waiting = outcome.waiting - before;
  scheduler.trim();
  outcome.trimmed = Use::now() - before;
  outcome.places = scheduler.stack_use();
  return outcome;
}

int run(std::size_t count) {
  const Outcome of_jobs = measure(count, false);
  const Outcome chosen = measure(count, true);
  std::printf("%zu fibers wait, %zu of them deep        address space     resident\n",
              count + count / 10, count / 10);
  for (const auto& [name, outcome] :
       {std::pair("all as large as a job's", &of_jobs), {"chosen by place", &chosen}}) {
    const auto line = [](const char* what, const Use& use) {
      std::printf("  %-38s %8.1f MiB %8.1f MiB\n", what, use.address_space, use.resident);
    };
    line(name, outcome->waiting);
    line("  when they have ended", outcome->idle);
    line("  after trim()", outcome->trimmed);
  }
  for (const jobs::StackUse& place : chosen.places) {
    std::printf("line %u: %zu fibers, %zu measured, the deepest %zu KiB: stacks of %zu KiB\n",
                place.line, static_cast<std::size_t>(place.fibers),
                static_cast<std::size_t>(place.measured), place.peak / 1024,
                place.stack_size / 1024);
  }
  const std::size_t expected = count + count / 10;
  const bool is_smaller = chosen.waiting.address_space < of_jobs.waiting.address_space / 2;
  return of_jobs.ended == expected && chosen.ended == expected && is_smaller ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 2000;
  if (argc > 1) {
    const char* const end = argv[1] + std::strlen(argv[1]);
    const auto [stopped, error] = std::from_chars(argv[1], end, count);
    if (argc > 2 || error != std::errc{} || stopped != end || count == 0 || count > 1'000'000) {
      std::fprintf(stderr, "usage: stack_sizes [fibers]\n");
      return 2;
    }
  }
  try {
    return run(count);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stack_sizes: %s\n", error.what());
    return 1;
  }
}
