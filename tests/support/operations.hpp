// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the operations of a program's storms. Each storm adds its number; the program prints the
// sum when it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>

namespace jobs::test {

inline void add_operations(std::uint64_t count) {
  static struct Sum {
    std::atomic<std::uint64_t> value{0};
    ~Sum() { std::printf("%llu operations in all\n", static_cast<unsigned long long>(value)); }
  } sum;
  sum.value += count;
}

}  // namespace jobs::test
