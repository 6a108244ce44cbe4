// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts words: a combinable and an enumerable_thread_specific per thread, in an arena and under a
// global_control; parallel_sort of the result with and without an order; a search that cancels its
// group; an exception out of a loop.
#include <oneapi/tbb.h>

#include <atomic>
#include <cstdio>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Counts = std::map<std::string, int>;

std::vector<std::string> some_words() {
  std::vector<std::string> words;
  unsigned state = 12345;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525 + 1013904223;
    words.push_back(std::to_string((state >> 16) % 97) + "th");
  }
  return words;
}

void add(Counts& to, const Counts& from) {
  for (const auto& [word, count] : from) to[word] += count;
}

void print(const char* title, const Counts& counts) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [word, count] : counts) sorted.emplace_back(count, word);
  tbb::parallel_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a > b; });
  std::printf("%s: %zu words;", title, sorted.size());
  for (std::size_t i = 0; i < 5; ++i)
    std::printf(" %s %d", sorted[i].second.c_str(), sorted[i].first);
  std::printf("\n");
}

}  // namespace

int main() {
  const tbb::tick_count start = tbb::tick_count::now();
  const std::vector<std::string> words = some_words();

  tbb::combinable<Counts> parts;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, words.size(), 100),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      Counts& mine = parts.local();
                      for (std::size_t i = range.begin(); i != range.end(); ++i) ++mine[words[i]];
                    });
  print("combinable", parts.combine([](Counts a, const Counts& b) {
    add(a, b);
    return a;
  }));

  tbb::enumerable_thread_specific<Counts> specific;
  tbb::task_arena arena(2);
  const bool fits = arena.execute([&] {
    tbb::parallel_for_each(words, [&](const std::string& word) { ++specific.local()[word]; });
    return tbb::this_task_arena::max_concurrency() == 2 && specific.size() <= 2;
  });
  Counts all;
  for (const Counts& part : specific) add(all, part);
  print(fits ? "arena" : "TOO MANY THREADS", all);

  {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    const std::list<std::string> list(words.begin(), words.end());
    Counts unguarded;  // one thread at a time
    tbb::parallel_for_each(list.begin(), list.end(),
                           [&](const std::string& word) { ++unguarded[word]; });
    print("alone", unguarded);
  }

  std::vector<int> numbers(10'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 10'007);
  tbb::parallel_sort(numbers);
  std::printf("sorted: %d %d %d\n", numbers[0], numbers[5000], numbers[9999]);

  std::atomic<int> found{-1};
  tbb::task_group search;
  for (int i = 0; i < 100; ++i) {
    search.run([&, i] {
      if (i % 40 != 39) return;
      found = 1;
      search.cancel();
    });
  }
  const tbb::task_group_status status = search.wait();
  std::printf("search: %d %s\n", found.load(), status == tbb::canceled ? "canceled" : "complete");

  tbb::task_group_context context;
  std::atomic<int> calls{0};
  tbb::parallel_for(
      0, 1000,
      [&](int) {
        ++calls;
        context.cancel_group_execution();
      },
      context);
  std::printf("context: %s %s\n", calls > 0 ? "began" : "never began",
              context.is_group_execution_cancelled() ? "cancelled" : "ran");

  try {
    tbb::parallel_for(tbb::blocked_range<int>(0, 1000), [](const tbb::blocked_range<int>& range) {
      for (int i = range.begin(); i < range.end(); ++i) {
        if (i == 700) throw std::runtime_error("at 700");
      }
    });
  } catch (const std::runtime_error& error) {
    std::printf("caught: %s\n", error.what());
  }
  std::printf("time: %s\n", (tbb::tick_count::now() - start).seconds() > 0 ? "passes" : "stands");
}
