// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: fibers that ask again and again whether something has happened. Each worker has four
// of them: the yield() of a worker's only fiber is no switch.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;

using Fibers = std::vector<jobs::Fiber<void>>;

// Starts the fibers on the worker of the caller.
Fibers start_polling(const std::atomic<bool>& is_done) {
  Fibers fibers;
  for (int i = 0; i < 4; ++i) {
    fibers.push_back(jobs::Fiber<void>(
        [&is_done] {
          while (!is_done.load()) jobs::yield();
        },
        {.start = jobs::FiberStart::kNow}));  // the place of the finding
  }
  return fibers;
}

void ask_again_and_again() {
  std::atomic<bool> is_done = false;
  std::vector<Fibers> fibers(jobs::default_scheduler().worker_count());
  jobs::Counter started;
  for (unsigned i = 0; i < fibers.size(); ++i)
    jobs::spawn(started, [&, i] { fibers[i] = start_polling(is_done); }, {.on = jobs::worker(i)});
  started.wait();
  std::this_thread::sleep_for(200ms);
  is_done.store(true);
  for (Fibers& own : fibers) {
    for (jobs::Fiber<void>& fiber : own) fiber.join();
  }
}

}  // namespace

int main() {
  ask_again_and_again();
  return 0;
}
