// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts primes: parallel_reduce by functions and by a body, each with every partitioner, over
// blocked_range with a grain.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstdio>
#include <vector>

namespace {

bool is_prime(int n) {
  if (n < 2) return false;
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return true;
}

struct Primes {
  int count = 0;
  int greatest = 0;
  std::vector<int> in_order;

  Primes() = default;
  Primes(Primes&, tbb::split) {}
  void operator()(const tbb::blocked_range<int>& range) {
    for (int n = range.begin(); n != range.end(); ++n) {
      if (!is_prime(n)) continue;
      ++count;
      greatest = n;
      in_order.push_back(n);
    }
  }
  void join(Primes& right) {
    count += right.count;
    if (right.greatest != 0) greatest = right.greatest;
    in_order.insert(in_order.end(), right.in_order.begin(), right.in_order.end());
  }
};

template <class... Partitioner>
void count(const char* name, Partitioner&&... partitioner) {
  constexpr int kEnd = 60'000;
  const int functional = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, kEnd, 100), 0,
      [](const tbb::blocked_range<int>& range, int sum) {
        for (int n = range.begin(); n < range.end(); ++n) sum += is_prime(n);
        return sum;
      },
      [](int a, int b) { return a + b; }, partitioner...);
  Primes primes;
  tbb::parallel_reduce(tbb::blocked_range<int>(0, kEnd, 100), primes, partitioner...);
  bool is_sorted = true;
  for (std::size_t i = 1; i < primes.in_order.size(); ++i)
    is_sorted &= primes.in_order[i - 1] < primes.in_order[i];
  std::printf("%s: %d, %d up to %d, %s\n", name, functional, primes.count, primes.greatest,
              is_sorted ? "joined in order" : "MIXED UP");
}

}  // namespace

int main() {
  tbb::affinity_partitioner affinity;
  count("default");
  count("simple", tbb::simple_partitioner());
  count("auto", tbb::auto_partitioner());
  count("static", tbb::static_partitioner());
  count("affinity", affinity);
}
