// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/trace_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace jobs::test {

std::string temporary_file(std::string_view ending) {
  static std::atomic<int> count{0};
  const std::string name =
      "jobs_trace_" + std::to_string(getpid()) + "_" + std::to_string(count.fetch_add(1));
  return (std::filesystem::temp_directory_path() / (name + std::string(ending))).string();
}

TraceFile::TraceFile(const std::string& path) {
  std::ifstream file(path);
  events_ = nlohmann::json::parse(file);
  EXPECT_TRUE(events_.is_array());
  check_members();
  check_slices();
  check_lives();
  check_arrows();
}

TraceFile TraceFile::of(const trace::Recording& recording) {
  const std::string path = temporary_file(".json");
  recording.write(path);
  TraceFile file(path);
  std::remove(path.c_str());
  return file;
}

// The document "Trace Event Format" of Chromium: what an event of each phase has.
void TraceFile::check_members() const {
  static const std::map<std::string, std::vector<std::string>> kMembers = {
      {"B", {"ts", "name", "cat"}},        {"E", {"ts"}},
      {"X", {"ts", "name", "cat", "dur"}}, {"i", {"ts", "name", "cat", "s"}},
      {"C", {"ts", "name", "args"}},       {"M", {"name", "args"}},
      {"b", {"ts", "name", "cat", "id"}},  {"e", {"ts", "cat", "id"}},
      {"s", {"ts", "name", "cat", "id"}},  {"f", {"ts", "name", "cat", "id", "bp"}},
  };
  static const std::map<std::string, bool (nlohmann::json::*)() const noexcept> kTypes = {
      {"name", &nlohmann::json::is_string},        {"cat", &nlohmann::json::is_string},
      {"ts", &nlohmann::json::is_number},          {"dur", &nlohmann::json::is_number},
      {"pid", &nlohmann::json::is_number_integer}, {"tid", &nlohmann::json::is_number_integer},
      {"args", &nlohmann::json::is_object},
  };
  for (const auto& event : events_) {
    const auto members = kMembers.find(event.at("ph"));
    ASSERT_NE(members, kMembers.end()) << event;
    for (const char* const member : {"pid", "tid"}) EXPECT_TRUE(event.contains(member)) << event;
    for (const std::string& member : members->second)
      EXPECT_TRUE(event.contains(member)) << member << " of " << event;
    for (const auto& [member, value] : event.items()) {
      const auto type = kTypes.find(member);
      EXPECT_TRUE(type == kTypes.end() || (value.*type->second)()) << member << " of " << event;
    }
    const std::string& phase = members->first;
    if (phase == "i") {
      EXPECT_EQ(event["s"], "t") << event;
    }
    if (phase == "f") {
      EXPECT_EQ(event["bp"], "e") << event;
    }
    if (phase == "M") {
      EXPECT_TRUE(event["name"] == "process_name" || event["name"] == "thread_name") << event;
    }
    if (phase != "C") continue;
    for (const auto& [name, value] : event["args"].items())
      EXPECT_TRUE(value.is_number() || value.is_null()) << event;
  }
}

void TraceFile::check_slices() const {
  std::map<unsigned, int> depth;
  std::map<unsigned, double> last;
  for (const auto& event : events_) {
    const std::string phase = event.at("ph");
    if (phase != "B" && phase != "E") continue;
    const unsigned track = event.at("tid");
    const double at = event.at("ts");
    EXPECT_GE(at, last[track]) << event;
    last[track] = at;
    depth[track] += phase == "B" ? 1 : -1;
    EXPECT_GE(depth[track], 0) << "an end without its begin: " << event;
    if (phase == "B") {
      EXPECT_FALSE(event.at("name").get<std::string>().empty());
    }
  }
  for (const auto& [track, open] : depth) EXPECT_EQ(open, 0) << "track " << track;
}

void TraceFile::check_lives() const {
  std::map<std::string, int> open;
  for (const auto& event : events_) {
    const std::string phase = event.at("ph");
    if (phase == "b") ++open[event.at("id")];
    if (phase == "e") {
      EXPECT_GE(--open[event.at("id")], 0) << event;
    }
  }
  for (const auto& [fiber, count] : open) EXPECT_EQ(count, 0) << "fiber " << fiber;
}

// A viewer drops an arrow of which an end lies in no slice of its track.
void TraceFile::check_arrows() const {
  std::map<unsigned, std::vector<std::pair<double, double>>> slices;
  std::map<unsigned, std::vector<double>> open;
  for (const auto& event : events_) {
    const std::string phase = event.at("ph");
    if (phase != "B" && phase != "E" && phase != "X") continue;
    const unsigned track = event.at("tid");
    const double at = event.at("ts");
    if (phase == "X") {
      slices[track].emplace_back(at, at + event.at("dur").get<double>());
    } else if (phase == "B") {
      open[track].push_back(at);
    } else if (!open[track].empty()) {
      slices[track].emplace_back(open[track].back(), at);
      open[track].pop_back();
    }
  }
  for (auto& [track, list] : slices) {
    std::sort(list.begin(), list.end());
    // From here on, the end is the latest of this slice and those before it.
    for (std::size_t i = 1; i < list.size(); ++i)
      list[i].second = std::max(list[i].second, list[i - 1].second);
  }
  for (const auto& event : events_) {
    const std::string phase = event.at("ph");
    if (phase != "s" && phase != "f") continue;
    const std::vector<std::pair<double, double>>& list = slices[event.at("tid")];
    const double at = event.at("ts");
    const auto after =
        std::upper_bound(list.begin(), list.end(), at,
                         [](double time, const auto& slice) { return time < slice.first; });
    EXPECT_TRUE(after != list.begin() && at < std::prev(after)->second)
        << "an end of an arrow in no slice: " << event;
  }
}

std::vector<nlohmann::json> TraceFile::named(std::string_view phase, std::string_view name) const {
  std::vector<nlohmann::json> found;
  for (const auto& event : events_) {
    if (event.at("ph") == phase && event.value("name", "") == name) found.push_back(event);
  }
  return found;
}

std::vector<nlohmann::json> TraceFile::of_category(std::string_view phase,
                                                   std::string_view category) const {
  std::vector<nlohmann::json> found;
  for (const auto& event : events_) {
    if (event.at("ph") == phase && event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

std::vector<std::string> TraceFile::tracks() const {
  std::vector<std::string> names;
  for (const auto& event : named("M", "thread_name")) names.push_back(event["args"]["name"]);
  return names;
}

std::vector<TraceSlice> TraceFile::slices() const {
  std::map<unsigned, std::string> names;
  for (const auto& event : named("M", "thread_name"))
    names[event.at("tid")] = event["args"]["name"];
  std::map<unsigned, std::vector<TraceSlice>> slices;
  std::map<unsigned, std::vector<std::size_t>> open;
  for (const auto& event : events_) {
    const std::string phase = event.at("ph");
    if (phase != "B" && phase != "E") continue;
    const unsigned track = event.at("tid");
    const double at = nanoseconds_of(event);
    if (phase == "B") {
      open[track].push_back(slices[track].size());
      slices[track].push_back({.track = names[track],
                               .category = event.at("cat"),
                               .name = event.at("name"),
                               .begin = at,
                               .end = at});
    } else {
      slices[track][open[track].back()].end = at;
      open[track].pop_back();
    }
  }
  std::vector<TraceSlice> all;
  for (const auto& [track, list] : slices) all.insert(all.end(), list.begin(), list.end());
  return all;
}

double TraceFile::time_in(std::string_view name) const {
  double sum = 0;
  std::map<unsigned, std::vector<std::pair<std::string, double>>> open;
  for (const auto& event : events_) {
    const std::string phase = event.at("ph");
    if (phase == "B") {
      open[event.at("tid")].emplace_back(event.at("name"), event.at("ts"));
    } else if (phase == "E") {
      auto& track = open[event.at("tid")];
      if (track.empty()) continue;
      if (track.back().first == name) sum += event.at("ts").get<double>() - track.back().second;
      track.pop_back();
    }
  }
  return sum;
}

}  // namespace jobs::test
