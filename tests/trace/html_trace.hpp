// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HtmlTrace: a recording in a page of HTML, as its viewer reads it. The constructor checks that
// slices nest and lie within the recording.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace.hpp"
#include "tests/trace/trace_file.hpp"

namespace jobs::test {

class HtmlTrace {
 public:
  // A row of numbers; the first one is a time in nanoseconds.
  using Row = std::vector<std::uint64_t>;

  explicit HtmlTrace(const std::string& path);
  // Writes the recording to a temporary file, and reads it.
  static HtmlTrace of(const trace::Recording& recording);

  const std::string& page() const { return page_; }
  const nlohmann::json& data() const { return data_; }
  const std::vector<TraceSlice>& slices() const { return slices_; }
  std::vector<TraceSlice> named(std::string_view name) const;
  std::string name(std::uint64_t index) const { return data_.at("names").at(index); }
  std::string category(std::uint64_t index) const { return data_.at("categories").at(index); }

  // Decodes a list of rows of `width` numbers each.
  static std::vector<Row> unpack(const std::string& base64, std::size_t width);

 private:
  void read_slices();

  std::string page_;
  nlohmann::json data_;
  std::vector<TraceSlice> slices_;
};

}  // namespace jobs::test
