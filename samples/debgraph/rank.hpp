// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PageRank (Brin and Page, 1998) of the packages: the packages that most packages need, directly or
// indirectly.
#pragma once

#include <vector>

#include "samples/debgraph/graph.hpp"

namespace debgraph {

// The ranks sum to 1. Pulls along the edges by parallel_for() and sums by parallel_reduce(): the
// same bits for any number of workers.
std::vector<double> page_rank(const Graph& graph);

// The same by plain loops; the last bits may differ.
std::vector<double> page_rank_serial(const Graph& graph);

}  // namespace debgraph
