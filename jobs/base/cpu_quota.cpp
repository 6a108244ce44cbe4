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
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobs::inline JOBS_ABI::detail {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

// Returns an empty string if the file cannot be read.
std::string read_file(const std::string& name) {
  std::string text;
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(name.c_str(), "re"));
  if (file == nullptr) return text;
  std::array<char, 512> part;
  while (const std::size_t length = std::fread(part.data(), 1, part.size(), file.get()))
    text.append(part.data(), length);
  return text;
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

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

enum class Version : std::uint8_t { kOne, kTwo };

struct Group {
  std::string directory;
  Version version;
};

// Appends the group at `path` and its ancestors, up to the mount point.
void add_upwards(std::vector<Group>& groups, std::string mount, std::string_view path,
                 Version version) {
  const std::size_t length = mount.size();
  std::string group = std::move(mount);
  // A process outside the root of its cgroup namespace sees `/../other`. Such a path is not below
  // the mount point.
  if (path.find("/..") == std::string_view::npos) group += path;
  while (group.size() > length) {
    if (group.back() != '/') groups.push_back({group, version});
    group.resize(group.rfind('/'));
  }
  groups.push_back({group, version});
}

// Returns all groups that limit the CPU time of this process.
std::vector<Group> groups_below(const std::string& root) {
  std::vector<Group> groups;
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
      add_upwards(groups, mounts, path, Version::kTwo);
      add_upwards(groups, mounts + "/unified", path, Version::kTwo);  // v1 and v2 side by side
    } else if (std::count(names.begin(), names.end(), "cpu") != 0) {
      add_upwards(groups, mounts + "/cpu", path, Version::kOne);
      // Usually `cpu` is a link to this directory; some containers mount only one of the two.
      add_upwards(groups, mounts + "/" + std::string(controllers), path, Version::kOne);
    }
  }
  return groups;
}

// Returns the limit of a group in CPUs.
std::optional<double> quota_of(const Group& group) {
  const std::string text = group.version == Version::kOne
                               ? read_file(group.directory + "/cpu.cfs_quota_us") + ' ' +
                                     read_file(group.directory + "/cpu.cfs_period_us")
                               : read_file(group.directory + "/cpu.max");
  const auto words = split(text, " \n");
  if (words.size() != 2) return std::nullopt;
  const auto quota_us = parse_number(words[0]);   // "max" in v2
  const auto period_us = parse_number(words[1]);  // -1 in v1 means no limit
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::uint64_t number_or_none(std::string_view text) {
  return static_cast<std::uint64_t>(std::max(parse_number(text).value_or(0), std::int64_t{0}));
}

}  // namespace

std::optional<double> read_cpu_quota(const std::string& root) {
  std::optional<double> least;
  for (const Group& group : groups_below(root)) {
    const std::optional<double> quota = quota_of(group);
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

CpuThrottling read_cpu_throttling(const std::string& root) {
  constexpr std::uint64_t kNanosecondsOfOne = 1000;  // per microsecond
  CpuThrottling worst;
  for (const Group& group : groups_below(root)) {
    const std::string text = read_file(group.directory + "/cpu.stat");
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
  }
  return worst;
}

}  // namespace jobs::inline JOBS_ABI::detail
