// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PackedNumbers: a list of numbers as a base64 text. A number takes a byte for each 7 bits, lowest
// bits first; the highest bit of a byte says that the number continues (LEB128).
#pragma once

#include <cstdint>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class PackedNumbers {
 public:
  void add(std::uint64_t number);
  // Appends the text to `out`.
  void append_to(std::string& out) const;

 private:
  std::string bytes_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
