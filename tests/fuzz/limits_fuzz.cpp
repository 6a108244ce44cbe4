// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Control groups and environment variables with arbitrary contents: the result is plausible, or
// Error(kBadEnvironment).
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "jobs/base/cpu_quota.hpp"
#include "jobs/base/worker_count.hpp"
#include "jobs/error.hpp"
#include "tests/fuzz/input.hpp"

namespace {

// A folder in memory that replaces /proc and /sys; it disappears with the process.
class Root {
 public:
  Root() : path_("/dev/shm/jobs_fuzz_" + std::to_string(getpid())) {
    std::filesystem::create_directories(path_ + "/proc/self");
    std::filesystem::create_directories(path_ + "/sys/fs/cgroup/cpu/a/b");
    std::filesystem::create_directories(path_ + "/sys/fs/cgroup/a/b");
  }
  ~Root() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + name, std::ios::binary) << text;
  }

 private:
  const std::string path_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using jobs::test::expect;
  static const Root root;
  jobs::test::Input input({data, size});

  // One of the usual lines or anything at all.
  constexpr const char* kMemberships[] = {"0::/a/b\n", "4:cpu,cpuacct:/a\n0::/\n", "0::/../x\n",
                                          "1:cpu:/a/b\n"};
  const std::size_t usual = input.below(std::size(kMemberships) + 1);
  root.write("/proc/self/cgroup",
             usual < std::size(kMemberships) ? kMemberships[usual] : input.text(60));
  root.write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", input.text(24));
  root.write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", input.text(24));
  root.write("/sys/fs/cgroup/a/b/cpu.max", input.text(40));
  root.write("/sys/fs/cgroup/a/cpu.max", input.text(40));
  const std::optional<double> quota = jobs::detail::read_cpu_quota(root.path()).cpus;
  expect(!quota || *quota > 0, "a quota that is not positive");

  const unsigned requested = input.byte();
  const std::string environment = input.text(20);
  const jobs::detail::CpuLimits limits{
      .online = 1u + input.byte(), .affinity = 1u + input.byte(), .quota = quota};
  try {
    const jobs::detail::WorkerCount chosen =
        jobs::detail::choose_worker_count(requested, environment.c_str(), limits);
    expect(chosen.count >= 1 && chosen.count <= jobs::detail::kMaxWorkers,
           "a number of workers that nobody can have");
    expect(requested == 0 || chosen.count == requested,
           "what the program asks for was not honoured");
    expect(!chosen.reason.empty(), "a choice without a reason");
  } catch (const jobs::Error& error) {
    expect(error.code() == jobs::ErrorCode::kBadEnvironment, "the wrong error");
  }
  return 0;
}
