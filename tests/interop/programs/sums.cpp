// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of floating-point numbers to the bit: parallel_deterministic_reduce by functions and by a
// body; prefix sums by both forms of parallel_scan; products of matrices by blocked_range2d, sums
// over a blocked_range3d.
#include <tbb/tbb.h>

#include <cstdio>
#include <vector>

namespace {

using Range = tbb::blocked_range<std::size_t>;

struct Sum {
  const std::vector<float>& x;
  float sum = 0;

  explicit Sum(const std::vector<float>& values) : x(values) {}
  Sum(Sum& other, tbb::split) : x(other.x) {}
  void operator()(const Range& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) sum += x[i];
  }
  void join(const Sum& right) { sum += right.sum; }
};

class Prefix {
 public:
  Prefix(const std::vector<int>& in, std::vector<long>& out) : in_(in), out_(out) {}
  Prefix(Prefix& other, tbb::split) : in_(other.in_), out_(other.out_) {}
  template <class Tag>
  void operator()(const Range& range, Tag) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      sum_ += in_[i];
      if (Tag::is_final_scan()) out_[i] = sum_;
    }
  }
  void reverse_join(Prefix& left) { sum_ += left.sum_; }
  void assign(Prefix& other) { sum_ = other.sum_; }
  long sum() const { return sum_; }

 private:
  const std::vector<int>& in_;
  std::vector<long>& out_;
  long sum_ = 0;
};

long hash(const std::vector<long>& values) {
  long result = 0;
  for (const long value : values) result = (result * 31 + value) % 1'000'000'007;
  return result;
}

}  // namespace

int main() {
  std::vector<float> x(100'000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (i % 5 == 0 ? 1000.0f : 1.0f) / static_cast<float>(i * 7919 % 10'007 + 1);
  for (const std::size_t grain : {std::size_t{1}, std::size_t{100}, std::size_t{1000}}) {
    const float functional = tbb::parallel_deterministic_reduce(
        Range(0, x.size(), grain), 0.0f,
        [&](const Range& range, float sum) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) sum += x[i];
          return sum;
        },
        [](float a, float b) { return a + b; });
    Sum body(x);
    tbb::parallel_deterministic_reduce(Range(0, x.size(), grain), body);
    std::printf("%zu: %a %a\n", grain, functional, body.sum);
  }

  std::vector<int> numbers(50'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 31 % 101) - 40;
  std::vector<long> sums(numbers.size());
  const long all = tbb::parallel_scan(
      Range(0, numbers.size()), 0L,
      [&](const Range& range, long sum, bool is_final) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          sum += numbers[i];
          if (is_final) sums[i] = sum;
        }
        return sum;
      },
      [](long left, long right) { return left + right; });
  std::printf("scan: %ld, %ld\n", all, hash(sums));
  std::vector<long> again(numbers.size());
  Prefix prefix(numbers, again);
  tbb::parallel_scan(Range(0, numbers.size(), 64), prefix, tbb::auto_partitioner());
  std::printf("scan: %ld, %ld\n", prefix.sum(), hash(again));

  constexpr int kSize = 64;
  std::vector<long> product(kSize * kSize);
  tbb::parallel_for(tbb::blocked_range2d<int>(0, kSize, 16, 0, kSize, 32),
                    [&](const tbb::blocked_range2d<int>& part) {
                      for (int i = part.rows().begin(); i != part.rows().end(); ++i) {
                        for (int j = part.cols().begin(); j != part.cols().end(); ++j) {
                          long sum = 0;
                          for (int k = 0; k < kSize; ++k) sum += (i * k % 17) * (k * j % 13);
                          product[static_cast<std::size_t>(i * kSize + j)] = sum;
                        }
                      }
                    });
  std::printf("product: %ld\n", hash(product));
  const long volume = tbb::parallel_reduce(
      tbb::blocked_range3d<int, int, int>(0, 20, 0, 30, 0, 40), 0L,
      [](const tbb::blocked_range3d<int>& part, long sum) {
        for (int p = part.pages().begin(); p < part.pages().end(); ++p) {
          for (int r = part.rows().begin(); r < part.rows().end(); ++r) {
            for (int c = part.cols().begin(); c < part.cols().end(); ++c) sum += p * r + c;
          }
        }
        return sum;
      },
      [](long a, long b) { return a + b; });
  std::printf("volume: %ld\n", volume);
}
