// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The sides of the rows: runs one of the two programs, and reads its figure. BENCH_TRACED and
// BENCH_UNTRACED are their paths.
#include "bench/trace/workload.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace bench::trace {
namespace {

Figures run(const char* program, const char* work, const char* recording,
            const Conditions& conditions) {
  const std::string command = std::string(program) + " " + work + " " + recording + " " +
                              std::to_string(conditions.workers) +
                              (conditions.quick ? " quick" : "");
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw WrongResult("cannot run " + command);
  double figure = 0;
  const int read = std::fscanf(pipe, "%lf", &figure);
  if (pclose(pipe) != 0 || read != 1) throw WrongResult(command + " has failed");
  return {figure};
}

}  // namespace

Figures not_linked(const Conditions& conditions) {
  return run(BENCH_UNTRACED, kSmallJobs, "off", conditions);
}
Figures linked(const Conditions& conditions) {
  return run(BENCH_TRACED, kSmallJobs, "off", conditions);
}
Figures recorded(const Conditions& conditions) {
  return run(BENCH_TRACED, kSmallJobs, "on", conditions);
}
Figures frames_not_linked(const Conditions& conditions) {
  return run(BENCH_UNTRACED, kPicture, "off", conditions);
}
Figures frames_recorded(const Conditions& conditions) {
  return run(BENCH_TRACED, kPicture, "on", conditions);
}

}  // namespace bench::trace
