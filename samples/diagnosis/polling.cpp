// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: fibers that ask again and again whether something has happened.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;

void ask_again_and_again() {
  std::atomic<bool> is_done = false;
  std::vector<jobs::Fiber<void>> fibers;
  for (unsigned i = 0; i < 4 * jobs::default_scheduler().worker_count(); ++i) {
    fibers.push_back(jobs::Fiber<void>([&is_done] {
      while (!is_done.load()) jobs::yield();
    }));
  }
  std::this_thread::sleep_for(200ms);
  is_done.store(true);
  for (jobs::Fiber<void>& fiber : fibers) fiber.join();
}

}  // namespace

int main() {
  ask_again_and_again();
  return 0;
}
