// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU quota, read from trees that imitate /proc and /sys.
#include "jobs/base/cpu_quota.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/support/allocation_count.hpp"

namespace {

using jobs::detail::read_cpu_quota;

class CpuQuota : public testing::Test {
 protected:
  CpuQuota() {
    std::string pattern = (std::filesystem::temp_directory_path() / "jobs-quota-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~CpuQuota() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void write_membership(const std::string& lines) { write("proc/self/cgroup", lines); }
  void write_v1(const std::string& group, const std::string& quota,
                const std::string& period = "100000\n") {
    write("sys/fs/cgroup/" + group + "/cpu.cfs_quota_us", quota);
    write("sys/fs/cgroup/" + group + "/cpu.cfs_period_us", period);
  }
  void write_v2(const std::string& group, const std::string& limit) {
    write("sys/fs/cgroup/" + group + "/cpu.max", limit);
  }
  std::optional<double> quota() const { return read_cpu_quota(root_.string()).cpus; }
  jobs::detail::CpuThrottling throttling() const {
    return read_cpu_quota(root_.string()).throttled;
  }

  std::filesystem::path root_;
};

TEST_F(CpuQuota, IsUnlimitedWithoutControlGroups) { EXPECT_EQ(quota(), std::nullopt); }

TEST_F(CpuQuota, IsTheRatioOfQuotaAndPeriodInVersion2) {
  write_membership("0::/service\n");
  write_v2("service", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CpuQuota, IsTheRatioOfQuotaAndPeriodInVersion1) {
  write_membership("3:cpuset:/\n2:cpu,cpuacct:/service\n1:name=systemd:/\n");
  write_v1("cpu,cpuacct/service", "50000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CpuQuota, FindsVersion1UnderTheShortNameOfTheMount) {
  write_membership("2:cpu,cpuacct:/service\n");
  write_v1("cpu/service", "300000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(CpuQuota, IsTheLeastOnTheWayToTheRoot) {
  write_membership("0::/a/b/c\n");
  write_v2("a", "400000 100000\n");
  write_v2("a/b", "120000 50000\n");
  write_v2("a/b/c", "max 100000\n");
  EXPECT_EQ(quota(), 2.4);
  write_v2("a", "100000 100000\n");
  EXPECT_EQ(quota(), 1.0);
}

TEST_F(CpuQuota, IsTheLeastOnTheWayToTheRootInVersion1) {
  write_membership("4:cpu:/a/b\n");
  write_v1("cpu/a/b", "-1\n");
  write_v1("cpu/a", "700000\n", "200000\n");
  write_v1("cpu", "-1\n");
  EXPECT_EQ(quota(), 3.5);
}

TEST_F(CpuQuota, IsTheLeastOfBothVersionsSideBySide) {
  write_membership("1:cpu:/job\n0::/job\n");
  write_v1("cpu/job", "300000\n");
  write_v2("unified/job", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(CpuQuota, IsFoundAtTheMountPointInsideAContainer) {
  write_membership("0::/host/only/knows/this\n");
  write_v2("", "250000 100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(CpuQuota, DoesNotLeaveTheMountPoint) {
  write_membership("0::/../sibling\n");
  write_v2("", "200000 100000\n");
  write("sys/fs/sibling/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

// The kernel writes no such line. The query looked for the parents of the mount point, for ever.
TEST_F(CpuQuota, TakesAPathWithoutASlashForTheMountPoint) {
  std::string lines = "0::one\n0::two\n0::three";
  lines += '\0';
  lines += "four\n0::five\n";
  write_membership(lines);
  write_v2("", "200000 100000\n");
  write("sys/fs/cgroupone/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(CpuQuota, IgnoresOtherControllers) {
  write_membership("2:cpuset:/service\n1:cpuacct:/service\n");
  write_v1("cpu/service", "100000\n");
  write_v1("cpuset/service", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CpuQuota, AcceptsColonsInTheNameOfAGroup) {
  write_membership("0::/unit:7\n");
  write_v2("unit:7", "100000 100000");
  EXPECT_EQ(quota(), 1.0);
}

TEST_F(CpuQuota, IgnoresMalformedLimits) {
  write_membership("1:cpu:/g\n0::/g\n");
  const std::string inputs[] = {"",
                                "\n",
                                "abc",
                                "max",
                                "max max",
                                "1 2 3",
                                "10x 100",
                                "100000 0",
                                "0 0",
                                "-5 100",
                                "100000 -1",
                                "1e5 100000",
                                "0x10 16",
                                "100000,100000",
                                " ",
                                "100000\t100000",
                                std::string(8, '\0'),
                                "99999999999999999999999 100000"};
  for (const std::string& input : inputs) {
    write_v2("g", input);
    write_v1("cpu/g", input, input);
    EXPECT_EQ(quota(), std::nullopt) << "for \"" << input << '"';
    write_v1("cpu/g", "100000", input);
    EXPECT_EQ(quota(), std::nullopt) << "for the period \"" << input << '"';
  }
}

TEST_F(CpuQuota, IgnoresMalformedMembership) {
  write_v2("", "100000 100000");
  for (const char* lines : {"", "\n\n", "0", "0:", ":", "cpu", "\xff\xfe", "1:cpuset", "a:b"}) {
    write_membership(lines);
    EXPECT_EQ(quota(), std::nullopt) << "for \"" << lines << '"';
  }
}

TEST_F(CpuQuota, IgnoresFoldersInThePlaceOfFiles) {
  write_membership("0::/\n");
  write_v2("cpu.max", "a file below a folder of that name");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CpuQuota, IsReadTogetherWithTheTimesThatItWasUsedUp) {
  EXPECT_EQ(throttling().periods, 0u);
  write_membership("1:cpu:/job\n0::/job\n");
  EXPECT_EQ(throttling().nanoseconds, 0u) << "no file";
  write("sys/fs/cgroup/unified/job/cpu.stat",
        "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 40\n");
  EXPECT_EQ(throttling().periods, 3u);
  EXPECT_EQ(throttling().nanoseconds, 40'000u);
  write("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 7\nnr_throttled 2\nthrottled_time 50000\n");
  EXPECT_EQ(throttling().periods, 2u) << "the group that was stopped for longest";
  EXPECT_EQ(throttling().nanoseconds, 50'000u);
  for (const char* junk : {"", "nr_throttled", "nr_throttled x\nthrottled_time -1\n",
                           "throttled_time 1 2\n", "\xff\n"}) {
    write("sys/fs/cgroup/cpu/cpu.stat", junk);
    EXPECT_EQ(throttling().nanoseconds, 40'000u) << junk;
  }
}

TEST_F(CpuQuota, IgnoresLinesThatAreTooLong) {
  const auto path_of = [](std::size_t length) {
    std::string path;
    while (path.size() < length) path += "/" + std::string(100, 'x');
    return path.substr(0, length);
  };
  const std::string longest = path_of(1024 - std::string("0::\n").size());
  write_v2("", "200000 100000\n");
  write_v2(longest.substr(1), "100000 100000\n");
  write_membership("0::" + longest + "\n");
  EXPECT_EQ(quota(), 1.0);
  write_membership("0::" + longest + "x\n");
  EXPECT_EQ(quota(), std::nullopt);
  write_membership("0::" + path_of(5000) + "\n0::" + longest);
  EXPECT_EQ(quota(), 1.0);
}

TEST_F(CpuQuota, IsFoundAfterManyOtherLines) {
  std::string lines;
  for (int i = 100; i > 0; --i)
    lines += std::to_string(i) + ":name=other:/" + std::string(99, 'x') + "\n";
  write_membership(lines + "0::/service\n");
  write_v2("service", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CpuQuota, IsReadWithoutAnAllocation) {
  write_membership("1:cpu,cpuacct:/a/b/c\n0::/job\n");
  write_v1("cpu/a", "300000\n");
  const std::string root = root_.string();
  EXPECT_EQ(jobs::test::allocations_in([&] { EXPECT_EQ(read_cpu_quota(root).cpus, 3.0); }), 0u);
}

TEST_F(CpuQuota, CanBeReadOnThisMachine) {
  if (const auto quota = read_cpu_quota().cpus) {
    EXPECT_GT(*quota, 0.0);
  }
}

}  // namespace
