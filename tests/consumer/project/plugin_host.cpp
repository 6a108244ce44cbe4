// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads the plugin, runs it and unloads it, many times: afterwards neither its threads nor its code
// may remain.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <iterator>

namespace {

constexpr int kRounds = 20;

long threads() { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); }

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  for (int round = 0; round < kRounds; ++round) {
    void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
      std::fprintf(stderr, "round %d: %s\n", round, dlerror());
      return 1;
    }
    using Run = int (*)();
    const auto run = reinterpret_cast<Run>(dlsym(plugin, "run_plugin"));
    const int result = run != nullptr ? run() : -1;
    if (result != 0 || dlclose(plugin) != 0) {
      std::fprintf(stderr, "round %d: the plugin says %d\n", round, result);
      return 1;
    }
    if (dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD) != nullptr) {
      std::fprintf(stderr, "round %d: the plugin is still there\n", round);
      return 1;
    }
    if (threads() != 1) {
      std::fprintf(stderr, "round %d: %ld threads\n", round, threads());
      return 1;
    }
  }
  std::puts("a plugin comes and goes");
  return 0;
}
