// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A program with each probe of the library, for tests/trace/check_probes.
#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"

int main() {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    jobs::Fiber fiber([] { jobs::yield(); });
    fiber.join();
    const jobs::trace::Zone zone("zone");
    jobs::trace::counter("counter", 1);
    jobs::trace::message("message");
    jobs::trace::frame();
  });
}
