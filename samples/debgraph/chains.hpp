// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The longest chains of dependencies. Packages that need each other, directly or not, count as one: a component.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/debgraph/graph.hpp"

namespace debgraph {

struct Components {
  std::vector<Node> of;                    // node -> component; a component's number is above those it needs
  std::vector<std::vector<Node>> needs;    // component -> others, sorted
  std::vector<std::vector<Node>> members;  // component -> nodes
};

// Tarjan's strongly connected components (1972): serial, by its nature.
Components find_components(const Adjacency& needs);

// For each component how many stand below each other under it, itself included. An irregular graph without levels: a component's
// turn comes when the last one that it needs has had its own.
std::vector<std::uint32_t> chain_lengths(const Components& components);

// The same in one pass over the numbers.
std::vector<std::uint32_t> chain_lengths_serial(const Components& components);

}  // namespace debgraph
