// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs/interop/pstl.hpp: the parallel algorithms of libstdc++ give the results of the serial ones,
// and use all workers.
//
// libstdc++ 12 calls functions that it deprecates; clang warns.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "jobs/interop/pstl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <execution>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using std::execution::par;
using std::execution::seq;
using Numbers = std::vector<int>;

constexpr std::size_t kMany = jobs::test::kSanitized ? 20'011 : 100'003;

// Numbers without an order; each occurs several times.
Numbers numbers(std::size_t n, std::uint32_t seed = 1) {
  Numbers values(n);
  for (int& value : values) {
    seed = seed * 1'664'525 + 1'013'904'223;
    value = static_cast<int>((seed >> 8) % (n / 3 + 1));
  }
  return values;
}
Numbers sorted(std::size_t n, std::uint32_t seed = 1) {
  Numbers values = numbers(n, seed);
  std::sort(values.begin(), values.end());
  return values;
}
bool is_odd(int x) { return x % 2 != 0; }
// Equal to another one if the keys are equal.
using Item = std::pair<int, std::size_t>;
bool has_smaller_key(const Item& a, const Item& b) { return a.first < b.first; }
std::vector<Item> items(std::size_t n) {
  std::vector<Item> values;
  for (const int key : numbers(n)) values.emplace_back(key / 4, values.size());
  return values;
}

class Pstl : public jobs::test::WithWorkers {
 protected:
  // f(policy, n) gives the same with both policies, for ranges of several sizes.
  template <class F>
  void expect_serial_result(const F& f) {
    for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 7UL, 100UL, 513UL, 5000UL, kMany}) {
      const auto expected = f(seq, n);
      EXPECT_EQ(run([&] { return f(par, n); }), expected) << n;
    }
  }
};
JOBS_TEST_IN_ALL_PLACES(Pstl);

TEST_P(Pstl, RunsLoops) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    Numbers values = numbers(n);
    std::for_each(policy, values.begin(), values.end(), [](int& x) { x += 3; });
    Numbers out(n);
    std::transform(policy, values.begin(), values.end(), out.begin(), [](int x) { return 2 * x; });
    Numbers sums(n);
    std::transform(policy, values.begin(), values.end(), out.begin(), sums.begin(), std::plus<>());
    std::reverse(policy, out.begin(), out.end());
    Numbers differences(n);
    if (n > 0) std::adjacent_difference(policy, out.begin(), out.end(), differences.begin());
    std::replace_if(policy, out.begin(), out.end(), is_odd, 1);
    return std::tuple(values, out, sums, differences);
  });
}

TEST_P(Pstl, Reduces) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    const Numbers a = numbers(n);
    Numbers b = numbers(n, 2);
    for (int& x : b) x %= 2;  // no sum exceeds an int
    return std::tuple(std::reduce(policy, a.begin(), a.end(), 7),
                      std::transform_reduce(policy, a.begin(), a.end(), b.begin(), 5),
                      std::transform_reduce(policy, a.begin(), a.end(), 0, std::plus<>(),
                                            [](int x) { return -x; }),
                      std::count_if(policy, a.begin(), a.end(), is_odd),
                      std::min_element(policy, a.begin(), a.end()) - a.begin(),
                      std::minmax_element(policy, a.begin(), a.end()).second - a.begin(),
                      std::is_sorted(policy, a.begin(), a.end()),
                      std::is_heap_until(policy, a.begin(), a.end()) - a.begin());
  });
}

// Concatenation is associative but not commutative, and a letter is no string.
TEST_P(Pstl, ReducesInOrderAndWithoutAnIdentity) {
  const auto join = [](const auto& a, const auto& b) { return std::string() + a + b; };
  expect_serial_result([&](const auto& policy, std::size_t n) {
    std::string letters(std::min<std::size_t>(n, 700), 'a');
    for (std::size_t i = 0; i < letters.size(); ++i) letters[i] += static_cast<char>(i % 26);
    std::vector<std::string> prefixes(letters.size());
    std::inclusive_scan(policy, letters.begin(), letters.end(), prefixes.begin(), join,
                        std::string(">"));
    return std::pair(std::reduce(policy, letters.begin(), letters.end(), std::string(">"), join),
                     prefixes);
  });
}

TEST_P(Pstl, Scans) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    const Numbers values = numbers(n);
    Numbers inclusive(n);
    Numbers exclusive(n);
    Numbers squares(n);
    std::inclusive_scan(policy, values.begin(), values.end(), inclusive.begin());
    std::exclusive_scan(policy, values.begin(), values.end(), exclusive.begin(), 3);
    std::transform_inclusive_scan(
        policy, values.begin(), values.end(), squares.begin(), std::plus<>(),
        [](int x) { return x % 7; }, 2);
    Numbers in_place = values;
    std::inclusive_scan(policy, in_place.begin(), in_place.end(), in_place.begin());
    // Floating-point numbers have a scan of their own. Small integers are exact.
    std::vector<double> doubles(values.begin(), values.end());
    std::inclusive_scan(policy, doubles.begin(), doubles.end(), doubles.begin());
    return std::tuple(inclusive, exclusive, squares, in_place, doubles);
  });
}

TEST_P(Pstl, Sorts) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    Numbers values = numbers(n);
    std::sort(policy, values.begin(), values.end());
    Numbers falling = numbers(n);
    std::sort(policy, falling.begin(), falling.end(), std::greater<>());
    std::vector<std::string> texts;
    for (const int x : numbers(n, 2))
      texts.push_back("a text of some letters " + std::to_string(x));
    std::sort(policy, texts.begin(), texts.end());
    std::vector<bool> bits(n);
    for (std::size_t i = 0; i < n; ++i) bits[i] = is_odd(values[i]);
    std::sort(policy, bits.begin(), bits.end());
    std::deque<int> pages(values.rbegin(), values.rend());
    std::sort(policy, pages.begin(), pages.end());
    return std::tuple(values, falling, texts, bits, pages);
  });
}

TEST_P(Pstl, KeepsTheOrderOfEqualElements) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    std::vector<Item> values = items(n);
    std::stable_sort(policy, values.begin(), values.end(), has_smaller_key);
    std::vector<Item> parts = items(n);
    std::stable_partition(policy, parts.begin(), parts.end(),
                          [](const Item& item) { return is_odd(item.first); });
    return std::pair(values, parts);
  });
}

TEST_P(Pstl, SortsTheFront) {
  for (const std::size_t front : {1UL, 10UL, 600UL, 3000UL}) {
    expect_serial_result([front](const auto& policy, std::size_t n) {
      const auto size = static_cast<std::ptrdiff_t>(std::min(front, n));
      std::vector<std::string> values;
      for (const int x : numbers(n)) values.push_back(std::to_string(x));
      std::vector<std::string> copies(front);
      std::partial_sort_copy(policy, values.begin(), values.end(), copies.begin(), copies.end());
      std::partial_sort(policy, values.begin(), values.begin() + size, values.end());
      const std::vector<std::string> head(values.begin(), values.begin() + size);
      std::sort(values.begin(), values.end());  // no element is lost
      Numbers chosen = numbers(n);
      if (n > 0)
        std::nth_element(policy, chosen.begin(), chosen.begin() + (size - 1), chosen.end());
      return std::tuple(copies, head, values,
                        n > 0 ? chosen[static_cast<std::size_t>(size) - 1] : 0);
    });
  }
}

TEST_P(Pstl, Merges) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    const Numbers a = sorted(n);
    const Numbers b = sorted(n / 3, 2);
    Numbers merged(a.size() + b.size());
    std::merge(policy, a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    Numbers in_place = a;
    in_place.insert(in_place.end(), b.begin(), b.end());
    std::inplace_merge(policy, in_place.begin(),
                       in_place.begin() + static_cast<std::ptrdiff_t>(a.size()), in_place.end());
    return std::pair(merged, in_place);
  });
}

TEST_P(Pstl, Filters) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    const auto cut = [](Numbers& values, Numbers::iterator end) {
      values.erase(end, values.end());
    };
    const Numbers values = numbers(n);
    Numbers odd(n);
    cut(odd, std::copy_if(policy, values.begin(), values.end(), odd.begin(), is_odd));
    Numbers even = values;
    cut(even, std::remove_if(policy, even.begin(), even.end(), is_odd));
    Numbers different = sorted(n);
    cut(different, std::unique(policy, different.begin(), different.end()));
    Numbers parts = values;
    const auto middle = std::partition(policy, parts.begin(), parts.end(), is_odd);
    const bool is_divided = std::is_partitioned(policy, parts.begin(), parts.end(), is_odd);
    return std::tuple(odd, even, different, middle - parts.begin(), is_divided);
  });
}

TEST_P(Pstl, SearchesAndCompares) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    const Numbers values = numbers(n);
    Numbers other = values;
    if (n > 5) ++other[n - 3];
    const int sought = n > 2 ? values[n / 2] : 0;
    return std::tuple(
        std::find(policy, values.begin(), values.end(), sought) - values.begin(),
        std::any_of(policy, values.begin(), values.end(), is_odd),
        std::none_of(policy, values.begin(), values.end(), [](int x) { return x < 0; }),
        std::equal(policy, values.begin(), values.end(), other.begin()),
        std::mismatch(policy, values.begin(), values.end(), other.begin()).first - values.begin(),
        std::adjacent_find(policy, values.begin(), values.end()) - values.begin(),
        std::lexicographical_compare(policy, values.begin(), values.end(), other.begin(),
                                     other.end()));
  });
}

TEST_P(Pstl, CombinesSets) {
  expect_serial_result([](const auto& policy, std::size_t n) {
    const Numbers a = sorted(n);
    const Numbers b = sorted(n / 2, 3);
    Numbers all(a.size() + b.size());
    all.erase(std::set_union(policy, a.begin(), a.end(), b.begin(), b.end(), all.begin()),
              all.end());
    Numbers common(a.size());
    common.erase(
        std::set_intersection(policy, a.begin(), a.end(), b.begin(), b.end(), common.begin()),
        common.end());
    Numbers rest(a.size());
    rest.erase(std::set_difference(policy, a.begin(), a.end(), b.begin(), b.end(), rest.begin()),
               rest.end());
    return std::tuple(all, common, rest,
                      std::includes(policy, a.begin(), a.end(), b.begin(), b.end()));
  });
}

TEST_P(Pstl, ConstructsAndDestroys) {
  run([] {
    const std::vector<std::string> texts(kMany / 10,
                                         "a text that needs memory of its own, at any rate");
    std::allocator<std::string> allocator;
    std::string* const copies = allocator.allocate(texts.size());
    std::uninitialized_copy(par, texts.begin(), texts.end(), copies);
    EXPECT_TRUE(std::equal(texts.begin(), texts.end(), copies));
    std::destroy(par, copies, copies + texts.size());
    allocator.deallocate(copies, texts.size());
  });
}

// Notes the threads that call meet(). The first calls take 200 us each, which is time enough for
// other workers to wake up and to take a part.
class Meeting {
 public:
  void meet() {
    if (has_met_.load(std::memory_order_relaxed)) return;
    {
      const std::lock_guard guard(lock_);
      threads_.insert(std::this_thread::get_id());
      if (threads_.size() > 1) has_met_.store(true, std::memory_order_relaxed);
      if (++calls_ > kSlowCalls) return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  bool has_met() const { return has_met_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kSlowCalls = 5000;
  jobs::SpinLock lock_;
  std::set<std::thread::id> threads_;
  int calls_ = 0;
  std::atomic<bool> has_met_{false};
};

class PstlOnSeveralWorkers : public jobs::test::WithWorkers {
 protected:
  // algorithm(meeting) calls its functions on two threads at the same time.
  template <class F>
  void expect_concurrent(const char* name, const F& algorithm) {
    if (is_serial()) return;
    Meeting meeting;
    run([&] { algorithm(meeting); });
    EXPECT_TRUE(meeting.has_met()) << name << " ran on one thread";
  }
};
JOBS_TEST_IN_ALL_PLACES(PstlOnSeveralWorkers);

TEST_P(PstlOnSeveralWorkers, RunAtTheSameTime) {
  const Numbers in = sorted(kMany);
  Numbers out(kMany);
  expect_concurrent("for_each", [&](Meeting& meeting) {
    std::for_each(par, in.begin(), in.end(), [&](int) { meeting.meet(); });
  });
  expect_concurrent("transform", [&](Meeting& meeting) {
    std::transform(par, in.begin(), in.end(), out.begin(), [&](int x) {
      meeting.meet();
      return x;
    });
  });
  expect_concurrent("reduce", [&](Meeting& meeting) {
    EXPECT_GT(std::reduce(par, in.begin(), in.end(), 0,
                          [&](int a, int b) {
                            meeting.meet();
                            return std::max(a, b);
                          }),
              0);
  });
  expect_concurrent("inclusive_scan", [&](Meeting& meeting) {
    std::inclusive_scan(par, in.begin(), in.end(), out.begin(), [&](int a, int b) {
      meeting.meet();
      return a + b;
    });
  });
  const auto meeting_order = [](Meeting& meeting) {
    return [&meeting](int a, int b) {
      meeting.meet();
      return a < b;
    };
  };
  expect_concurrent("sort", [&](Meeting& meeting) {
    Numbers values = numbers(kMany);
    std::sort(par, values.begin(), values.end(), meeting_order(meeting));
    EXPECT_EQ(values, in);
  });
  expect_concurrent("stable_sort", [&](Meeting& meeting) {
    Numbers values = numbers(kMany);
    std::stable_sort(par, values.begin(), values.end(), meeting_order(meeting));
    EXPECT_EQ(values, in);
  });
  expect_concurrent("merge", [&](Meeting& meeting) {
    Numbers merged(2 * kMany);
    std::merge(par, in.begin(), in.end(), in.begin(), in.end(), merged.begin(),
               meeting_order(meeting));
    EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end()));
  });
}

TEST_P(Pstl, LetsTheFunctionsOfAProgramWait) {
  uses_default_scheduler();
  run([] {
    std::atomic<int> calls{0};
    Numbers values(100);
    std::for_each(par, values.begin(), values.end(), [&](int& x) {
      jobs::Counter done;
      jobs::spawn(done, [&] { ++calls; });
      done.wait();
      Numbers inner = numbers(1000);
      std::sort(par, inner.begin(), inner.end());
      x = std::is_sorted(inner.begin(), inner.end()) ? 1 : 0;
    });
    EXPECT_EQ(calls, 100);
    EXPECT_EQ(std::reduce(par, values.begin(), values.end()), 100);
  });
}

// The standard demands it.
TEST(PstlDeathTest, AnExceptionOfAFunctionOfTheProgramTerminates) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto terminates = [](const auto& algorithm) {
    EXPECT_EXIT(
        {
          std::set_terminate([] { std::_Exit(7); });
          Numbers values = numbers(kMany);
          try {
            algorithm(values);
          } catch (...) {
            std::_Exit(8);
          }
          std::_Exit(9);
        },
        testing::ExitedWithCode(7), "");
  };
  const auto refuse = [](int x) {
    if (x % 100 == 0) throw std::runtime_error("refused");
    return x;
  };
  terminates([&](Numbers& values) { std::for_each(par, values.begin(), values.end(), refuse); });
  terminates([&](Numbers& values) {
    std::sort(par, values.begin(), values.end(), [&](int a, int b) { return refuse(a) < b; });
  });
  terminates([&](Numbers& values) {
    EXPECT_GT(std::transform_reduce(par, values.begin(), values.end(), 0, std::plus<>(), refuse),
              0);
  });
  // Not even std::bad_alloc leaves the comparison.
  terminates([&](Numbers& values) {
    std::stable_sort(par, values.begin(), values.end(),
                     [&](int, int) -> bool { throw std::bad_alloc(); });
  });
}

}  // namespace
