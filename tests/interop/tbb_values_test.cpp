// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies, iterators and ranges of enumerable_thread_specific, flattened2d and combinable:
// jobs/interop/tbb.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/interop/tbb.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class TbbValues : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TbbValues);

using Values = tbb::enumerable_thread_specific<int>;

// Makes three values: that of the caller and two of other threads, which live at the same time.
void fill(Values& values) {
  values.local() = 1;
  std::thread([&] {
    values.local() = 10;
    std::thread([&] { values.local() = 100; }).join();
  }).join();
}

TEST_P(TbbValues, MakersMayWait) {
  uses_default_scheduler();
  run([] {
    std::atomic<int> made{0};
    Values values([&] {
      // The other job of this worker makes the value meanwhile.
      if (made++ == 0)
        for (int turn = 0; turn < 100 && made == 1; ++turn) jobs::yield();
      return 0;
    });
    tbb::task_group group;
    for (int i = 0; i < 2; ++i) group.run([&] { ++values.local(); });
    group.wait();
    EXPECT_EQ(values.combine(std::plus<>()), 2);
  });
}

// Can neither be copied nor moved.
struct Fixed {
  explicit Fixed(int first = 0, int second = 0) : value(first + second) {}
  Fixed(const Fixed&) = delete;
  Fixed& operator=(const Fixed&) = delete;

  int value;
};

TEST_P(TbbValues, NeedNotBeCopiedOrMoved) {
  run([] {
    tbb::enumerable_thread_specific<std::atomic<int>> zero;
    EXPECT_EQ(++zero.local(), 1);
    tbb::enumerable_thread_specific<std::atomic<int>> counts(5);
    EXPECT_EQ(++counts.local(), 6);
    tbb::parallel_for(counts.range(), [](const auto& part) {
      for (std::atomic<int>& count : part) ++count;
    });
    int sum = 0;
    counts.combine_each([&](const std::atomic<int>& count) { sum += count; });
    for (const std::atomic<int>& count : std::as_const(counts)) sum += count;
    EXPECT_EQ(sum, 14);

    tbb::enumerable_thread_specific<std::mutex> mutexes;
    const std::lock_guard guard(mutexes.local());
    tbb::enumerable_thread_specific<Fixed> sums(2, 3);
    EXPECT_EQ(sums.local().value, 5);
    EXPECT_EQ(std::as_const(sums).begin()->value, 5);
    tbb::enumerable_thread_specific<Fixed> made([] { return Fixed(7); });
    const int* const address = &made.local().value;
    auto moved = std::move(made);
    EXPECT_EQ(&moved.local().value, address);
    EXPECT_EQ(moved.local().value, 7);

    tbb::combinable<std::atomic<int>> combined;
    EXPECT_EQ(++combined.local(), 1);
    tbb::combinable<Fixed> combined_made([] { return Fixed(7); });
    combined_made.combine_each([](Fixed&) { FAIL(); });
    EXPECT_EQ(combined_made.local().value, 7);
    EXPECT_EQ(tbb::combinable<std::mutex>().local().try_lock(), true);
  });
}

// As in oneTBB, an argument of another type becomes the value by its constructor, not by a copy.
TEST_P(TbbValues, StartByAConversionOfTheirArgument) {
  run([] {
    tbb::enumerable_thread_specific<double> half(0.5f);
    EXPECT_EQ(half.local(), 0.5);
    tbb::enumerable_thread_specific<long> made([] { return 3; });
    EXPECT_EQ(made.local(), 3);
    struct Callable {
      int value = 0;
      Callable operator()() const { return {}; }
    };
    const Callable exemplar{4};
    tbb::enumerable_thread_specific<Callable> copied(exemplar);
    EXPECT_EQ(copied.local().value, 4);
    const int numbers[] = {1, 2, 3};
    tbb::enumerable_thread_specific<const int*> first(numbers);
    EXPECT_EQ(*first.local(), 1);
  });
}

TEST_P(TbbValues, CopiesKeepTheValuesOfThreads) {
  uses_default_scheduler();
  run([] {
    Values values(7);
    values.local() = 1;
    bool exists = false;
    Values copy(values);
    EXPECT_EQ(copy.local(exists), 1);
    EXPECT_TRUE(exists);
    ++copy.local();
    EXPECT_EQ(values.local(), 1);
    std::thread([&] { EXPECT_EQ(copy.local(), 7); }).join();  // makes values as the original
    EXPECT_EQ(copy.size(), 2u);

    Values assigned(0);
    assigned.local() = 5;
    assigned = copy;
    EXPECT_EQ(assigned.size(), 2u);
    EXPECT_EQ(assigned.local(), 2);

    int* const address = &assigned.local();
    Values moved(std::move(assigned));
    EXPECT_EQ(&moved.local(), address);
    values = std::move(moved);
    EXPECT_EQ(&values.local(), address);
    EXPECT_EQ(values.size(), 2u);

    using Others =
        tbb::enumerable_thread_specific<int, std::allocator<int>, tbb::ets_key_per_instance>;
    Others others(values);
    EXPECT_EQ(others.local(), 2);
    others.local() = 3;
    values = others;
    EXPECT_EQ(values.local(), 3);
    EXPECT_EQ(values.size(), 2u);
  });
}

TEST_P(TbbValues, IteratorsAreRandom) {
  uses_default_scheduler();
  run([] {
    Values values;
    fill(values);
    static_assert(std::random_access_iterator<Values::iterator>);
    static_assert(std::random_access_iterator<Values::const_iterator>);
    ASSERT_EQ(values.size(), 3u);
    const auto size = static_cast<std::ptrdiff_t>(values.size());
    EXPECT_EQ(values.end() - values.begin(), size);
    EXPECT_EQ(*(values.begin() + size - 1), *std::prev(values.end()));
    EXPECT_EQ(values.begin()[1], *(1 + values.begin()));
    EXPECT_LT(values.begin(), values.end());
    const Values::const_iterator first = values.begin();
    EXPECT_EQ(&*first, &*values.begin());
    std::sort(values.begin(), values.end(), std::greater<>());
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), std::greater<>()));

    std::atomic<int> sum{0};
    const auto add = [&](const auto& part) {
      for (int value : part) sum += value;
    };
    tbb::parallel_for(values.range(), add);
    const int all = values.combine(std::plus<>());
    EXPECT_EQ(sum, all);
    tbb::parallel_for(std::as_const(values).range(2), add);
    EXPECT_EQ(sum, 2 * all);
  });
}

TEST_P(TbbValues, RangesHaveTheTypesOfOneTbb) {
  run([] {
    using Numbers = tbb::enumerable_thread_specific<int>;
    Numbers values;
    values.local() = 3;
    const Numbers::const_range_type range = values.range();
    int sum = 0;
    for (Numbers::const_range_type::iterator at = range.begin(); at != range.end(); ++at)
      sum += *at;
    EXPECT_EQ(sum, 3);
    static_assert(std::is_same_v<Numbers::range_type::value_type, int>);
  });
}

TEST_P(TbbValues, FlattenWalksInnerContainers) {
  uses_default_scheduler();
  run([] {
    tbb::enumerable_thread_specific<std::vector<int>> lists;
    tbb::parallel_for(0, 1000, [&](int i) { lists.local().push_back(i); });
    const auto flat = tbb::flatten2d(lists);
    EXPECT_EQ(flat.size(), 1000u);
    std::vector<int> all(flat.begin(), flat.end());
    std::sort(all.begin(), all.end());
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);

    const std::list<std::vector<int>> gaps{{}, {1}, {}, {2, 3}, {}};
    const tbb::flattened2d some(gaps);
    EXPECT_EQ(std::vector<int>(some.begin(), some.end()), (std::vector<int>{1, 2, 3}));
    const auto head = tbb::flatten2d(gaps, gaps.begin(), std::next(gaps.begin(), 3));
    EXPECT_EQ(head.size(), 1u);
    EXPECT_EQ(*head.begin(), 1);
    const std::list<std::vector<int>> none{{}, {}};
    EXPECT_TRUE(tbb::flatten2d(none).begin() == tbb::flatten2d(none).end());
  });
}

TEST_P(TbbValues, CombinableIsCopied) {
  uses_default_scheduler();
  run([] {
    tbb::combinable<int> sums([] { return 3; });
    ++sums.local();
    tbb::combinable<int> copy(sums);
    ++copy.local();
    EXPECT_EQ(sums.combine(std::plus<>()), 4);
    EXPECT_EQ(copy.combine(std::plus<>()), 5);
    sums = copy;
    EXPECT_EQ(sums.local(), 5);
    const tbb::combinable<int> moved(std::move(copy));
    sums = moved;
    EXPECT_EQ(sums.local(), 5);
  });
}

}  // namespace
