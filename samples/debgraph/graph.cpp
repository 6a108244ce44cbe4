// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes by name, edges by parallel look-ups.
#include "samples/debgraph/graph.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "jobs/jobs.hpp"

namespace debgraph {
namespace {

using Index = std::unordered_map<std::string_view, Node>;

// Returns the dependencies of `package`, sorted, without the package itself.
std::vector<Node> find_needs(const Package& package, Node self, const Index& index) {
  std::vector<Node> needs;
  std::optional<Node> chosen;
  const auto end_clause = [&] {
    if (chosen && *chosen != self) needs.push_back(*chosen);
    chosen.reset();
  };
  const auto choose = [&](std::string_view name) {
    if (chosen) return;
    if (const auto found = index.find(name); found != index.end()) chosen = found->second;
  };
  for (const std::string_view list : {package.pre_depends, package.depends}) {
    for_each_name(list, end_clause, choose);
    end_clause();
  }
  std::ranges::sort(needs);
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

}  // namespace

Adjacency::Adjacency(const std::vector<std::vector<Node>>& lists) : begins_{0} {
  for (const auto& list : lists) {
    nodes_.insert(nodes_.end(), list.begin(), list.end());
    begins_.push_back(nodes_.size());
  }
}

Adjacency Adjacency::reversed() const {
  std::vector<std::vector<Node>> lists(node_count());
  for (Node from = 0; from < node_count(); ++from) {
    for (const Node to : (*this)[from]) lists[to].push_back(from);
  }
  return Adjacency(lists);
}

Graph make_graph(const std::vector<Package>& packages) {
  Index index;
  std::vector<std::string_view> names;
  std::vector<const Package*> chosen;
  for (const Package& package : packages) {
    if (!index.emplace(package.name, static_cast<Node>(names.size())).second) continue;
    names.push_back(package.name);
    chosen.push_back(&package);
  }
  // after all names, because names take precedence
  for (Node node = 0; node < chosen.size(); ++node) {
    for_each_name(
        chosen[node]->provides, [] {}, [&](std::string_view name) { index.emplace(name, node); });
  }
  std::vector<std::vector<Node>> needs(names.size());
  jobs::parallel_for(Node{0}, static_cast<Node>(names.size()),
                     [&](Node node) { needs[node] = find_needs(*chosen[node], node, index); });
  Adjacency adjacency(needs);
  Adjacency reversed = adjacency.reversed();
  return {std::move(names), std::move(adjacency), std::move(reversed)};
}

}  // namespace debgraph
