// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin without a scheduler of its own: it is linked to the libjobs.so of its host, so its jobs
// run on the host's workers.
#include <unistd.h>
#include <jobs/blocking.hpp>
#include <jobs/jobs.hpp>

#include <atomic>
#include <memory>

namespace {

constexpr int kJobs = 20;

// The work on the host's workers, from start_plugin() to stop_plugin().
struct Work {
  jobs::Counter done;
  jobs::Fiber<> guard;
  std::atomic<int> ended{0};
};
std::unique_ptr<Work> work;

}  // namespace

// `is_of_the_host`: returns true for a thread of the host's workers. Returns 0 on success.
extern "C" [[gnu::visibility("default")]] int start_plugin(bool (*is_of_the_host)(int thread)) {
  std::atomic<int> strangers{0};
  jobs::Counter looked;
  for (int i = 0; i < 10; ++i) {
    jobs::spawn(looked, [&] { strangers += is_of_the_host(gettid()) ? 0 : 1; });
  }
  looked.wait();
  work = std::make_unique<Work>();
  for (int i = 0; i < kJobs; ++i) {
    jobs::spawn(work->done, [] {
      jobs::yield();
      ++work->ended;
    });
  }
  work->guard = jobs::Fiber<>([] { jobs::Event().wait(); });  // runs until it is stopped
  return strangers;
}

// Ends the work of start_plugin(): every job, fiber and reference of the plugin. The last to end is
// a job, or a call that blocks; its thread still has to return from the plugin's code. Returns 0 on
// success.
extern "C" [[gnu::visibility("default")]] int stop_plugin(bool is_last_blocking) {
  work->guard = {};  // requests its stop and waits for its end
  work->done.wait();
  const int lost = kJobs - work->ended;
  work.reset();
  if (is_last_blocking) {
    jobs::Fiber<>([] { jobs::blocking([] {}); }).join();
  } else {
    jobs::Counter last;
    jobs::spawn(last, [] {});
    last.wait();
  }
  return lost;
}
