// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Input: the bytes of a fuzzer, read as decisions. At the end of the bytes every decision is 0, so
// that each input describes a program that ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

namespace jobs::test {

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool is_used_up() const { return bytes_.empty(); }

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  // 0 to n - 1. pre: n <= 256.
  std::size_t below(std::size_t n) { return byte() % n; }

  // Some bytes, at most `most`; their length precedes them.
  std::string text(std::size_t most) {
    const std::size_t length = std::min({std::size_t{byte()}, most, bytes_.size()});
    const std::string text(reinterpret_cast<const char*>(bytes_.data()), length);
    bytes_ = bytes_.subspan(length);
    return text;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Reports a finding: ends the program, as a fuzzer expects it.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: FINDING: %s\n", what);
  std::abort();
}

}  // namespace jobs::test

// The fuzzer calls this function repeatedly; each program of this folder defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
