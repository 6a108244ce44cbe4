// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Corner cases of the algorithms of jobs/interop/tbb.hpp: empty ranges, bad parts, exceptions,
// cancels, orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "jobs/interop/tbb.hpp"
#include "jobs/scheduler.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using Range = tbb::blocked_range<int>;

class Tbb : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Tbb);

// Records the calls and their parts.
class Parts {
 public:
  void add(const Range& range) {
    const std::lock_guard guard(mutex_);
    parts_.emplace_back(range.begin(), range.end());
  }
  // Sizes of the parts, which together must cover [0, end).
  std::vector<int> sizes(int end) {
    std::sort(parts_.begin(), parts_.end());
    std::vector<int> sizes;
    int next = 0;
    for (const auto& [first, last] : parts_) {
      EXPECT_EQ(first, next);
      sizes.push_back(last - first);
      next = last;
    }
    EXPECT_EQ(next, end);
    return sizes;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, int>> parts_;
};

template <class... Partitioner>
std::vector<int> parts_of(int end, std::size_t grain, Partitioner&&... partitioner) {
  Parts parts;
  tbb::parallel_for(
      Range(0, end, grain), [&](const Range& range) { parts.add(range); }, partitioner...);
  return parts.sizes(end);
}

// Appends letters: a sum that does not commute.
struct Letters {
  std::string text;

  Letters() = default;
  Letters(Letters&, tbb::split) {}
  void operator()(const Range& range) {
    for (int i = range.begin(); i < range.end(); ++i) text += static_cast<char>('a' + i % 26);
  }
  void join(const Letters& right) { text += right.text; }
};

std::string letters(int end) {
  Letters all;
  all(Range(0, end));
  return all.text;
}

TEST_P(Tbb, CallsNothingForEmptyRanges) {
  run([] {
    const auto never = [](auto&&...) { ADD_FAILURE() << "called"; };
    tbb::parallel_for(Range(3, 3), never);
    tbb::parallel_for(Range(3, 0), never, tbb::simple_partitioner());
    tbb::parallel_for(tbb::blocked_range2d<int>(0, 5, 2, 2), never);
    tbb::parallel_for(tbb::blocked_range3d<int>(0, 5, 0, 5, 2, 2), never);
    tbb::parallel_for(7, 7, never);
    tbb::parallel_for(7, -7, 2, never);
    const std::vector<int> none;
    tbb::parallel_for_each(none.begin(), none.end(), never);
    std::vector<int> sorted;
    tbb::parallel_sort(sorted);
    EXPECT_EQ(tbb::parallel_reduce(
                  Range(0, 0), 42, [](const Range&, int sum) { return sum + 1; }, std::plus<>()),
              42);
    EXPECT_EQ(
        tbb::parallel_scan(
            Range(0, 0), 42, [](const Range&, int sum, bool) { return sum + 1; }, std::plus<>()),
        42);
    tbb::parallel_pipeline(2,
                           tbb::make_filter<void, int>(tbb::filter_mode::parallel,
                                                       [](tbb::flow_control& control) {
                                                         control.stop();
                                                         return 0;
                                                       }),
                           tbb::make_filter<int, void>(tbb::filter_mode::parallel, never));
  });
}

TEST_P(Tbb, CutsAsThePartitionerSays) {
  run([] {
    for (const int size : parts_of(1000, 7, tbb::simple_partitioner()))
      EXPECT_TRUE(4 <= size && size <= 7) << size;
    EXPECT_EQ(parts_of(1000, 1, tbb::auto_partitioner()).size(), 256u);
    EXPECT_EQ(parts_of(1000, 600).size(), 2u);
    EXPECT_LE(parts_of(1000, 1, tbb::static_partitioner()).size(), 2 * jobs::worker_count());
    tbb::affinity_partitioner affinity;
    for (int round = 0; round < 3; ++round) {
      for (const int size : parts_of(1003, 10, affinity)) EXPECT_GE(size, 10);
    }
    EXPECT_EQ(parts_of(3, 10, affinity), std::vector<int>{3});
  });
}

TEST_P(Tbb, RunsEachIndexOnce) {
  run([] {
    tbb::affinity_partitioner affinity;
    tbb::task_group_context context;
    const auto check = [&](int step, auto&&... options) {
      std::vector<std::atomic<int>> calls(1001);
      tbb::parallel_for(
          0, 1001, step, [&](int i) { ++calls[static_cast<std::size_t>(i)]; }, options...);
      for (int i = 0; i < 1001; ++i)
        EXPECT_EQ(calls[static_cast<std::size_t>(i)], i % step == 0 ? 1 : 0) << i;
    };
    for (const int step : {1, 3, 1000, 5000}) {
      check(step);
      check(step, tbb::simple_partitioner());
      check(step, affinity);
      check(step, affinity, context);
      check(step, context);
    }
    EXPECT_THROW(tbb::parallel_for(0, 1, 0, [](int) {}), std::invalid_argument);
    EXPECT_THROW(tbb::parallel_for(0, 1, -1, [](int) {}), std::invalid_argument);
  });
}

// A user-defined range: powers of two, split if there is more than one.
struct Powers {
  int first, last;
  Powers(int from, int to) : first(from), last(to) {}
  Powers(Powers& whole, tbb::split) : first((whole.first + whole.last) / 2), last(whole.last) {
    whole.last = first;
  }
  bool empty() const { return first == last; }
  bool is_divisible() const { return last - first > 1; }
};

TEST_P(Tbb, TakesRangesOfTheUser) {
  run([] {
    std::atomic<int> sum{0};
    tbb::parallel_for(Powers(0, 20), [&](const Powers& powers) { sum += 1 << powers.first; });
    EXPECT_EQ(sum, (1 << 20) - 1);
  });
}

TEST_P(Tbb, RethrowsAndDropsTheRest) {
  run([] {
    tbb::task_group_context context;
    std::atomic<int> calls{0};
    const auto fail = [&](auto&&) {
      ++calls;
      throw std::runtime_error("no");
    };
    EXPECT_THROW(tbb::parallel_for(Range(0, 10'000), fail, tbb::simple_partitioner(), context),
                 std::runtime_error);
    EXPECT_LT(calls, 10'000);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    context.reset();
    EXPECT_THROW(tbb::parallel_for(0, 10'000, fail, context), std::runtime_error);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    const auto reduce = [&] {
      return tbb::parallel_reduce(
          Range(0, 1000), 0, [](const Range& part, int) -> int { throw part.begin(); },
          std::plus<>());
    };
    EXPECT_THROW(reduce(), int);
  });
}

TEST_P(Tbb, RunsNothingInACancelledContext) {
  run([] {
    tbb::task_group_context context;
    EXPECT_TRUE(context.cancel_group_execution());
    EXPECT_FALSE(context.cancel_group_execution());
    std::atomic<int> calls{0};
    const auto count = [&](auto&&...) { ++calls; };
    const auto everything = [&] {
      const std::vector<int> items{1, 2, 3};
      tbb::parallel_for(Range(0, 10), count, context);
      tbb::parallel_for(0, 10, count, context);
      tbb::parallel_for_each(items, count, context);
      tbb::parallel_invoke(count, count, context);
      Letters body;
      tbb::parallel_reduce(Range(0, 10), body, context);
      calls += static_cast<int>(body.text.size());
    };
    everything();
    EXPECT_EQ(calls, 0);
    context.reset();
    everything();
    EXPECT_EQ(calls, 10 + 10 + 3 + 2 + 10);
  });
}

TEST_P(Tbb, JoinsFromLeftToRight) {
  run([] {
    const std::string expected = letters(2000);
    const auto reduce = [&](auto&&... partitioner) {
      Letters body;
      tbb::parallel_reduce(Range(0, 2000, 3), body, partitioner...);
      EXPECT_EQ(body.text, expected);
      Letters deterministic;
      tbb::parallel_deterministic_reduce(Range(0, 2000, 3), deterministic, partitioner...);
      EXPECT_EQ(deterministic.text, expected);
      EXPECT_EQ(
          tbb::parallel_reduce(
              Range(0, 2000, 3), std::string(),
              [](const Range& range, std::string text) {
                Letters part;
                part(range);
                return text + part.text;
              },
              [](const std::string& a, const std::string& b) { return a + b; }, partitioner...),
          expected);
    };
    reduce();
    reduce(tbb::simple_partitioner());
    reduce(tbb::static_partitioner());
  });
}

TEST(TbbReduce, GivesTheSameBitsAtAnyNumberOfWorkers) {
  const auto sum = [] {
    return tbb::parallel_reduce(
        Range(1, 100'000), 0.0f,
        [](const Range& range, float result) {
          for (int i = range.begin(); i < range.end(); ++i) result += 1.0f / static_cast<float>(i);
          return result;
        },
        std::plus<>());
  };
  const float alone = jobs::Scheduler({.worker_count = 1}).run(sum);
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(jobs::Scheduler({.worker_count = 4}).run(sum), alone);
}

// Counts objects, and throws in the `countdown`-th call, split or join.
struct Fragile {
  explicit Fragile(std::atomic<int>& n) : countdown(n) {}
  Fragile(Fragile& other, tbb::split) : countdown(other.countdown) { tick(); }
  void operator()(const Range&) { tick(); }
  void join(Fragile&) { tick(); }
  void tick() {
    if (--countdown == 0) throw std::runtime_error("broke");
  }
  std::atomic<int>& countdown;
};

TEST_P(Tbb, SurvivesBodiesThatThrowAnywhere) {
  run([] {
    for (int at = 1; at < 64; at += 3) {
      std::atomic<int> countdown = at;
      Fragile body(countdown);
      EXPECT_THROW(tbb::parallel_deterministic_reduce(Range(0, 64), body), std::runtime_error);
      EXPECT_LE(countdown, 0);
    }
  });
}

class LetterScan {
 public:
  explicit LetterScan(std::vector<std::string>& out) : out_(out) {}
  LetterScan(LetterScan& other, tbb::split) : out_(other.out_) {}
  template <class Tag>
  void operator()(const Range& range, Tag) {
    for (int i = range.begin(); i < range.end(); ++i) {
      text_ += static_cast<char>('a' + i % 26);
      if (Tag::is_final_scan()) out_[static_cast<std::size_t>(i)] = text_;
    }
  }
  void reverse_join(LetterScan& left) { text_ = left.text_ + text_; }
  void assign(LetterScan& other) { text_ = other.text_; }
  const std::string& text() const { return text_; }

 private:
  std::vector<std::string>& out_;
  std::string text_;
};

TEST_P(Tbb, ScansFromLeftToRight) {
  run([] {
    for (const int n : {1, 2, 3, 5, 300}) {
      const std::string expected = letters(n);
      const auto check = [&](const std::string& all, const std::vector<std::string>& prefixes) {
        EXPECT_EQ(all, expected);
        for (std::size_t i = 0; i < prefixes.size(); ++i)
          ASSERT_EQ(prefixes[i], expected.substr(0, i + 1));
      };
      std::vector<std::string> prefixes(static_cast<std::size_t>(n));
      LetterScan body(prefixes);
      tbb::parallel_scan(Range(0, n), body);
      check(body.text(), prefixes);

      std::fill(prefixes.begin(), prefixes.end(), "");
      const std::string all = tbb::parallel_scan(
          Range(0, n), std::string(),
          [&](const Range& range, std::string text, bool is_final) {
            for (int i = range.begin(); i < range.end(); ++i) {
              text += static_cast<char>('a' + i % 26);
              if (is_final) prefixes[static_cast<std::size_t>(i)] = text;
            }
            return text;
          },
          [](const std::string& a, const std::string& b) { return a + b; },
          tbb::simple_partitioner());
      check(all, prefixes);
    }
    const auto fail = [] {
      return tbb::parallel_scan(
          Range(0, 100), 0,
          [](const Range& range, int, bool) -> int {
            return range.end() > 50 ? throw std::runtime_error("no") : 0;
          },
          std::plus<>());
    };
    EXPECT_THROW(fail(), std::runtime_error);
  });
}

TEST_P(Tbb, Nests) {
  run([] {
    std::atomic<int> calls{0};
    tbb::parallel_for(0, 10, [&](int) {
      tbb::parallel_for(Range(0, 10), [&](const Range& range) {
        tbb::parallel_invoke([&] { calls += static_cast<int>(range.size()); }, [] {}, [] {});
      });
    });
    EXPECT_EQ(calls, 100);
    const auto fail = [] {
      tbb::parallel_invoke([] {}, [] { throw std::runtime_error("second"); }, [] {});
    };
    EXPECT_THROW(tbb::parallel_for(0, 10, [&](int) { fail(); }), std::runtime_error);
  });
}

TEST_P(Tbb, WalksEveryKindOfRange) {
  run([] {
    std::atomic<int> sum{0};
    const auto add = [&](int item) { sum += item; };
    std::list<int> list(100);
    std::iota(list.begin(), list.end(), 0);
    tbb::parallel_for_each(list, add);
    EXPECT_EQ(sum, 4950);
    tbb::parallel_for_each(list.begin(), list.end(), [](int& item) { item = 1; });
    tbb::parallel_for_each(list.begin(), list.end(), add);
    EXPECT_EQ(sum, 5050);
    std::istringstream text("1 2 3 4");
    tbb::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(), add);
    EXPECT_EQ(sum, 5060);
    tbb::parallel_for_each(std::vector<int>{6}, [&](int item, tbb::feeder<int>& more) {
      ++sum;
      for (int i = 0; i < 2 && item > 0; ++i) more.add(item - 1);
    });
    EXPECT_EQ(sum, 5060 + 127);
    const auto fail = [](int item, tbb::feeder<int>& more) {
      if (item == 0) throw std::runtime_error("leaf");
      more.add(item - 1);
      more.add(item - 1);
    };
    EXPECT_THROW(tbb::parallel_for_each(std::vector<int>{6}, fail), std::runtime_error);
  });
}

TEST_P(Tbb, KeepsTheOrderAndTheLimitOfAPipeline) {
  run([] {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
      int next = 0;
      std::atomic<int> inside{0};
      std::vector<int> out;
      const auto source = tbb::make_filter<void, std::shared_ptr<int>>(
          tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
            if (next == 200) {
              control.stop();
              return std::shared_ptr<int>();
            }
            EXPECT_LE(++inside, static_cast<int>(tokens));
            return std::make_shared<int>(next++);
          });
      auto chain = source & tbb::make_filter<std::shared_ptr<int>, std::string>(
                                tbb::filter_mode::parallel,
                                [](std::shared_ptr<int> i) { return std::to_string(*i); });
      chain &= tbb::make_filter<std::string, std::string>(tbb::filter_mode::serial_out_of_order,
                                                          [](std::string text) { return text; });
      const auto whole =
          chain & tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order,
                                                      [&](const std::string& text) {
                                                        out.push_back(std::stoi(text));
                                                        --inside;
                                                      });
      for (int round = 0; round < 2; ++round) {  // the same chain again
        next = 0;
        out.clear();
        tbb::parallel_pipeline(tokens, whole);
        ASSERT_EQ(out.size(), 200u);
        EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
      }
    }
  });
}

TEST(TbbPipeline, TakesAnyLimitOfTokens) {
  int next = 0;
  int sum = 0;
  tbb::parallel_pipeline(
      std::numeric_limits<int>::max(),
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [&](tbb::flow_control& control) {
                                    if (next == 1000) control.stop();
                                    return next++;
                                  }) &
          tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) { sum += i; }));
  EXPECT_EQ(sum, 499'500);
}

// Its move may throw, so the growth of a vector would copy it.
struct OnlyMoved {
  explicit OnlyMoved(int number) : value(number) {}
  OnlyMoved(const OnlyMoved&) { ADD_FAILURE() << "copied"; }
  OnlyMoved(OnlyMoved&& other) noexcept(false) : value(other.value) {}
  int value = 0;
};

TEST(TbbForEach, CopiesNoItemOfAnInputRange) {
  std::istringstream numbers("1 2 3 4 5 6 7 8 9 10");
  auto items = std::views::istream<int>(numbers) |
               std::views::transform([](int number) { return OnlyMoved(number); });
  std::atomic<int> sum{0};
  jobs::tbb::detail::Call call(0);
  jobs::tbb::detail::for_each(call, items, [&sum](OnlyMoved& item) { sum += item.value; });
  EXPECT_EQ(sum, 55);
}

TEST_P(Tbb, RunsAPipelineOfOneFilter) {
  run([] {
    int calls = 0;
    tbb::parallel_pipeline(4, tbb::make_filter<void, void>(tbb::filter_mode::serial_in_order,
                                                           [&](tbb::flow_control& control) {
                                                             if (++calls == 10) control.stop();
                                                           }));
    EXPECT_EQ(calls, 10);
  });
}

// Tokens that remain in the pipeline after a failure or a cancel are destroyed: the fixture counts
// allocations.
TEST_P(Tbb, EndsAPipelineThatFailsOrIsCancelled) {
  run([] {
    for (int failing = 0; failing < 4; ++failing) {
      tbb::task_group_context context;
      int next = 0;
      const auto fails = [&](int stage, int value) {
        if (value != 50) return;
        if (stage == failing) throw std::runtime_error("stage");
        if (failing == 3) context.cancel_group_execution();
      };
      const auto chain =
          tbb::make_filter<void, std::shared_ptr<int>>(tbb::filter_mode::serial_in_order,
                                                       [&](tbb::flow_control& control) {
                                                         if (next == 1000) control.stop();
                                                         fails(0, next);
                                                         return std::make_shared<int>(next++);
                                                       }) &
          tbb::make_filter<std::shared_ptr<int>, std::shared_ptr<int>>(
              tbb::filter_mode::parallel,
              [&](std::shared_ptr<int> value) {
                fails(1, *value);
                return value;
              }) &
          tbb::make_filter<std::shared_ptr<int>, void>(
              tbb::filter_mode::serial_in_order,
              [&](const std::shared_ptr<int>& value) { fails(2, *value); });
      if (failing == 3) {
        tbb::parallel_pipeline(8, chain, context);
      } else {
        EXPECT_THROW(tbb::parallel_pipeline(8, chain, context), std::runtime_error);
      }
      EXPECT_LT(next, 1000);
      EXPECT_TRUE(context.is_group_execution_cancelled());
    }
  });
}

}  // namespace
