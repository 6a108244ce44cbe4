// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Forms of bodies and arguments that oneTBB's algorithms take: jobs/interop/tbb.hpp.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/interop/tbb.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class TbbBodies : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TbbBodies);

TEST_P(TbbBodies, ContextOfParallelInvokeComesLast) {
  run([] {
    tbb::task_group_context context;
    int first = 0;
    std::atomic<int> second{0};
    tbb::parallel_invoke([first = 0, &second]() mutable { second += ++first; }, [&] { ++first; },
                         context);
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
    const auto increment = [&] { ++second; };
    context.cancel_group_execution();
    tbb::parallel_invoke(increment, increment, increment, context);
    EXPECT_EQ(second, 1);
  });
}

int twice(int i) { return 2 * i; }

TEST_P(TbbBodies, FiltersDeduceTheirTypes) {
  run([] {
    using tbb::filter_mode;
    int next = 0;
    std::vector<std::string> out;
    const auto source =
        tbb::make_filter(filter_mode::serial_in_order, [&](tbb::flow_control& control) noexcept {
          if (next == 5) control.stop();
          return next++;
        });
    static_assert(std::is_same_v<decltype(source), const tbb::filter<void, int>>);
    const tbb::filter doubled(filter_mode::parallel, &twice);
    const tbb::filter text(filter_mode::parallel, [](const int& i) { return std::to_string(i); });
    static_assert(std::is_same_v<decltype(text), const tbb::filter<int, std::string>>);
    const auto sink = tbb::make_filter(filter_mode::serial_in_order,
                                       [&](std::string&& s) { out.push_back(std::move(s)); });
    tbb::parallel_pipeline(4, source, doubled, text, sink);
    EXPECT_EQ(out, (std::vector<std::string>{"0", "2", "4", "6", "8"}));
  });
}

TEST_P(TbbBodies, TakeItemsThatAreReadOnceByRvalue) {
  run([] {
    using Word = std::istream_iterator<std::string>;
    std::istringstream text("a bb ccc");
    std::atomic<std::size_t> sum{0};
    tbb::parallel_for_each(Word(text), Word(), [&](std::string&& word) {
      const std::string mine = std::move(word);
      sum += mine.size();
    });
    EXPECT_EQ(sum, 6u);
    std::istringstream again("aaa");
    tbb::parallel_for_each(Word(again), Word(),
                           [&](std::string&& word, tbb::feeder<std::string>& more) {
                             const std::string mine = std::move(word);
                             ++sum;
                             if (!mine.empty()) more.add(mine.substr(1));
                           });
    EXPECT_EQ(sum, 6u + 4u);
  });
}

TEST_P(TbbBodies, SimplePartitionerDividesScansDownToTheGrain) {
  run([] {
    using Range = tbb::blocked_range<int>;
    const auto scan = [](auto&&... partitioner) {
      return tbb::parallel_scan(
          Range(0, 1000, 3), 0,
          [](const Range& part, int sum, bool) {
            EXPECT_LE(part.size(), sizeof...(partitioner) == 0 ? 1000u : 3u);
            return sum + static_cast<int>(part.size());
          },
          std::plus<>(), partitioner...);
    };
    EXPECT_EQ(scan(), 1000);
    EXPECT_EQ(scan(tbb::simple_partitioner()), 1000);
  });
}

TEST(TbbVersion, IsThatOfTheNames) {
  EXPECT_EQ(TBB_VERSION_MAJOR, 2021);
  EXPECT_EQ(TBB_INTERFACE_VERSION, 12080);
  EXPECT_EQ(TBB_INTERFACE_VERSION_MAJOR, 12);
  EXPECT_EQ(TBB_INTERFACE_VERSION_MINOR, 8);
}

}  // namespace
