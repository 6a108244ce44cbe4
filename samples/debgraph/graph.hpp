// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The dependencies as a graph: a node for each package name, an edge to each package that has to be there, too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "samples/debgraph/packages.hpp"

namespace debgraph {

using Node = std::uint32_t;

// Lists of nodes, one for each node, behind each other.
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
  Adjacency needs;      // node -> what it depends on
  Adjacency needed_by;  // and the other way round
};

// Of several packages of one name the first counts. Of alternatives, the first that is there; what no package is called, the first
// package that provides it; what nobody provides is left out, as versions are.
Graph make_graph(const std::vector<Package>& packages);

}  // namespace debgraph
