// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// debgraph: the packages that most of Debian depends on. Prints ranks, and the longest chain of
// dependencies.
//
//   apt-cache dumpavail | debgraph
//   debgraph /var/lib/dpkg/status
//
// Computes everything in parallel and serially, and compares. Workers: JOBS_NUM_WORKERS. Exit
// status: 0; 2 for an input without packages; 1 if the results differ.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <string>

#include "jobs/jobs.hpp"
#include "samples/debgraph/chains.hpp"
#include "samples/debgraph/rank.hpp"

namespace {

using debgraph::Node;

// Returns f() and prints its duration.
template <class F>
auto timed(const char* what, F f) {
  const auto start = std::chrono::steady_clock::now();
  auto result = f();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("%-28s %8.1f ms\n", what, time.count());
  return result;
}

void print_best(const debgraph::Graph& graph, const std::vector<double>& ranks) {
  constexpr std::size_t kShown = 10;
  std::vector<Node> order(ranks.size());
  std::iota(order.begin(), order.end(), Node{0});
  jobs::parallel_sort(
      order, [&](Node a, Node b) { return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : a < b; });
  for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i) {
    const auto name = graph.names[order[i]];
    std::printf("  %.5f %.*s\n", ranks[order[i]], static_cast<int>(name.size()), name.data());
  }
}

// Prints the longest chain from its top; one package of each component represents it.
void print_chain(const debgraph::Graph& graph, const debgraph::Components& components,
                 const std::vector<std::uint32_t>& lengths) {
  auto at = static_cast<std::size_t>(std::ranges::max_element(lengths) - lengths.begin());
  for (;;) {
    const auto& members = components.members[at];
    const auto name = graph.names[*std::ranges::min_element(members)];
    std::printf("  %.*s", static_cast<int>(name.size()), name.data());
    if (members.size() > 1) std::printf(" and %zu more", members.size() - 1);
    std::printf("\n");
    const auto& needs = components.needs[at];
    const auto next =
        std::ranges::find_if(needs, [&](Node need) { return lengths[need] + 1 == lengths[at]; });
    if (next == needs.end()) return;
    at = *next;
  }
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

int fail(const char* message, int status) {
  std::fprintf(stderr, "debgraph: %s\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) return fail("usage: debgraph [FILE]; without one, it reads standard input", 2);
  std::ifstream file;
  if (argc == 2) file.open(argv[1], std::ios::binary);
  std::istream& in = argc == 2 ? file : std::cin;
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto packages = timed("parse", [&] { return debgraph::parse_packages(text); });
  if (packages.empty()) return fail("there is no package in the input", 2);

  const debgraph::Graph graph = timed("graph", [&] { return debgraph::make_graph(packages); });
  const auto ranks = timed("ranks", [&] { return debgraph::page_rank(graph); });
  const auto serial_ranks =
      timed("ranks, serial", [&] { return debgraph::page_rank_serial(graph); });
  const auto components =
      timed("components", [&] { return debgraph::find_components(graph.needs); });
  const auto lengths = timed("chains", [&] { return debgraph::chain_lengths(components); });
  const auto serial_lengths =
      timed("chains, serial", [&] { return debgraph::chain_lengths_serial(components); });

  std::printf("%zu packages, %zu dependencies, %zu components\n", graph.names.size(),
              graph.needs.edge_count(), components.members.size());
  std::printf("needed most:\n");
  print_best(graph, ranks);
  std::printf("the longest chain, %u components:\n", *std::ranges::max_element(lengths));
  print_chain(graph, components, lengths);

  constexpr double kRoundings = 1e-10;
  if (!(largest_difference(ranks, serial_ranks) < kRoundings))
    return fail("the ranks differ from the serial ones", 1);
  if (lengths != serial_lengths) return fail("the chains differ from the serial ones", 1);
  std::printf("as the serial results\n");
}
