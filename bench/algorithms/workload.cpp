// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs and expected results of the algorithms.
#include "bench/algorithms/workload.hpp"

#include <algorithm>
#include <numeric>

namespace bench::algorithms {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// One instance per lambda that creates elements.
template <class T, class Make>
const std::vector<T>& made_once(std::size_t n, Make make) {
  static const std::vector<T> values = [&] {
    std::vector<T> filled(n);
    for (std::size_t i = 0; i < n; ++i) filled[i] = make(i);
    return filled;
  }();
  return values;
}

const std::vector<std::uint32_t>& numbers() {
  return made_once<std::uint32_t>(kMillion, [](std::size_t i) { return number_at(i); });
}

template <class T>
void expect_same(const std::vector<T>& expected, const std::vector<T>& found, std::size_t size) {
  if (!std::equal(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(size),
                  found.begin())) {
    throw WrongResult("another order, or other values, than the serial algorithm gives");
  }
}

}  // namespace

std::uint32_t number_at(std::size_t i) { return static_cast<std::uint32_t>(mix(i / 2)); }

void SortInt::reset() {
  values = made_once<std::uint32_t>(
      kTenMillion, [](std::size_t i) { return static_cast<std::uint32_t>(mix(i)); });
}
void SortInt::check() const {
  static const auto sum = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  expect_equal(true, std::is_sorted(values.begin(), values.end()));
  expect_equal(sum, std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
}

void SortString::reset() {
  values = made_once<std::string>(kMillion, [](std::size_t i) {
    std::string text(8 + mix(i) % 17, ' ');
    for (std::size_t k = 0; k < text.size(); ++k)
      text[k] = static_cast<char>('a' + mix(i * 32 + k) % 26);
    return text;
  });
}
void SortString::check() const {
  expect_equal(kMillion, values.size());
  expect_equal(true, std::is_sorted(values.begin(), values.end()));
}

void StableSort::reset() {
  values = made_once<Item>(2 * kMillion, [](std::size_t i) {
    return Item(static_cast<std::uint32_t>(mix(i) % 100'000), static_cast<std::uint32_t>(i));
  });
}
void StableSort::check() const { expect_equal(true, std::is_sorted(values.begin(), values.end())); }

template <std::size_t kSize>
void SumOf<kSize>::reset() {
  if (in.empty())
    in = made_once<double>(kSize, [](std::size_t i) { return static_cast<double>(i % 8); });
  sum = 0;
}
template <std::size_t kSize>
void SumOf<kSize>::check() const {
  expect_equal(static_cast<double>(kSize / 8 * 28), sum);
}
template struct SumOf<kTenMillion>;
template struct SumOf<kMillion>;

template <std::size_t kSize>
void Map<kSize>::reset() {
  if (in.empty()) in = made_once<std::uint32_t>(kSize, [](std::size_t i) { return number_at(i); });
  out.assign(kSize, 0);
}
template struct Map<kTenMillion>;
template struct Map<kMillion>;

void Scan::check() const {
  static const auto expected = [this] {
    std::vector<std::uint32_t> sums(in.size());
    std::inclusive_scan(in.begin(), in.end(), sums.begin());
    return sums;
  }();
  expect_same(expected, out, out.size());
}
void ExclusiveScan::check() const {
  static const auto expected = [this] {
    std::vector<std::uint32_t> sums(in.size());
    std::exclusive_scan(in.begin(), in.end(), sums.begin(), 0u);
    return sums;
  }();
  expect_same(expected, out, out.size());
}
void CopyIf::check() const {
  static const auto expected = [this] {
    std::vector<std::uint32_t> chosen;
    std::copy_if(in.begin(), in.end(), std::back_inserter(chosen), is_chosen);
    return chosen;
  }();
  expect_equal(expected.size(), copied);
  expect_same(expected, out, copied);
}
void Merge::reset() {
  Map::reset();
  if (std::is_sorted(in.begin(), in.begin() + kMillion / 2)) return;
  std::sort(in.begin(), in.begin() + kMillion / 2);
  std::sort(in.begin() + kMillion / 2, in.end());
}
void Merge::check() const {
  static const auto expected = [this] {
    auto sorted = in;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }();
  expect_same(expected, out, out.size());
}
void Transform::reset() {
  in = numbers();
  out.assign(kMillion, 0);
}
void Transform::check() const {
  for (std::size_t i = 0; i < kMillion; ++i) expect_equal(half_of(in[i]), out[i]);
}

void InPlace::reset() {
  values = numbers();
  result = 0;
}
void Unique::check() const {
  static const auto expected = [] {
    auto kept = numbers();
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
  }();
  expect_equal(expected.size(), result);
  expect_same(expected, values, result);
}
void RemoveIf::check() const {
  static const auto expected = [] {
    auto kept = numbers();
    kept.erase(std::remove_if(kept.begin(), kept.end(), is_chosen), kept.end());
    return kept;
  }();
  expect_equal(expected.size(), result);
  expect_same(expected, values, result);
}
void Partition::check() const {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(result);
  static const std::ptrdiff_t expected =
      std::count_if(numbers().begin(), numbers().end(), is_chosen);
  expect_equal(expected, static_cast<std::ptrdiff_t>(result));
  expect_equal(true, std::all_of(values.begin(), middle, is_chosen));
  expect_equal(true, std::none_of(middle, values.end(), is_chosen));
}
void NthElement::check() const {
  static const std::uint32_t expected = [] {
    auto copy = numbers();
    std::nth_element(copy.begin(), copy.begin() + kNth, copy.end());
    return copy[kNth];
  }();
  expect_equal(expected, values[kNth]);
  expect_equal(true, *std::max_element(values.begin(), values.begin() + kNth) <= expected);
}
void ForEachN::check() const {
  for (std::size_t i = 0; i < kMillion; ++i) expect_equal(number_at(i) + 1, values[i]);
}
void FindIf::reset() {
  InPlace::reset();
  values[kMillion / 10 * 9] = kSought;
}
void FindIf::check() const { expect_equal(kMillion / 10 * 9, result); }
void MinMax::check() const {
  static const auto expected = [] {
    const auto [low, high] = std::minmax_element(numbers().begin(), numbers().end());
    return static_cast<std::size_t>((low - numbers().begin()) + (high - numbers().begin()));
  }();
  expect_equal(expected, result);
}

}  // namespace bench::algorithms
