// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/hangs.md: a deadlock and its report, a shutdown that does not end, and the
// settings for tests. main() checks the texts of the reports.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;
using example::check;

// Two fibers own one mutex each, and wait for the mutex of the other fiber.
std::string report_of_a_deadlock() {
  std::string text;
  jobs::Event reported;
  jobs::Scheduler scheduler(
      {.worker_count = 2, .deadlock_after = 100ms, .on_report = [&](const jobs::Report& report) {
         text = report.text();
         reported.signal();
       }});
  const jobs::SchedulerScope scope(scheduler);
  jobs::Mutex accounts;
  jobs::Mutex journal;
  jobs::Latch both(2);
  const auto lock_in_order = [&both](jobs::Mutex& first, jobs::Mutex& second) {
    const std::scoped_lock outer(first);
    both.arrive_and_wait();
    const std::scoped_lock inner(second);
  };
  jobs::Fiber<> transfer([&] { lock_in_order(accounts, journal); }, {.name = "transfer"});
  jobs::Fiber<> audit([&] { lock_in_order(journal, accounts); }, {.name = "audit"});
  reported.wait();
  transfer.request_stop();  // its wait throws Cancelled, so it unlocks its mutex
  return text;
}

// One lock for both mutexes takes them in an order without a deadlock.
int without_a_deadlock() {
  int balance = 0;
  jobs::Mutex accounts;
  jobs::Mutex journal;
  jobs::parallel_for(0, 100, [&](int i) {
    if (i % 2 == 0) {
      const std::scoped_lock both(accounts, journal);
      ++balance;
    } else {
      const std::scoped_lock both(journal, accounts);
      ++balance;
    }
  });
  return balance;
}

void make_hangs_fail() {
  jobs::set_default_options(
      {.deadlock_after = 2s, .stall_after = 20s, .on_report = [](const jobs::Report& report) {
         std::cerr << report.text();
         std::abort();
       }});
  jobs::dump_on_signal(SIGUSR1);  // kill -USR1 prints a report, and the program goes on
}

std::string what_a_shutdown_waits_for() {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Channel<int> requests(4);
  std::string text;
  {
    const jobs::SchedulerScope scope(scheduler);
    jobs::Fiber<> server(
        [&] {
          while (requests.pop()) continue;
        },
        {.name = "server"});
    server.detach();
  }
  if (!scheduler.shutdown_for(50ms)) text = scheduler.report().text();
  requests.close();
  scheduler.shutdown();  // completes
  return text;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

int main() {
  make_hangs_fail();
  const std::string deadlock = report_of_a_deadlock();
  std::cout << deadlock;
  check(contains(deadlock, "jobs: deadlock: ") && contains(deadlock, "\"transfer\"") &&
            contains(deadlock, "owned by fiber") && contains(deadlock, "\"audit\""),
        "deadlock", deadlock);
  check(without_a_deadlock() == 100, "both locks");
  const std::string shutdown = what_a_shutdown_waits_for();
  std::cout << shutdown;
  check(contains(shutdown, "\"server\"") && contains(shutdown, "channel"), "shutdown", shutdown);
  std::raise(SIGUSR1);
  return example::failures;
}
