// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A task graph: the dependencies of a frame, declared once and run for every frame. Then a pipeline
// that consumes the results of the frames in their order.
#include <cstddef>
#include <iostream>
#include <numeric>
#include <optional>
#include <vector>

#include "jobs/jobs.hpp"

int main() {
  std::vector<int> heights(10'000, 1'000'000);
  std::vector<long> log;

  jobs::TaskGraph frame;
  const auto fall =
      frame.node([&] { jobs::parallel_for(heights, [](int& height) { height -= 9; }); }, "fall");
  const auto sum =
      frame.node([&] { return std::accumulate(heights.begin(), heights.end(), 0L); }, "sum");
  frame.node([&](long total) { log.push_back(total); }, "keep", sum);
  fall.precede(sum);
  for (int i = 0; i < 60; ++i) frame.run();  // allocates nothing from the third time on

  std::size_t next = 0;
  std::vector<double> means;
  jobs::pipeline(
      8,
      [&]() -> std::optional<long> {
        return next < log.size() ? std::optional(log[next++]) : std::nullopt;
      },
      jobs::parallel([&](long total) {
        return static_cast<double>(total) / static_cast<double>(heights.size());
      }),
      jobs::in_order([&](double mean) { means.push_back(mean); }));

  std::cout << "after " << means.size() << " frames the mean height is " << means.back() << '\n';
  return means.size() == 60 && means.front() == 999'991 && means.back() == 999'460 ? 0 : 1;
}
