// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/html_trace.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace jobs::test {

namespace {

std::string bytes_of(const std::string& base64) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  EXPECT_EQ(base64.size() % 4, 0u);
  for (const char c : base64) {
    if (c == '=') break;
    const std::size_t digit = kDigits.find(c);
    EXPECT_NE(digit, kDigits.npos);
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

}  // namespace

std::vector<HtmlTrace::Row> HtmlTrace::unpack(const std::string& base64, std::size_t width) {
  std::vector<Row> rows;
  Row row;
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char c : bytes_of(base64)) {
    value |= static_cast<std::uint64_t>(c & 0x7f) << shift;
    shift += 7;
    if ((c & 0x80) != 0) continue;
    row.push_back(row.empty() && !rows.empty() ? rows.back().front() + value : value);
    value = 0;
    shift = 0;
    if (row.size() < width) continue;
    rows.push_back(std::move(row));
    row = {};
  }
  EXPECT_TRUE(row.empty());
  return rows;
}

HtmlTrace::HtmlTrace(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  page_ = text.str();
  const std::string_view begin = "<script type=\"application/json\" id=\"recording\">";
  const std::size_t first = page_.find(begin) + begin.size();
  const std::size_t last = page_.find("</script>", first);
  EXPECT_LT(last, page_.size());
  data_ = nlohmann::json::parse(page_.substr(first, last - first));
  EXPECT_EQ(data_.at("version"), 1);
  EXPECT_EQ(data_.at("names").size(), data_.at("categories").size());
  read_slices();
}

HtmlTrace HtmlTrace::of(const trace::Recording& recording) {
  const std::string path = temporary_file(".html");
  recording.write(path);
  HtmlTrace file(path);
  std::remove(path.c_str());
  return file;
}

void HtmlTrace::read_slices() {
  const std::uint64_t length = data_.at("length");
  for (const auto& track : data_.at("tracks")) {
    std::vector<std::uint64_t> ends;  // of the slices around
    for (const Row& row : unpack(track.at("slices"), 4)) {
      const TraceSlice slice{.track = track.at("name"),
                             .category = category(row[2]),
                             .name = name(row[2]),
                             .begin = static_cast<double>(row[0]),
                             .end = static_cast<double>(row[0] + row[1])};
      EXPECT_LE(row[3], ends.size());
      ends.resize(row[3]);
      EXPECT_LE(row[0] + row[1], ends.empty() ? length : ends.back()) << slice.name;
      ends.push_back(row[0] + row[1]);
      slices_.push_back(slice);
    }
  }
}

std::vector<TraceSlice> HtmlTrace::named(std::string_view name) const {
  std::vector<TraceSlice> found;
  for (const TraceSlice& slice : slices_) {
    if (slice.name == name) found.push_back(slice);
  }
  return found;
}

}  // namespace jobs::test
