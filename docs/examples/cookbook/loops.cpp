// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recipes of docs/cookbook.md: loops and sums. The page shows the marked parts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "docs/examples/check.hpp"
#include "docs/examples/cookbook/folder.hpp"
#include "jobs/jobs.hpp"
#include "jobs/progress_for.hpp"

namespace {

using example::check;
using namespace std::chrono_literals;

std::size_t shade(std::size_t y, std::size_t x) { return x ^ y; }

//! [tiles]
// Returns false if the user has cancelled the picture before its last tile.
bool render(std::vector<std::vector<std::size_t>>& rows, std::size_t width,
            const std::function<bool(double)>& show) {
  jobs::LoopProgress progress;  // counts tiles
  std::stop_source cancel;
  jobs::Fiber picture([&] {
    jobs::parallel_for(
        jobs::Grid(rows.size(), width), {32, 32},
        [&](const auto& tile) {
          for (auto y = tile.first[0]; y < tile.last[0]; ++y) {
            for (auto x = tile.first[1]; x < tile.last[1]; ++x) rows[y][x] = shade(y, x);
          }
        },
        progress, cancel.get_token());
  });
  while (!picture.join_for(20ms)) {
    if (!show(progress.fraction())) cancel.request_stop();
  }
  try {
    picture.join();
  } catch (const jobs::Cancelled&) {
    return false;
  }
  return show(1);
}
//! [tiles]

//! [breadth_first]
using Graph = std::vector<std::vector<std::size_t>>;  // the neighbours of each node

// Returns the number of nodes on the shortest path from the root to each node; 0: there is none.
std::vector<int> levels(const Graph& graph, std::size_t root) {
  std::vector<std::atomic<int>> level(graph.size());  // 0: not seen
  level[root] = 1;
  std::vector<std::size_t> front{root};
  for (int next = 2; !front.empty(); ++next) {
    jobs::PerWorker<std::vector<std::size_t>> found;
    jobs::parallel_for(front, [&](std::size_t node) {
      for (const std::size_t neighbour : graph[node]) {
        int unseen = 0;
        if (level[neighbour].compare_exchange_strong(unseen, next))
          found.local().push_back(neighbour);
      }
    });
    front = std::move(found).flatten();
  }
  return {level.begin(), level.end()};
}
//! [breadth_first]

//! [statistics]
struct Order {
  int shop;
  double price;
};
struct Statistics {
  std::vector<std::size_t> orders_of_shop;
  double turnover;
  double median;
};

Statistics statistics(std::vector<Order> orders, std::size_t shops) {
  Statistics result;
  result.orders_of_shop = jobs::parallel_histogram(orders, shops, &Order::shop);
  result.turnover = jobs::parallel_transform_reduce(orders, 0.0, std::plus{}, &Order::price);
  jobs::parallel_sort(orders, std::less{}, &Order::price);
  result.median = orders[orders.size() / 2].price;
  return result;
}
//! [statistics]

//! [scratch]
// Returns the number of different characters of each line.
std::vector<std::size_t> alphabets(const std::vector<std::string>& lines) {
  std::vector<std::size_t> sizes(lines.size());
  jobs::PerWorker<std::string> scratch;
  jobs::parallel_for(0, lines.size(), [&](std::size_t i) {
    std::string& letters = scratch.local();  // keeps its memory from line to line
    letters = lines[i];
    std::sort(letters.begin(), letters.end());
    const auto end = std::unique(letters.begin(), letters.end());
    sizes[i] = static_cast<std::size_t>(end - letters.begin());
  });
  return sizes;
}
//! [scratch]

//! [fixed_order]
// Returns the same bits on any number of workers.
double simulate(std::size_t bodies, int steps, std::uint64_t seed) {
  const jobs::RandomAt random(seed);  // a function of the index: no state, no order of calls
  std::vector<double> now(bodies);
  std::vector<double> next(bodies);
  jobs::parallel_for(0, bodies, [&](std::size_t i) { now[i] = random.real(i); });
  for (int step = 0; step < steps; ++step) {
    jobs::parallel_for(0, bodies, [&](std::size_t i) {  // reads only the state before the step
      const double left = now[i > 0 ? i - 1 : bodies - 1];
      const double right = now[i + 1 < bodies ? i + 1 : 0];
      next[i] = 0.25 * left + 0.5 * now[i] + 0.25 * right;
    });
    now.swap(next);
  }
  return jobs::parallel_reduce(now, 0.0);  // its order of additions depends on the length alone
}
//! [fixed_order]

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

//! [map_reduce]
using Words = std::map<std::string, int>;

Words count_words(const std::vector<std::filesystem::path>& files) {
  std::vector<Words> parts(files.size());
  jobs::Counter done;
  for (std::size_t i = 0; i < files.size(); ++i) {
    done.wait_until_at_most(63);  // at most 64 files are in memory
    jobs::spawn(done, [&, i] {
      std::istringstream text(jobs::blocking([&] { return read_file(files[i]); }));
      for (std::string word; text >> word;) ++parts[i][word];
    });
  }
  done.wait();
  return jobs::parallel_reduce(parts, Words(), [](Words all, const Words& part) {
    for (const auto& [word, count] : part) all[word] += count;
    return all;
  });
}
//! [map_reduce]

void check_files() {
  const cookbook::Folder folder;
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < 100; ++i) {
    files.push_back(folder / std::to_string(i));
    std::ofstream(files.back()) << "to be or not to be " << i % 10;
  }
  const Words words = count_words(files);
  check(words.size() == 14 && words.at("to") == 200 && words.at("7") == 10, "map_reduce");
}

}  // namespace

int main() {
  std::vector<std::vector<std::size_t>> rows(100, std::vector<std::size_t>(200));
  check(render(rows, 200, [](double) { return true; }) && rows[99][199] == shade(99, 199), "tiles");

  check(!render(rows, 200, [](double) { return false; }), "tiles, cancelled");

  // A ring of 1,000 nodes, and one node without neighbours.
  Graph ring(1001);
  for (std::size_t i = 0; i < 1000; ++i) ring[i] = {(i + 1) % 1000, (i + 999) % 1000};
  const std::vector<int> level = levels(ring, 10);
  check(level[10] == 1 && level[510] == 501 && level[0] == 11 && level[1000] == 0, "breadth_first");

  std::vector<Order> orders;
  for (int i = 0; i < 1001; ++i) orders.push_back({i % 3, static_cast<double>(i)});
  const Statistics result = statistics(orders, 3);
  check(result.orders_of_shop == std::vector<std::size_t>{334, 334, 333} &&
            result.turnover == 500'500 && result.median == 500,
        "statistics");
  check(alphabets({"hello", "", "aaa"}) == std::vector<std::size_t>{4, 0, 1}, "scratch");

  const double expected = simulate(10'000, 10, 7);
  for (const unsigned workers : {1u, 2u, 3u}) {
    jobs::Scheduler scheduler({.worker_count = workers});
    check(scheduler.run([] { return simulate(10'000, 10, 7); }) == expected, "fixed_order");
  }
  check_files();
  return example::failures;
}
