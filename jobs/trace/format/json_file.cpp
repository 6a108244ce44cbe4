// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonFile: the form of numbers.
#include "jobs/trace/format/json_file.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

template <class Number, class... Format>
void append(std::string& out, Number value, Format... format) {
  std::array<char, 32> digits;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, format...);
  if (error == std::errc()) out.append(digits.data(), end);
}

}  // namespace

JsonFile::JsonFile(const std::string& path) : file_(path) { buffer_ = "[\n"; }

void JsonFile::begin_object() {
  if (has_object_) buffer_ += ",\n";
  has_object_ = true;
  has_member_ = false;
  buffer_ += '{';
}

void JsonFile::end_object() {
  buffer_ += '}';
  file_.flush_if_large();
}

void JsonFile::begin_arguments() {
  key("args");
  buffer_ += '{';
  has_member_ = false;
}

void JsonFile::end_arguments() {
  buffer_ += '}';
  has_member_ = true;
}

void JsonFile::key(std::string_view name) {
  if (has_member_) buffer_ += ',';
  has_member_ = true;
  buffer_.append("\"").append(name).append("\":");
}

void JsonFile::text(std::string_view name, std::string_view value) {
  key(name);
  append_json_text(buffer_, value);
}

void JsonFile::number(std::string_view name, std::uint64_t value) {
  key(name);
  append(buffer_, value);
}

void JsonFile::real(std::string_view name, double value) {
  key(name);
  append(buffer_, std::isfinite(value) ? value : 0.0);  // JSON has neither infinities nor NaN.
}

void JsonFile::hexadecimal(std::string_view name, std::uint64_t value) {
  key(name);
  buffer_ += "\"0x";
  append(buffer_, value, 16);
  buffer_ += '"';
}

void JsonFile::microseconds(std::string_view name, std::int64_t nanoseconds) {
  key(name);
  append(buffer_, nanoseconds / 1000);
  buffer_ += '.';
  const std::int64_t rest = nanoseconds % 1000;
  if (rest < 100) buffer_ += '0';
  if (rest < 10) buffer_ += '0';
  append(buffer_, rest);
}

void JsonFile::finish() {
  buffer_ += "\n]\n";
  file_.close();
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
