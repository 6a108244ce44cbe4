// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The program of the tests of JOBS_TRACE and JOBS_PROFILE: a scheduler whose two workers both have
// an event. Otherwise it may stop before one of its threads has run.
#pragma once

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

#include "jobs/jobs.hpp"

namespace jobs::test {

// Calls before() on a worker first.
inline void run_of_two(const std::function<void()>& before = [] {}) {
  Scheduler scheduler({.worker_count = 2});
  scheduler.run([&] {
    before();
    // Each worker runs one of the two parts.
    std::atomic<int> arrived{0};
    const auto meet = [&arrived] {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    };
    fork_join(meet, meet);
  });
}

// Returns 0 if the start of a scheduler refuses the environment, and prints the message.
inline int print_error_of_start() {
  try {
    run_of_two();
    return 1;
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    return error.code() == ErrorCode::kBadEnvironment ? 0 : 2;
  }
}

}  // namespace jobs::test
