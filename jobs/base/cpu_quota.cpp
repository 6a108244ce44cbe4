// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading of cgroup v1 and v2 limits.
//
// /proc/self/cgroup has one line for each hierarchy: `id:controllers:path`; version 2 is `0::path`. The path is
// relative to where the hierarchy is mounted, unless the process sits in a container without a cgroup namespace: then
// it is the host's path, which does not exist below the container's mount, and the mount point itself is the
// container's group. Walking from the path up to and including the mount point is right in both cases, since groups
// that are not there limit nothing.
#include "jobs/base/cpu_quota.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace jobs::inline JOBS_ABI::detail {
namespace {

// Empty if the file cannot be read.
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
  const auto period_us = parse_microseconds(period);  // -1 in v1 stands for no limit
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

using GroupQuota = std::optional<double> (*)(const std::string& group);

// From the group at `path` up to the mount point.
std::optional<double> least_quota(const std::string& mount, std::string_view path, GroupQuota group_quota) {
  const auto parts = split(path, "/");
  // A process outside the root of its cgroup namespace sees `/../other`. Whatever that names, it is not below the mount
  // point.
  std::size_t depth = std::count(parts.begin(), parts.end(), "..") == 0 ? parts.size() : 0;
  std::optional<double> least;
  for (;; --depth) {
    std::string group = mount;
    for (std::size_t i = 0; i < depth; ++i) group.append("/").append(parts[i]);
    least = lesser(least, group_quota(group));
    if (depth == 0) return least;
  }
}

}  // namespace

std::optional<double> read_cpu_quota(const std::string& root) {
  const std::string mounts = root + "/sys/fs/cgroup";
  const std::string membership = read_file(root + "/proc/self/cgroup");
  std::optional<double> least;
  for (const std::string_view line : split(membership, "\n")) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    const auto names = split(controllers, ",");
    if (names.empty() && line.substr(0, first) == "0") {
      least = lesser(least, least_quota(mounts, path, group_quota_v2));
      least = lesser(least, least_quota(mounts + "/unified", path, group_quota_v2));  // v1 and v2 side by side
    } else if (std::count(names.begin(), names.end(), "cpu") != 0) {
      least = lesser(least, least_quota(mounts + "/cpu", path, group_quota_v1));
      // Usually `cpu` is a link to this one; in some containers only one of the two is mounted.
      least = lesser(least, least_quota(mounts + "/" + std::string(controllers), path, group_quota_v1));
    }
  }
  return least;
}

}  // namespace jobs::inline JOBS_ABI::detail
