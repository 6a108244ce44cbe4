// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Examples of the API reference: loops, reductions, fork and join.
// The headers show the marked parts.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iostream>
#include <list>
#include <numeric>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"
#include "jobs/priority_for.hpp"
#include "jobs/progress_for.hpp"

namespace {

using example::check;

//! [fork_join]
double sum(const double* values, std::size_t n) {
  if (n <= 1024) {
    double result = 0;
    for (std::size_t i = 0; i < n; ++i) result += values[i];
    return result;
  }
  const auto [left, right] = jobs::fork_join([=] { return sum(values, n / 2); },
                                             [=] { return sum(values + n / 2, n - n / 2); });
  return left + right;
}
//! [fork_join]

//! [fork_context]
long fib(jobs::ForkContext context, int n) {
  if (n < 2) return n;
  const auto [a, b] = jobs::fork_join(
      context, [n](jobs::ForkContext here) { return fib(here, n - 1); },
      [n](jobs::ForkContext here) { return fib(here, n - 2); });
  return a + b;
}

long fib(int n) {
  return jobs::with_fork_context([n](jobs::ForkContext context) { return fib(context, n); });
}
//! [fork_context]

//! [parallel_for]
void add_scaled(double a, const std::vector<double>& x, std::vector<double>& y) {
  // By index.
  jobs::parallel_for(0, x.size(), [&](std::size_t i) { y[i] += a * x[i]; });
  // By part: the compiler vectorises the inner loop.
  jobs::parallel_for(0, x.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) y[i] += a * x[i];
  });
  // By element, in chunks of at least 256 elements.
  jobs::parallel_for(y, [](double& value) { value *= 0.5; }, jobs::Grain(256));
}
//! [parallel_for]

//! [fixed_grain]
// The mean of each block of 64 values.
std::vector<float> means(const std::vector<float>& values) {
  constexpr std::size_t kBlock = 64;
  std::vector<float> means((values.size() + kBlock - 1) / kBlock);
  jobs::parallel_for(
      0, values.size(),
      [&](std::size_t begin, std::size_t end) {  // one block, whatever the number of workers is
        float sum = 0;
        for (std::size_t i = begin; i < end; ++i) sum += values[i];
        means[begin / kBlock] = sum / static_cast<float>(end - begin);
      },
      jobs::Grain(kBlock));
  return means;
}
//! [fixed_grain]

//! [grid_for]
void fill(int height, int width, std::vector<float>& picture) {
  const auto shade = [](int y, int x) { return static_cast<float>(x ^ y); };
  const auto at = [&](int y, int x) { return static_cast<std::size_t>(y * width + x); };
  // By point.
  jobs::parallel_for(jobs::Grid(height, width),
                     [&](int y, int x) { picture[at(y, x)] = shade(y, x); });
  // By tiles of 64 x 64 points.
  jobs::parallel_for(jobs::Grid(height, width), {64, 64}, [&](const auto& tile) {
    for (int y = tile.first[0]; y < tile.last[0]; ++y) {
      for (int x = tile.first[1]; x < tile.last[1]; ++x) picture[at(y, x)] *= 2;
    }
  });
  // By blocks of 16 rows.
  jobs::parallel_for(0, height, 16, [&](int first) {
    for (int y = first; y < std::min(first + 16, height); ++y) picture[at(y, 0)] = 0;
  });
}
//! [grid_for]

//! [grid_options]
// Lets heat flow between neighbouring points.
void diffuse(int height, int width, std::vector<float>& now, std::vector<float>& next, int steps) {
  const auto at = [&](int y, int x) { return static_cast<std::size_t>(y * width + x); };
  const jobs::Grid inner({1, 1}, std::array{height - 1, width - 1});
  jobs::AffinityPartition partition;  // each worker keeps its rows in its caches
  for (int step = 0; step < steps; ++step) {
    jobs::parallel_for(
        inner,
        [&](int y, int x) {
          next[at(y, x)] =
              (now[at(y - 1, x)] + now[at(y + 1, x)] + now[at(y, x - 1)] + now[at(y, x + 1)]) / 4;
        },
        partition);
    now.swap(next);
  }
}

// Throws jobs::Cancelled if the program stops it before the last tile.
void brighten(int height, int width, std::vector<float>& picture, const std::stop_token& stop) {
  jobs::parallel_for(
      jobs::Grid(height, width), {64, 64},
      [&](const auto& tile) {
        for (int y = tile.first[0]; y < tile.last[0]; ++y) {
          for (int x = tile.first[1]; x < tile.last[1]; ++x)
            picture[static_cast<std::size_t>(y * width + x)] += 1;
        }
      },
      stop);
}
//! [grid_options]

//! [repeated_for]
void relax(std::vector<double>& values, int steps) {
  jobs::AffinityPartition partition;  // lives as long as the data
  for (int step = 0; step < steps; ++step) {
    jobs::parallel_for(0, values.size(), [&](std::size_t i) { values[i] *= 0.99; }, partition);
  }
}
//! [repeated_for]

//! [throttled_for]
struct Texture {
  std::vector<unsigned char> packed;
  std::vector<unsigned char> pixels;
};

// Each texture needs a large buffer while it is unpacked. At most four buffers exist at a time.
void unpack(std::vector<Texture>& textures) {
  jobs::parallel_for(
      textures,
      [](Texture& texture) {
        std::vector<unsigned char> buffer(texture.packed.size() * 64);
        std::copy(texture.packed.begin(), texture.packed.end(), buffer.begin());
        texture.pixels.assign(buffer.begin(), buffer.end());
      },
      jobs::LoopLimit(4));
}
//! [throttled_for]

//! [priority_for]
// Frames go on meanwhile: the workers that help leave the loop for their jobs. The caller is a low
// job itself, so that it does not keep a worker from them, either.
void rebuild_index(jobs::Counter& done, std::vector<int>& index) {
  jobs::spawn(done,
              [&index] {
                jobs::parallel_for(
                    index, [](int& entry) { entry = 2 * entry + 1; },
                    jobs::LoopPriority(jobs::Priority::kLow));
              },
              {.priority = jobs::Priority::kLow});
}
//! [priority_for]

//! [progress_for]
// Computes a picture by tiles, and shows how much of it has been computed.
void render(int height, int width, std::vector<float>& picture,
            const std::function<void(double)>& show) {
  jobs::LoopProgress progress;  // counts tiles here
  jobs::Counter done;
  jobs::spawn(done, [&] {
    jobs::parallel_for(
        jobs::Grid(height, width), {16, 16},
        [&](const auto& tile) {
          for (int y = tile.first[0]; y < tile.last[0]; ++y) {
            for (int x = tile.first[1]; x < tile.last[1]; ++x)
              picture[static_cast<std::size_t>(y * width + x)] = static_cast<float>(x * y);
          }
        },
        progress);
  });
  while (!done.wait_for(std::chrono::milliseconds(20))) show(progress.fraction());
  show(progress.fraction());  // 1
}
//! [progress_for]

//! [stoppable_for]
bool contains(const std::vector<int>& values, int wanted) {
  std::stop_source found;
  try {
    jobs::parallel_for(
        values,
        [&](int value) {
          if (value == wanted) found.request_stop();
        },
        found.get_token());
  } catch (const jobs::Cancelled&) {  // a stop was requested before the end
  }
  return found.stop_requested();
}
//! [stoppable_for]

//! [parallel_for_each]
void increment(std::list<int>& values) {
  jobs::parallel_for_each(values, [](int& value) { ++value; });
}
//! [parallel_for_each]

//! [feeder]
// Counts the nodes of a complete binary tree, from its root.
int count_nodes(int depth) {
  jobs::PerWorker<int> nodes;
  const std::array roots{depth};
  jobs::parallel_for_each(roots, [&](int levels, jobs::Feeder<int>& feeder) {
    ++nodes.local();
    if (levels == 0) return;
    feeder.add(levels - 1);
    feeder.add(levels - 1);
  });
  int sum = 0;
  nodes.for_each([&](int part) { sum += part; });
  return sum;
}
//! [feeder]

struct Edge {
  double length;
};

//! [parallel_reduce]
void reduce(const std::vector<double>& prices, const std::vector<Edge>& edges) {
  const auto square = [&](std::size_t i) { return prices[i] * prices[i]; };
  const auto larger = [](double a, double b) { return std::max(a, b); };
  double squares = jobs::parallel_reduce(0, prices.size(), 0.0, std::plus{}, square);
  double total = jobs::parallel_reduce(prices, 0.0);
  double longest = jobs::parallel_transform_reduce(edges, 0.0, larger, &Edge::length);
  // By part, in blocks of 1024 indices: the compiler vectorises the inner loop.
  double dot = jobs::parallel_reduce(
      0, prices.size(), 0.0, std::plus{},
      [&](std::size_t begin, std::size_t end) {
        const double* const from = prices.data();
        return std::inner_product(from + begin, from + end, from + begin, 0.0);
      },
      jobs::Grain(1024));
  std::cout << squares << ' ' << total << ' ' << longest << ' ' << dot << '\n';
}
//! [parallel_reduce]

//! [parallel_fold]
std::set<std::string> words_of(const std::vector<std::string>& lines) {
  return jobs::parallel_reduce(
      lines, std::set<std::string>(),
      [](std::set<std::string> a, std::set<std::string> b) {
        a.merge(b);
        return a;
      },
      [](std::set<std::string> words, const std::string& line) {
        std::istringstream text(line);
        for (std::string word; text >> word;) words.insert(word);
        return words;
      });
}
//! [parallel_fold]

//! [per_worker]
using Histogram = std::array<int, 256>;

Histogram histogram(const std::vector<unsigned char>& pixels) {
  jobs::PerWorker<Histogram> parts([] { return Histogram{}; });
  jobs::parallel_for(pixels, [&](unsigned char pixel) { ++parts.local()[pixel]; });
  return parts.combine([](Histogram sum, const Histogram& part) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    return sum;
  });
}

std::vector<std::size_t> find_dark(const std::vector<unsigned char>& pixels) {
  jobs::PerWorker<std::vector<std::size_t>> found;
  jobs::parallel_for(0, pixels.size(), [&](std::size_t i) {
    if (pixels[i] < 16) found.local().push_back(i);
  });
  return std::move(found).flatten();  // in an unspecified order
}
//! [per_worker]

//! [per_worker_lease]
// Averages neighbours by way of a buffer. A worker makes few buffers, and no row loses its buffer.
void smooth(std::vector<std::vector<float>>& rows) {
  jobs::PerWorker<std::vector<float>> buffers;
  jobs::parallel_for(rows, [&](std::vector<float>& row) {
    const auto buffer = buffers.lease();  // other rows run on this worker during the inner loop
    buffer->resize(row.size());
    jobs::parallel_for(0, row.size(), [&](std::size_t i) {
      (*buffer)[i] = (row[i] + row[i > 0 ? i - 1 : i]) / 2;
    });
    row.swap(*buffer);
  });
}
//! [per_worker_lease]

}  // namespace

int main() {
  const std::vector<double> ones(100'000, 1.0);
  check(sum(ones.data(), ones.size()) == 100'000, "fork_join");
  check(fib(20) == 6765, "fork_context");

  std::vector<double> y(ones.size(), 2.0);
  add_scaled(1.0, ones, y);
  check(std::count(y.begin(), y.end(), 2.0) == 100'000, "parallel_for");
  check(words_of({"to be or", "not to be"}).size() == 4, "parallel_fold");
  check(means(std::vector<float>(100, 3.0f)) == std::vector<float>{3, 3}, "fixed_grain");

  std::vector<float> picture(100 * 200);
  fill(100, 200, picture);
  check(picture[1] == 2 && picture[16 * 200] == 0, "grid_for");

  std::vector<float> next(100 * 200);
  picture.assign(100 * 200, 1.0f);
  diffuse(100, 200, picture, next, 1);
  brighten(100, 200, picture, {});
  check(picture[0] == 1 && picture[50 * 200 + 50] == 2, "grid_options");

  relax(y, 10);
  check(y[0] < 2 && y[0] == y.back(), "repeated_for");
  check(contains({1, 2, 3}, 2) && !contains({1, 2, 3}, 4), "stoppable_for");

  std::vector<Texture> textures(20, Texture{{7}, {}});
  unpack(textures);
  check(textures[19].pixels.size() == 64, "throttled_for");

  jobs::Counter rebuilt;
  std::vector<int> index(1000, 1);
  rebuild_index(rebuilt, index);
  rebuilt.wait();
  check(index[999] == 3, "priority_for");

  double shown = 0;
  render(100, 200, picture, [&](double fraction) { shown = fraction; });
  check(shown == 1 && picture[99 * 200 + 199] == 99 * 199, "progress_for");

  std::list<int> list(1000, 1);
  increment(list);
  check(std::count(list.begin(), list.end(), 2) == 1000, "parallel_for_each");
  check(count_nodes(9) == 1023, "feeder");

  reduce(ones, {{1.5}, {2.5}});
  check(histogram(std::vector<unsigned char>(5000, 7))[7] == 5000, "per_worker");
  check(find_dark(std::vector<unsigned char>(5000, 7)).size() == 5000, "per_worker");
  std::vector<std::vector<float>> rows(50, {0, 2, 4});
  smooth(rows);
  check(rows[49] == std::vector<float>{0, 1, 3}, "per_worker_lease");
  return example::failures;
}
