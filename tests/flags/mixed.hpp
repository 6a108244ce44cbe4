// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One program of two files, one without exceptions: both use the same templates with the same
// types.
#pragma once

#include "jobs/jobs.hpp"

struct Callable {
  bool fails;
  void operator()() const;     // throws an int if it fails
  void operator()(int) const;  // throws an int if it fails
};

// In the file without exceptions: runs each function once with arguments that do not fail. Returns
// false if a result is wrong.
bool run_without_exceptions();

// `kMode` separates the two files' instances of this template, which belongs to the program.
template <int kMode, class F>
void run_everywhere(const F& function, void (*check)(void (*call)(const F&), const F&)) {
  check([](const F& f) { jobs::parallel_for(0, 1000, f); }, function);
  check([](const F& f) { jobs::parallel_for(0, 1000, f, std::stop_token()); }, function);
  check([](const F& f) { jobs::fork_join(f, f); }, function);
  check(
      [](const F& f) {
        jobs::Counter done;
        jobs::spawn(done, f);
        done.wait();
      },
      function);
  check([](const F& f) { jobs::Fiber<>(f).join(); }, function);
  check(
      [](const F& f) {
        jobs::FiberGroup group;
        group.start(f);
        group.wait();
      },
      function);
  check(
      [](const F& f) {
        jobs::TaskGraph graph;
        graph.node(f);
        graph.run();
      },
      function);
  check([](const F& f) { jobs::Fiber<>([&f] { jobs::blocking(f); }).join(); }, function);
  check([](const F& f) { jobs::Scheduler({.worker_count = 1}).run(f); }, function);
  check(
      [](const F& f) {
        jobs::OnceFlag once;
        jobs::call_once(once, f);
      },
      function);
}
