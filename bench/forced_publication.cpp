// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_forced_publication [COUNT] [--gate]: forces publication of a private job COUNT times,
// 100,000 by default, checks each sample, and prints the delays of the jobs. With --gate it exits
// with 1 if one was a miss: a job took a millisecond, and more than the time that the machine had
// taken from the two threads.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/raid/workload.hpp"
#include "bench/support/statistics.hpp"

namespace {

constexpr double kMissNs = 1e6;

bool is_miss(const bench::raid::Sample& sample) {
  return sample.latency_ns - sample.away_ns > kMissNs;
}

void print(const char* what, const std::vector<double>& ns) {
  fmt::print("{:<22} {:>7} samples, us: p50 {:.1f}  p99 {:.1f}  p99.9 {:.1f}  max {:.1f}\n", what,
             ns.size(), bench::quantile(ns, 0.5) / 1e3, bench::quantile(ns, 0.99) / 1e3,
             bench::quantile(ns, 0.999) / 1e3, bench::quantile(ns, 1) / 1e3);
}

constexpr std::size_t kMaxSamples = 10'000'000;

// Returns 0 if the text is no number, or is too large for a run.
std::size_t to_count(std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count <= kMaxSamples ? count
                                                                                          : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 100'000;
  bool gate = false;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string_view("--gate")) {
      gate = true;
    } else if ((count = to_count(argv[i])) == 0) {
      fmt::print(stderr, "usage: bench_forced_publication [COUNT up to {}] [--gate]\n",
                 kMaxSamples);
      return 2;
    }
  }
  try {
    const bench::raid::Samples samples = bench::raid::samples_of_jobs(count);
    std::vector<double> all;
    for (const bench::raid::Sample& sample : samples.all) all.push_back(sample.latency_ns);
    print("all", all);
    print("both threads running", bench::raid::undisturbed(samples.all));
    const auto misses = std::count_if(samples.all.begin(), samples.all.end(), is_miss);
    const auto late = std::count_if(all.begin(), all.end(), [](double ns) { return ns > kMissNs; });
    fmt::print(
        "{} raids; {} jobs later than 1 ms, {} of them not by the machine; the thief slept {} "
        "times\n",
        samples.forced_publications, late, misses, samples.parks);
    for (const bench::raid::Sample& sample : samples.all) {
      if (is_miss(sample)) {
        fmt::print("miss: {:.1f} us, of which the machine took {:.1f}\n", sample.latency_ns / 1e3,
                   sample.away_ns / 1e3);
      }
    }
    return gate && misses != 0 ? 1 : 0;
  } catch (const bench::WrongResult& wrong) {
    fmt::print(stderr, "bench_forced_publication: a job did not run once: {}\n", wrong.what());
    return 1;
  }
}
