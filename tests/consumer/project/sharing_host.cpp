// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A host that shares its scheduler with a plugin: both are linked to one libjobs.so. The plugin's
// jobs run on the host's workers. The host stops and unloads the plugin many times, while the
// workers continue.
#include <dlfcn.h>
#include <unistd.h>
#include <jobs/blocking.hpp>
#include <jobs/jobs.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>

namespace {

constexpr int kRounds = 50;

long count_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// The threads of the default scheduler, and the main thread, which runs jobs of a counter while it
// waits for it.
std::set<int> workers;

void find_workers() {
  workers.insert(gettid());
  for (unsigned i = 0; i < jobs::worker_count(); ++i) {
    jobs::Counter done;
    jobs::spawn(done, [] { workers.insert(gettid()); }, {.on = jobs::worker(i)});
    done.wait();
  }
}

bool is_worker(int thread) { return workers.contains(thread); }

bool computes() {
  return jobs::parallel_reduce(0, 1000, 0, std::plus<>(), [](int i) { return i; }) == 499'500;
}

// Loads the plugin, runs it and unloads it. Returns an empty string on success.
const char* use(const char* path, bool is_last_blocking) {
  void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return dlerror();
  using Start = int (*)(bool (*)(int));
  using Stop = int (*)(bool);
  const auto start = reinterpret_cast<Start>(dlsym(plugin, "start_plugin"));
  const auto stop = reinterpret_cast<Stop>(dlsym(plugin, "stop_plugin"));
  if (start == nullptr || stop == nullptr) return "a function is missing";
  if (start(&is_worker) != 0) return "a job of the plugin did not run on the host's workers";
  if (!computes()) return "the host computes wrongly beside the plugin";
  if (stop(is_last_blocking) != 0) return "the plugin lost jobs";
  jobs::quiesce();  // the workers leave the plugin's code
  if (dlclose(plugin) != 0) return dlerror();
  usleep(5000);  // a thread that still runs the plugin's code crashes meanwhile
  return dlopen(path, RTLD_NOW | RTLD_NOLOAD) == nullptr ? "" : "the plugin is still there";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  find_workers();
  // The blocking thread counts as a thread of the host, too.
  jobs::Fiber<>([] { jobs::blocking([] {}); }).join();
  const long threads = count_threads();
  for (int round = 0; round < kRounds; ++round) {
    const char* const error = use(arguments[1], round % 2 == 1);
    if (*error != '\0') {
      std::fprintf(stderr, "round %d: %s\n", round, error);
      return 1;
    }
    if (!computes() || count_threads() > threads) {
      std::fprintf(stderr, "round %d: the host computes wrongly, or has %ld threads after %ld\n",
                   round, count_threads(), threads);
      return 1;
    }
  }
  std::puts("host and plugin share a scheduler");
  return 0;
}
