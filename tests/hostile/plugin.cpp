// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin that has the library inside, with a scheduler for its lifetime and one for each call. It
// does not use the default scheduler, whose memory outlives the plugin (docs/plugins.md).
#include <functional>

#include "jobs/jobs.hpp"

namespace {

jobs::Scheduler& of_the_plugin() {
  static jobs::Scheduler scheduler({.worker_count = 2});  // destroyed when the plugin is unloaded
  return scheduler;
}

int work() {
  jobs::Counter done;
  jobs::Mutex mutex;
  int ran = 0;
  for (int i = 0; i < 100; ++i) {
    jobs::spawn(done, [&] {
      const std::scoped_lock lock(mutex);
      jobs::yield();
      ++ran;
    });
  }
  done.wait();
  const int sum = jobs::parallel_reduce(0, 1000, 0, std::plus<>(), [](int i) { return i; });
  return ran == 100 && sum == 499'500 && jobs::blocking([] { return 7; }) == 7 ? 0 : 1;
}

}  // namespace

// Returns 0 on success.
extern "C" [[gnu::visibility("default")]] int run_plugin() {
  jobs::Scheduler scheduler({.worker_count = 3});
  return scheduler.run(&work) + of_the_plugin().run(&work);
}
