// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Components by Tarjan's search, and chain lengths in parallel and serially.
#include "samples/debgraph/chains.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "jobs/jobs.hpp"

namespace debgraph {
namespace {

// Tarjan's search with an explicit stack instead of recursion, because real chains are too long for
// recursion.
class Search {
 public:
  explicit Search(const Adjacency& needs)
      : needs_(needs), found_(needs.node_count(), kNever), low_(needs.node_count()) {
    result_.of.resize(needs.node_count(), kNever);
    for (Node root = 0; root < needs.node_count(); ++root) {
      if (found_[root] == kNever) search_from(root);
    }
  }
  Components take() { return std::move(result_); }

 private:
  static constexpr Node kNever = std::numeric_limits<Node>::max();
  struct Visit {
    Node node;
    std::size_t next_edge;
  };

  void enter(Node node) {
    found_[node] = low_[node] = count_++;
    open_.push_back(node);
    visits_.push_back({node, 0});
  }

  void search_from(Node root) {
    enter(root);
    while (!visits_.empty()) {
      auto& [node, next_edge] = visits_.back();
      if (next_edge < needs_[node].size()) {
        const Node target = needs_[node][next_edge++];
        if (found_[target] == kNever) {
          enter(target);
        } else if (result_.of[target] == kNever) {  // still open
          low_[node] = std::min(low_[node], found_[target]);
        }
        continue;
      }
      const Node done = node;
      visits_.pop_back();
      if (!visits_.empty())
        low_[visits_.back().node] = std::min(low_[visits_.back().node], low_[done]);
      if (low_[done] == found_[done]) close(done);
    }
  }

  // All open nodes above `root` form one component with it.
  void close(Node root) {
    const auto component = static_cast<Node>(result_.members.size());
    auto& members = result_.members.emplace_back();
    do {
      members.push_back(open_.back());
      result_.of[open_.back()] = component;
      open_.pop_back();
    } while (members.back() != root);
  }

  const Adjacency& needs_;
  Components result_;
  // For each node, the time at which the search entered it.
  std::vector<Node> found_;
  // For each node, the earliest open node that it reaches.
  std::vector<Node> low_;
  std::vector<Node> open_;
  std::vector<Visit> visits_;
  Node count_ = 0;
};

}  // namespace

Components find_components(const Adjacency& needs) {
  Components components = Search(needs).take();
  components.needs.resize(components.members.size());
  jobs::parallel_for(std::size_t{0}, components.members.size(), [&](std::size_t component) {
    auto& others = components.needs[component];
    for (const Node member : components.members[component]) {
      for (const Node need : needs[member]) {
        if (components.of[need] != component) others.push_back(components.of[need]);
      }
    }
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
  });
  return components;
}

std::vector<std::uint32_t> chain_lengths(const Components& components) {
  const Adjacency needed_by = Adjacency(components.needs).reversed();
  const std::size_t n = needed_by.node_count();
  std::vector<std::uint32_t> lengths(n);
  std::vector<std::atomic<std::uint32_t>> missing(n);
  std::vector<Node> ready;
  for (Node i = 0; i < n; ++i) {
    missing[i] = static_cast<std::uint32_t>(components.needs[i].size());
    if (components.needs[i].empty()) ready.push_back(i);
  }
  jobs::parallel_for_each(ready, [&](Node component, jobs::Feeder<Node>& more) {
    std::uint32_t longest = 0;
    for (const Node need : components.needs[component]) longest = std::max(longest, lengths[need]);
    lengths[component] = longest + 1;
    for (const Node user : needed_by[component]) {
      if (missing[user].fetch_sub(1) == 1) more.add(user);
    }
  });
  return lengths;
}

std::vector<std::uint32_t> chain_lengths_serial(const Components& components) {
  std::vector<std::uint32_t> lengths(components.needs.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::uint32_t longest = 0;
    for (const Node need : components.needs[i]) longest = std::max(longest, lengths[need]);
    lengths[i] = longest + 1;
  }
  return lengths;
}

}  // namespace debgraph
