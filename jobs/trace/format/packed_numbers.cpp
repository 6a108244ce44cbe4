// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PackedNumbers: LEB128 and base64.
#include "jobs/trace/format/packed_numbers.hpp"

#include <cstddef>
#include <string_view>

namespace jobs::inline JOBS_ABI::trace::detail {

void PackedNumbers::add(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>((number & 0x7f) | 0x80);
  bytes_ += static_cast<char>(number);
}

void PackedNumbers::append_to(std::string& out) const {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [this](std::size_t i) -> std::uint32_t {
    return i < bytes_.size() ? static_cast<unsigned char>(bytes_[i]) : 0;
  };
  out.reserve(out.size() + (bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kDigits[bits >> 18];
    out += kDigits[bits >> 12 & 63];
    out += i + 1 < bytes_.size() ? kDigits[bits >> 6 & 63] : '=';
    out += i + 2 < bytes_.size() ? kDigits[bits & 63] : '=';
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
