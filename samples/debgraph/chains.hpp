// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The longest chains of dependencies. Packages that depend on each other, directly or indirectly,
// count as one component.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/debgraph/graph.hpp"

namespace debgraph {

struct Components {
  // Node to component; the number of a component is above the numbers of its dependencies.
  std::vector<Node> of;
  // Component to the components that it needs, sorted.
  std::vector<std::vector<Node>> needs;
  // Component to nodes.
  std::vector<std::vector<Node>> members;
};

// Returns Tarjan's strongly connected components (1972). Serial by nature.
Components find_components(const Adjacency& needs);

// Returns the length of the longest chain under each component, the component included. An
// irregular graph without levels: a component is processed after the last of its dependencies.
std::vector<std::uint32_t> chain_lengths(const Components& components);

// The same, in one serial pass over the numbers.
std::vector<std::uint32_t> chain_lengths_serial(const Components& components);

}  // namespace debgraph
