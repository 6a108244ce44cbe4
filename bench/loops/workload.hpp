// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The five loops with real work, as classes of one shape: reset(), run(begin, end) on any division
// of [0, kIterations), and check(passes). All sides call the same run(), so they differ only in the
// division. Unit: ns per pass.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::loops {

// y += a x over 10^7 floats: bound by memory, hardly any work per iteration.
class Light {
 public:
  static constexpr std::int64_t kIterations = 10'000'000;
  static constexpr int kPasses = 16;

  void reset();
  void run(std::int64_t begin, std::int64_t end);
  void check(int passes) const;

 private:
  std::vector<float> x_;
  std::vector<float> y_;
};

// 10^4 equal iterations of about 1 us.
class OneMicrosecond {
 public:
  static constexpr std::int64_t kIterations = 10'000;
  static constexpr int kPasses = 3;

  void reset();
  void run(std::int64_t begin, std::int64_t end);
  void check(int passes) const;

 private:
  std::vector<std::uint32_t> out_;
};

// Iteration i costs i steps: with equal halves, one half has three times the work of the other.
class Triangular {
 public:
  static constexpr std::int64_t kIterations = 4'000;
  static constexpr int kPasses = 6;

  void reset();
  void run(std::int64_t begin, std::int64_t end);
  void check(int passes) const;

 private:
  std::vector<std::uint32_t> out_;
};

// The costs of iterations have a heavy tail: the most expensive ones, 1.5 ms each, take a tenth of
// the time.
class HeavyTailed {
 public:
  static constexpr std::int64_t kIterations = 10'000;
  static constexpr int kPasses = 2;

  void reset();
  void run(std::int64_t begin, std::int64_t end);
  void check(int passes) const;

 private:
  std::vector<std::uint32_t> out_;
};

// One row of the picture per iteration; rows through the set cost a hundred times as much as rows
// beside it.
class Mandelbrot {
 public:
  static constexpr std::int64_t kIterations = 400;
  static constexpr int kPasses = 1;

  void reset();
  void run(std::int64_t begin, std::int64_t end);
  void check(int passes) const;

 private:
  std::vector<std::uint16_t> picture_;
};

// The only instance: all sides work on the same memory.
template <class Loop>
Loop& shared() {
  static Loop loop;
  return loop;
}

// Returns the time of a pass. `for_all` divides [0, kIterations) and calls run() on the parts.
template <class Loop, class ForAll>
double pass_ns(ForAll&& for_all) {
  Loop& loop = shared<Loop>();
  loop.reset();
  for_all(loop);
  const Stopwatch stopwatch;
  for (int pass = 0; pass < Loop::kPasses; ++pass) for_all(loop);
  const double ns = stopwatch.elapsed_ns();
  loop.check(1 + Loop::kPasses);
  return ns / Loop::kPasses;
}

template <class Loop>
Figures serial(const Conditions&);
template <class Loop>
Figures on_jobs(const Conditions&);
template <class Loop>
Figures on_tbb(const Conditions&);

}  // namespace bench::loops
