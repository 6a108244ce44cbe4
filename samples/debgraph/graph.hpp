// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The dependencies as a graph: a node for each package name, and an edge to each package that it
// needs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "samples/debgraph/packages.hpp"

namespace debgraph {

using Node = std::uint32_t;

// One list of nodes per node, stored one behind the other.
class Adjacency {
 public:
  explicit Adjacency(const std::vector<std::vector<Node>>& lists);

  std::size_t node_count() const { return begins_.size() - 1; }
  std::size_t edge_count() const { return nodes_.size(); }
  std::span<const Node> operator[](Node node) const {
    return std::span(nodes_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }
  Adjacency reversed() const;

 private:
  std::vector<std::size_t> begins_;
  std::vector<Node> nodes_;
};

struct Graph {
  std::vector<std::string_view> names;
  // Node to its dependencies.
  Adjacency needs;
  // Node to the nodes that depend on it.
  Adjacency needed_by;
};

// Of several packages with one name, the first counts. Of alternatives, the first available one
// counts. A name without a package stands for the first package that provides it. Names without a
// provider are omitted, and so are versions.
Graph make_graph(const std::vector<Package>& packages);

}  // namespace debgraph
