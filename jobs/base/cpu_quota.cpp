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

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace jobs::inline JOBS_ABI::detail {
namespace {

// A path that grows and shrinks at its end.
class Path {
 public:
  // Leaves out text that does not fit. The path then names a folder, which is not readable.
  void append(std::string_view text) noexcept {
    if (text.size() >= text_.size() - length_) return;
    std::copy(text.begin(), text.end(), text_.begin() + length_);
    resize(length_ + text.size());
  }
  void resize(std::size_t length) noexcept {
    length_ = std::min(length, text_.size() - 1);
    text_[length_] = '\0';
  }
  std::size_t size() const noexcept { return length_; }
  std::string_view text() const noexcept { return {text_.data(), length_}; }
  const char* c_str() const noexcept { return text_.data(); }

 private:
  std::size_t length_ = 0;
  std::array<char, 2048> text_;
};

// The lines of a file.
class Lines {
 public:
  Lines(Path& folder, std::string_view name) noexcept {
    const std::size_t length = folder.size();
    folder.append(name);
    file_ = open(folder.c_str(), O_RDONLY | O_CLOEXEC);
    folder.resize(length);
  }
  ~Lines() {
    if (file_ >= 0) close(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // Returns the next line that is neither empty nor longer than the buffer; empty at the end, or if
  // the file cannot be read.
  std::string_view next() noexcept {
    bool is_cut = false;  // The buffer has the end of a line without its begin.
    while (true) {
      const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
      if (const std::size_t length = rest.find('\n'); length != std::string_view::npos) {
        begin_ += length + 1;
        if (length != 0 && !is_cut) return rest.substr(0, length);
        is_cut = false;
        continue;
      }
      is_cut |= rest.size() == buffer_.size();
      end_ = is_cut ? 0 : rest.size();
      std::copy_n(rest.begin(), end_, buffer_.begin());
      begin_ = 0;
      const ssize_t part =
          file_ < 0 ? 0 : read(file_, buffer_.data() + end_, buffer_.size() - end_);
      if (part <= 0) {
        begin_ = end_;
        return {buffer_.data(), end_};  // The last line has no line break.
      }
      end_ += static_cast<std::size_t>(part);
    }
  }

 private:
  int file_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::array<char, 1024> buffer_;
};

// Removes the first part from the text and returns it; empty if there is none.
std::string_view take_part(std::string_view& text, char separator) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(separator), text.size()));
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(part.size());
  return part;
}

std::optional<std::int64_t> parse_number(std::string_view text) noexcept {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

enum class Version : std::uint8_t { kOne, kTwo };

// Returns the limit of a group in CPUs.
std::optional<double> cpus_of(Path& group, Version version) noexcept {
  std::optional<std::int64_t> quota_us;   // "max" in v2
  std::optional<std::int64_t> period_us;  // -1 in v1 means no limit
  if (version == Version::kOne) {
    quota_us = parse_number(Lines(group, "/cpu.cfs_quota_us").next());
    period_us = parse_number(Lines(group, "/cpu.cfs_period_us").next());
  } else {
    Lines lines(group, "/cpu.max");
    std::string_view line = lines.next();
    quota_us = parse_number(take_part(line, ' '));
    period_us = parse_number(take_part(line, ' '));
    if (!line.empty()) return std::nullopt;
  }
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::uint64_t number_or_none(std::string_view text) noexcept {
  return static_cast<std::uint64_t>(std::max(parse_number(text).value_or(0), std::int64_t{0}));
}

CpuThrottling throttling_of(Path& group) noexcept {
  constexpr std::uint64_t kNanosecondsOfOne = 1000;  // per microsecond
  CpuThrottling throttled;
  Lines lines(group, "/cpu.stat");
  while (true) {
    std::string_view line = lines.next();
    if (line.empty()) return throttled;
    const std::string_view name = take_part(line, ' ');
    const std::string_view value = take_part(line, ' ');
    if (value.empty() || !take_part(line, ' ').empty()) continue;
    if (name == "nr_throttled") throttled.periods = number_or_none(value);
    if (name == "throttled_time") throttled.nanoseconds = number_or_none(value);  // v1
    // v2.
    if (name == "throttled_usec") throttled.nanoseconds = number_or_none(value) * kNanosecondsOfOne;
  }
}

void add_group(CpuQuota& sum, Path& group, Version version) noexcept {
  const std::optional<double> cpus = cpus_of(group, version);
  if (cpus && (!sum.cpus || *cpus < *sum.cpus)) sum.cpus = cpus;
  const CpuThrottling here = throttling_of(group);
  CpuThrottling& worst = sum.throttled;
  if (here.nanoseconds > worst.nanoseconds ||
      (worst.nanoseconds == 0 && here.periods > worst.periods))
    worst = here;
}

// Adds the group at `path` and its ancestors, up to the mount point. `group`: the mount point.
void add_upwards(CpuQuota& sum, Path& group, std::string_view path, Version version) noexcept {
  const std::size_t length = group.size();
  // A process outside the root of its cgroup namespace sees `/../other`. Such a path is not below
  // the mount point. A path that begins with another character than `/` is malformed.
  if (path.starts_with('/') && path.find("/..") == std::string_view::npos) group.append(path);
  while (group.size() > length) {
    if (group.text().back() != '/') add_group(sum, group, version);
    group.resize(group.text().rfind('/'));
  }
  add_group(sum, group, version);
}

bool has_cpu(std::string_view controllers) noexcept {
  while (true) {
    const std::string_view name = take_part(controllers, ',');
    if (name.empty() || name == "cpu") return !name.empty();
  }
}

}  // namespace

CpuQuota read_cpu_quota(std::string_view root) noexcept {
  CpuQuota sum;
  Path path;
  path.append(root);
  Lines membership(path, "/proc/self/cgroup");
  path.append("/sys/fs/cgroup");
  const std::size_t mounts = path.size();
  const auto add = [&](std::string_view mount, std::string_view below, std::string_view group,
                       Version version) {
    path.resize(mounts);
    path.append(mount);
    path.append(below);
    add_upwards(sum, path, group, version);
  };
  while (true) {
    const std::string_view line = membership.next();
    if (line.empty()) return sum;
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty() && line.substr(0, first) == "0") {
      add("", "", group, Version::kTwo);
      add("/unified", "", group, Version::kTwo);  // v1 and v2 side by side
    } else if (has_cpu(controllers)) {
      add("/cpu", "", group, Version::kOne);
      // Usually `cpu` is a link to this directory; some containers mount only one of the two.
      add("/", controllers, group, Version::kOne);
    }
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
