// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs for the tests of algorithms. They comprise random values of several types in patterns that
// are hard for sorts, and sizes around every threshold. Further: functions that throw at the n-th
// call, and a hash to compare bits.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/scheduler.hpp"
#include "tests/support/seed.hpp"

namespace jobs::test {

// The last size is beyond the size from which several workers divide a range.
inline constexpr std::array<std::size_t, 14> kSizes{0,  1,  2,   3,    7,    16,     31,
                                                    33, 64, 257, 1023, 4099, 20'001, 150'001};

enum class Pattern { kRandom, kFewValues, kSorted, kReversed, kOrgan, kMostlySorted };
inline constexpr std::array kPatterns{Pattern::kRandom, Pattern::kFewValues,
                                      Pattern::kSorted, Pattern::kReversed,
                                      Pattern::kOrgan,  Pattern::kMostlySorted};

// A key with a tag, which shows the order of equal keys.
struct Item {
  std::int32_t key;
  std::uint32_t tag;
  friend bool operator==(const Item&, const Item&) = default;
};

// The order of a stable sort of items with ascending tags. (The sort of libstdc++ 12 does not
// compile without warnings on clang.)
inline bool is_before_by_key_and_tag(const Item& a, const Item& b) {
  return a.key != b.key ? a.key < b.key : a.tag < b.tag;
}

template <class T>
T make_value(std::uint32_t number, std::uint32_t index) {
  if constexpr (std::is_same_v<T, std::string>) {
    return "prefix" + std::to_string(number);
  } else if constexpr (std::is_same_v<T, std::unique_ptr<int>>) {
    return std::make_unique<int>(static_cast<int>(number));
  } else if constexpr (std::is_same_v<T, Item>) {
    return Item{static_cast<std::int32_t>(number), index};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<std::int32_t>(number)) / 8;
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
std::vector<T> make_input(Pattern pattern, std::size_t n, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::vector<T> values;
  values.reserve(n);
  const auto count = static_cast<std::uint32_t>(n);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = [&]() -> std::uint32_t {
      switch (pattern) {
        case Pattern::kRandom:
          return static_cast<std::uint32_t>(random());
        case Pattern::kFewValues:
          return static_cast<std::uint32_t>(random()) % 5;
        case Pattern::kSorted:
          return i;
        case Pattern::kReversed:
          return count - i;
        case Pattern::kOrgan:
          return std::min(i, count - i);
        case Pattern::kMostlySorted:
          return random() % 50 == 0 ? static_cast<std::uint32_t>(random()) : i;
      }
      return 0;
    }();
    values.push_back(make_value<T>(number, i));
  }
  return values;
}

// Throws at its n-th call, in any thread.
class ThrowAt {
 public:
  explicit ThrowAt(std::size_t call) : left_(static_cast<std::int64_t>(call)) {}
  void operator()() {
    if (left_.fetch_sub(1) == 0) throw std::runtime_error("the call that throws");
  }
  bool has_thrown() const { return left_ < 0; }

 private:
  std::atomic<std::int64_t> left_;
};

// FNV-1a.
inline std::uint64_t hash_bytes(const void* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto* byte = static_cast<const unsigned char*>(data); size > 0; --size, ++byte) {
    hash = (hash ^ *byte) * 0x100000001b3u;
  }
  return hash;
}
template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
  return hash_bytes(values.data(), values.size() * sizeof(T));
}

// Runs f() on one worker, where no code runs at the same time.
template <class F>
auto on_one_worker(F&& f) {
  Scheduler scheduler({.worker_count = 1});
  return scheduler.run(f);
}

}  // namespace jobs::test
