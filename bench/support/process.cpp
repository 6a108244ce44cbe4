// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Readings from /proc and clocks. Linux only, like the library.
#include "bench/support/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace bench {

double resident_kib() {
  std::ifstream file("/proc/self/statm");
  long total = 0;
  long resident = 0;
  file >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

namespace {

// Returns the CPU time of all child processes that have ended, in ns.
double cpu_time_of_children_ns() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto ns = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

}  // namespace

double cpu_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

std::uint64_t switches_of_other_threads() {
  const std::string self = std::to_string(gettid());
  std::uint64_t sum = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == self) continue;
    std::ifstream status(task.path() / "status");
    for (std::string key; status >> key;) {
      if (key.ends_with("_ctxt_switches:")) {
        std::uint64_t count = 0;
        status >> count;
        sum += count;
      }
      status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
  }
  return sum;
}

void settle() {
  constexpr auto kPause = std::chrono::milliseconds(1);
  // The sleep itself and this loop cost about a tenth of it.
  constexpr double kQuietNs = 100'000;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const double before = cpu_time_ns();
    std::this_thread::sleep_for(kPause);
    if (cpu_time_ns() - before < kQuietNs) return;
  }
}

ProcessorTime ProcessorTime::now() {
  const double own_ns = cpu_time_ns() + cpu_time_of_children_ns();
  std::ifstream stat("/proc/stat");
  std::string label;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  stat >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  const double tick_ns = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  return {(user + nice + system + irq + softirq) * tick_ns, own_ns, steal * tick_ns};
}

bool disturbed(const ProcessorTime& before, const ProcessorTime& after) {
  // The kernel charges a whole tick to the thread that runs at the tick: this is correct only on
  // average.
  constexpr double kUncertainNs = 30e6;
  constexpr double kUncertainShare = 0.1;
  const double own_ns = after.own_ns - before.own_ns;
  const double others_ns = after.all_ns - before.all_ns - own_ns;
  return after.stolen_ns > before.stolen_ns || others_ns > kUncertainNs + kUncertainShare * own_ns;
}

}  // namespace bench
