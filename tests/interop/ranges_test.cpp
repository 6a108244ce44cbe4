// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The ranges of this library and oneTBB's, side by side in one source: a program can use both
// libraries, and both split ranges alike.
#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>

#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>

#include "jobs/interop/tbb/range.hpp"

namespace {

template <class Range>
void print(std::ostream& out, const Range& range) {
  if constexpr (requires { range.cols(); }) {
    print(out, range.rows());
    print(out, range.cols());
    if constexpr (requires { range.pages(); }) print(out, range.pages());
  } else {
    out << range.begin() << '-' << range.end() << '/' << range.grainsize() << ' ';
  }
}

template <class Range, class Split>
void cut(std::ostream& out, Range& range, Split how) {
  if (range.empty()) return;
  if (!range.is_divisible()) {
    print(out, range);
    return;
  }
  Range right(range, how);
  cut(out, range, how);
  cut(out, right, how);
}

// All parts, by halves or by proportions.
template <class Range, class Split>
std::string cuts(Range range, Split how) {
  std::ostringstream out;
  cut(out, range, how);
  return out.str();
}

TEST(TbbRanges, CutAsThoseOfOneTbb) {
  for (const int size : {-1, 0, 1, 2, 7, 100, 1001}) {
    for (const std::size_t grain : {std::size_t{1}, std::size_t{3}, std::size_t{50}}) {
      EXPECT_EQ(cuts(jobs::tbb::blocked_range<int>(-5, size - 5, grain), jobs::tbb::split()),
                cuts(tbb::blocked_range<int>(-5, size - 5, grain), tbb::split()));
      EXPECT_EQ(cuts(jobs::tbb::blocked_range<int>(0, size, grain + 3),
                     jobs::tbb::proportional_split(2, 1)),
                cuts(tbb::blocked_range<int>(0, size, grain + 3), tbb::proportional_split(2, 1)));
      EXPECT_EQ(cuts(jobs::tbb::blocked_range2d<int>(0, size, grain, 0, 40, 4), jobs::tbb::split()),
                cuts(tbb::blocked_range2d<int>(0, size, grain, 0, 40, 4), tbb::split()));
      EXPECT_EQ(cuts(jobs::tbb::blocked_range3d<int>(0, 9, 2, 0, size, grain, 0, 40, 4),
                     jobs::tbb::split()),
                cuts(tbb::blocked_range3d<int>(0, 9, 2, 0, size, grain, 0, 40, 4), tbb::split()));
    }
  }
}

}  // namespace
