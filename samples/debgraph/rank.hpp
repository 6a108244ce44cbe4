// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PageRank (Brin and Page, 1998) of the packages: whom do the others, directly or not, need most?
#pragma once

#include <vector>

#include "samples/debgraph/graph.hpp"

namespace debgraph {

// Sums to 1. Pulls along the edges by parallel_for, sums by parallel_reduce: the same bits with any number of workers.
std::vector<double> page_rank(const Graph& graph);

// The same by plain loops; the last bits may differ.
std::vector<double> page_rank_serial(const Graph& graph);

}  // namespace debgraph
