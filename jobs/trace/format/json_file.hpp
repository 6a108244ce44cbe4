// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonFile: writes an array of flat JSON objects, one in a line, to a file. An object may contain
// one object of arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jobs/base/config.hpp"
#include "jobs/trace/format/output_file.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class JsonFile {
 public:
  // Creates or replaces the file. Throws std::system_error, as the other functions do.
  explicit JsonFile(const std::string& path);

  void begin_object();
  void end_object();
  // Members of the object. Between the two calls they belong to its member `args`.
  void begin_arguments();
  void end_arguments();
  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, std::uint64_t value);
  void real(std::string_view key, double value);
  // A hexadecimal number as a text: "0x7f12".
  void hexadecimal(std::string_view key, std::uint64_t value);
  // A number of nanoseconds as microseconds with three decimals.
  void microseconds(std::string_view key, std::int64_t nanoseconds);
  // Ends the array, and closes the file.
  void finish();

 private:
  void key(std::string_view name);

  OutputFile file_;
  std::string& buffer_ = file_.buffer();
  bool has_object_ = false;
  bool has_member_ = false;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
