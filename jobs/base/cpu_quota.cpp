// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CPU quota: the limits of cgroup v1 and v2.
//
// /proc/self/cgroup has one line for each hierarchy: `id:controllers:path`; version 2 is `0::path`.
// The path is relative to the mount point of the hierarchy, with one exception. In a container
// without a cgroup namespace it is the path of the host. That path does not exist below the mount
// in the container, and the mount point itself is the group of the container. The walk goes from
// the path up to and including the mount point. It is correct in both cases, because groups that do
// not exist impose no limit.
#include "jobs/base/cpu_quota.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>
#include <vector>

namespace jobs::inline JOBS_ABI::detail {
namespace {

// Returns an empty string if the file cannot be read.
std::string read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return std::move(text).str();
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return parts;
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::optional<std::int64_t> parse_microseconds(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> quota_of(std::string_view quota, std::string_view period) {
  const auto quota_us = parse_microseconds(quota);    // "max" in v2
  const auto period_us = parse_microseconds(period);  // -1 in v1 means no limit
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<double> group_quota_v1(const std::string& group) {
  const std::string quota = read_file(group + "/cpu.cfs_quota_us");
  const std::string period = read_file(group + "/cpu.cfs_period_us");
  const auto quota_words = split(quota, " \n");
  const auto period_words = split(period, " \n");
  if (quota_words.size() != 1 || period_words.size() != 1) return std::nullopt;
  return quota_of(quota_words[0], period_words[0]);
}

std::optional<double> group_quota_v2(const std::string& group) {
  const std::string limit = read_file(group + "/cpu.max");
  const auto words = split(limit, " \n");
  if (words.size() != 2) return std::nullopt;
  return quota_of(words[0], words[1]);
}

std::optional<double> lesser(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

enum class Version : std::uint8_t { kOne, kTwo };
using Visit = std::function<void(const std::string& group, Version version)>;

// Calls visit(group, version) for the group at `path` and for its ancestors, up to the mount point.
void visit_upwards(const std::string& mount, std::string_view path, Version version,
                   const Visit& visit) {
  const auto parts = split(path, "/");
  // A process outside the root of its cgroup namespace sees `/../other`. Such a path is not below
  // the mount point.
  std::size_t depth = std::count(parts.begin(), parts.end(), "..") == 0 ? parts.size() : 0;
  for (;; --depth) {
    std::string group = mount;
    for (std::size_t i = 0; i < depth; ++i) group.append("/").append(parts[i]);
    visit(group, version);
    if (depth == 0) return;
  }
}

// Visits all groups that limit the CPU time of this process.
void visit_groups(const std::string& root, const Visit& visit) {
  const std::string mounts = root + "/sys/fs/cgroup";
  const std::string membership = read_file(root + "/proc/self/cgroup");
  for (const std::string_view line : split(membership, "\n")) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    const auto names = split(controllers, ",");
    if (names.empty() && line.substr(0, first) == "0") {
      visit_upwards(mounts, path, Version::kTwo, visit);
      visit_upwards(mounts + "/unified", path, Version::kTwo, visit);  // v1 and v2 side by side
    } else if (std::count(names.begin(), names.end(), "cpu") != 0) {
      visit_upwards(mounts + "/cpu", path, Version::kOne, visit);
      // Usually `cpu` is a link to this directory; some containers mount only one of the two.
      visit_upwards(mounts + "/" + std::string(controllers), path, Version::kOne, visit);
    }
  }
}

std::uint64_t number_or_none(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

std::optional<double> read_cpu_quota(const std::string& root) {
  std::optional<double> least;
  visit_groups(root, [&least](const std::string& group, Version version) {
    least = lesser(least, version == Version::kOne ? group_quota_v1(group) : group_quota_v2(group));
  });
  return least;
}

CpuThrottling read_cpu_throttling(const std::string& root) {
  constexpr std::uint64_t kNanosecondsOfOne = 1000;  // per microsecond
  CpuThrottling worst;
  visit_groups(root, [&worst](const std::string& group, Version) {
    const std::string text = read_file(group + "/cpu.stat");
    CpuThrottling here;
    for (const std::string_view line : split(text, "\n")) {
      const auto words = split(line, " ");
      if (words.size() != 2) continue;
      if (words[0] == "nr_throttled") here.periods = number_or_none(words[1]);
      if (words[0] == "throttled_time") here.nanoseconds = number_or_none(words[1]);  // v1
      // v2.
      if (words[0] == "throttled_usec")
        here.nanoseconds = number_or_none(words[1]) * kNanosecondsOfOne;
    }
    if (here.nanoseconds > worst.nanoseconds ||
        (worst.nanoseconds == 0 && here.periods > worst.periods))
      worst = here;
  });
  return worst;
}

}  // namespace jobs::inline JOBS_ABI::detail
