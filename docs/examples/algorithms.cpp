// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The examples of jobs/algorithm: one function per family. Returns 0 if each of them has the
// expected result.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "jobs/algorithm/copy_if.hpp"
#include "jobs/algorithm/find.hpp"
#include "jobs/algorithm/histogram.hpp"
#include "jobs/algorithm/merge.hpp"
#include "jobs/algorithm/min_max.hpp"
#include "jobs/algorithm/partition.hpp"
#include "jobs/algorithm/radix_sort.hpp"
#include "jobs/algorithm/random_at.hpp"
#include "jobs/algorithm/scan.hpp"
#include "jobs/algorithm/sort.hpp"
#include "jobs/algorithm/stable_sort.hpp"
#include "jobs/algorithm/transform.hpp"
#include "jobs/algorithm/unique.hpp"
#include "jobs/parallel_for.hpp"

namespace {

struct Mesh {
  std::string name;
  int triangles;
};

bool sort() {
  //! [sort]
  std::vector<int> values{3, 1, 2};
  jobs::parallel_sort(values);  // 1, 2, 3

  std::vector<Mesh> meshes{{"tree", 900}, {"house", 4000}, {"stone", 60}};
  jobs::parallel_sort(meshes, std::greater{}, &Mesh::triangles);  // house, tree, stone
  //! [sort]
  return values == std::vector{1, 2, 3} && meshes.front().name == "house";
}

bool stable_sort() {
  //! [stable_sort]
  std::vector<Mesh> meshes{{"tree", 900}, {"house", 4000}, {"bush", 900}};
  jobs::parallel_stable_sort(meshes, {}, &Mesh::triangles);  // tree, bush, house
  //! [stable_sort]
  return meshes[0].name == "tree" && meshes[1].name == "bush";
}

bool radix_sort() {
  struct Particle {
    std::uint32_t cell;
    float mass;
  };
  //! [radix_sort]
  std::vector<Particle> particles{{7, 1.0f}, {2, 0.5f}, {7, 0.25f}};
  jobs::parallel_radix_sort(particles, &Particle::cell);  // cells 2, 7, 7
  //! [radix_sort]
  return particles[0].cell == 2 && particles[1].mass == 1.0f;
}

bool sort_by_key() {
  //! [sort_by_key]
  std::vector<float> distances{3.5f, 0.5f, 2.0f};
  std::vector<int> lights{0, 1, 2};
  jobs::parallel_sort_by_key(distances, lights);  // lights 1, 2, 0
  //! [sort_by_key]
  return lights == std::vector{1, 2, 0};
}

bool partition() {
  struct Body {
    int id;
    bool is_awake;
  };
  //! [partition]
  std::vector<Body> bodies{{0, false}, {1, true}, {2, false}};
  const auto asleep =
      jobs::parallel_partition(bodies, &Body::is_awake);  // the first body that sleeps
  //! [partition]
  return asleep == bodies.begin() + 1;
}

bool nth_element() {
  //! [nth_element]
  std::vector<double> times{5.0, 1.0, 4.0, 2.0, 3.0};
  const auto median = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  jobs::parallel_nth_element(times, median);  // *median is 3.0
  //! [nth_element]
  return *median == 3.0;
}

bool merge() {
  //! [merge]
  const std::vector<int> old_prices{10, 30};
  const std::vector<int> new_prices{20, 40};
  std::vector<int> all_prices(old_prices.size() + new_prices.size());
  jobs::parallel_merge(old_prices, new_prices, all_prices.begin());  // 10, 20, 30, 40
  //! [merge]
  return all_prices == std::vector{10, 20, 30, 40};
}

bool scan() {
  //! [scan]
  const std::vector<int> sizes{3, 5, 2};
  std::vector<int> begins(sizes.size());
  std::vector<int> ends(sizes.size());
  jobs::parallel_exclusive_scan(sizes, begins.begin(), 0);  // 0, 3, 8
  jobs::parallel_inclusive_scan(sizes, ends.begin());       // 3, 8, 10
  //! [scan]
  return begins == std::vector{0, 3, 8} && ends == std::vector{3, 8, 10};
}

bool transform_scan() {
  //! [transform_scan]
  const std::vector<std::string> words{"one", "two", "three"};
  std::vector<std::size_t> ends(words.size());
  jobs::parallel_transform_inclusive_scan(
      words, ends.begin(), std::plus{},
      [](const std::string& word) { return word.size(); });  // 3, 6, 11
  //! [transform_scan]
  return ends == std::vector<std::size_t>{3, 6, 11};
}

bool find() {
  //! [find]
  const std::vector<double> samples{1.0, 2.0, INFINITY, 4.0};
  const auto bad = jobs::parallel_find_if(samples, [](double x) { return !std::isfinite(x); });
  const auto two = jobs::parallel_find(samples, 2.0);
  const bool all_positive = jobs::parallel_all_of(samples, [](double x) { return x > 0; });
  //! [find]
  return bad == samples.begin() + 2 && two == samples.begin() + 1 && all_positive;
}

bool min_max() {
  struct Offer {
    int id;
    double price;
  };
  //! [min_max]
  const std::vector<Offer> offers{{1, 9.5}, {2, 7.0}, {3, 8.0}};
  const auto cheapest = jobs::parallel_min_element(offers, {}, &Offer::price);
  const auto [low, high] = jobs::parallel_minmax_element(offers, {}, &Offer::price);
  //! [min_max]
  return cheapest->id == 2 && low->id == 2 && high->id == 1;
}

bool copy_if() {
  //! [copy_if]
  const std::vector<int> codes{200, 404, 200, 500};
  std::vector<int> errors(codes.size());
  errors.erase(jobs::parallel_copy_if(codes, errors.begin(), [](int code) { return code >= 400; }),
               errors.end());
  //! [copy_if]
  return errors == std::vector{404, 500};
}

bool unique() {
  //! [unique]
  std::vector<std::string> names{"ann", "bob", "ann"};
  jobs::parallel_sort(names);
  names.erase(jobs::parallel_unique(names), names.end());  // ann, bob
  //! [unique]
  return names.size() == 2;
}

bool remove_if() {
  //! [remove_if]
  std::vector<int> numbers{1, -2, 3};
  numbers.erase(jobs::parallel_remove_if(numbers, [](int x) { return x < 0; }),
                numbers.end());  // 1, 3
  //! [remove_if]
  return numbers == std::vector{1, 3};
}

bool transform() {
  //! [transform]
  const std::vector<double> angles{0.0, 1.0, 2.0};
  std::vector<double> sines(angles.size());
  jobs::parallel_transform(angles, sines.begin(), [](double x) { return std::sin(x); });
  //! [transform]
  return sines[0] == 0.0;
}

bool generate() {
  const std::uint64_t seed = 42;
  //! [generate]
  std::vector<std::uint64_t> noise(1000);
  jobs::parallel_generate(noise, jobs::RandomAt(seed));  // the same noise on any number of workers
  //! [generate]
  return noise[7] == jobs::RandomAt(seed)(7);
}

bool for_each_n() {
  //! [for_each_n]
  std::vector<int> ages{30, 40, 50};
  jobs::parallel_for_each_n(ages.begin(), 2, [](int& age) { ++age; });  // 31, 41, 50
  //! [for_each_n]
  return ages == std::vector{31, 41, 50};
}

bool histogram() {
  //! [histogram]
  const std::vector<int> marks{1, 3, 1, 2};
  const std::vector<std::size_t> counts = jobs::parallel_histogram(marks, 4);  // 0, 2, 1, 1
  //! [histogram]
  return counts == std::vector<std::size_t>{0, 2, 1, 1};
}

bool random_at() {
  const std::uint64_t seed = 42;
  std::vector<double> x(1000);
  //! [random_at]
  const jobs::RandomAt random(seed);
  jobs::parallel_for(std::size_t{0}, x.size(), [&](std::size_t i) { x[i] = random.real(i); });
  //! [random_at]
  return x[10] == random.real(10);
}

}  // namespace

int main() {
  const bool all_passed = sort() && stable_sort() && radix_sort() && sort_by_key() && partition() &&
                          nth_element() && merge() && scan() && transform_scan() && find() &&
                          min_max() && copy_if() && unique() && remove_if() && transform() &&
                          generate() && for_each_n() && histogram() && random_at();
  std::puts(all_passed ? "all examples passed" : "an example failed");
  return all_passed ? 0 : 1;
}
