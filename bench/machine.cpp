// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads processor, kernel, compiler and versions of the peers.
#include "bench/machine.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <boost/version.hpp>
#include <fstream>

namespace bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

bool virtual_machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line.find(" hypervisor") != std::string::npos;
  }
  return false;
}

}  // namespace

Machine this_machine() {
  utsname kernel{};
  uname(&kernel);
#if defined(__clang__)
  const std::string compiler = "clang++ " __clang_version__;
  const std::string libgomp;
#else
  const std::string compiler = "g++ " __VERSION__;
  const std::string libgomp = ", libgomp " __VERSION__;
#endif
  return {
      .name =
          fmt::format("{}, {} processors{}, Linux {}", processor(), sysconf(_SC_NPROCESSORS_ONLN),
                      virtual_machine() ? " (virtual)" : "", kernel.release),
      .compiler = fmt::format("{} {}", compiler, BENCH_FLAGS),
      .peers = fmt::format("oneTBB {}, Boost {}.{}{}", TBB_runtime_version(),
                           BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1'000, libgomp),
  };
}

}  // namespace bench
