// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphPlan: the end of building. close() checks for cycles. freeze() counts predecessors, sorts
// topologically, puts in order, lays out, and renumbers. graph_plan.hpp describes the result.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/error.hpp"
#include "jobs/runtime/graph/graph_plan.hpp"

namespace jobs::inline JOBS_ABI::detail {

// --- the first run -------------------------------------------------------------------------------

void GraphPlan::close() {
  if (state_ != State::kOpen) return;
  if (has_edge_to_older_) {
    count_predecessors();
    sort_topologically();
  }
  state_ = State::kClosed;
}

// --- freezing ------------------------------------------------------------------------------------

void GraphPlan::freeze() {
  if (state_ == State::kFrozen) return;
  if (state_ == State::kFreezing)
    throw Error(ErrorCode::kBadArgument, "TaskGraph: it is part of itself");
  const State before = std::exchange(state_, State::kFreezing);
  try {
    for (const Traits* const traits : traits_) {
      if (traits != nullptr && traits->sub_graph != nullptr) traits->sub_graph->freeze();
    }
    count_predecessors();
    sort_topologically();
    put_in_order();
    lay_out();
    renumber(order_of_run());
  } catch (...) {
    state_ = before;  // the user may correct an open graph and freeze it again
    throw;
  }
  state_ = State::kFrozen;
}

void GraphPlan::count_predecessors() {
  strong_.assign(size(), 0);
  has_conditions_ = false;
  for (const GraphVertex* const vertex : vertices_) {
    if (vertex->is_condition) {
      has_conditions_ = true;
      continue;
    }
    vertex->for_each_successor([this](const GraphVertex& to) { ++strong_[to.index]; });
  }
}

// Follows strong edges only. Source: A. B. Kahn, "Topological sorting of large networks", CACM
// 5(11), 1962.
void GraphPlan::sort_topologically() {
  missing_ = strong_;
  sorted_.clear();
  sorted_.reserve(size());
  for (Index i = 0; i < size(); ++i) {
    if (missing_[i] == 0) sorted_.push_back(i);
  }
  for (std::size_t next = 0; next < sorted_.size(); ++next) {
    const GraphVertex& vertex = *vertices_[sorted_[next]];
    if (vertex.is_condition) continue;
    vertex.for_each_successor([this](const GraphVertex& to) {
      if (--missing_[to.index] == 0) sorted_.push_back(to.index);
    });
  }
  if (sorted_.size() != size()) throw_cycle();
}

// Each node that misses a predecessor has a predecessor that misses one, too. Walking back along
// these predecessors therefore reaches a node twice.
void GraphPlan::throw_cycle() const {
  HeapVector<Index> before(size(), kNone);
  for (Index i = 0; i < size(); ++i) {
    if (missing_[i] == 0 || vertices_[i]->is_condition) continue;
    vertices_[i]->for_each_successor([&](const GraphVertex& to) {
      if (missing_[to.index] != 0) before[to.index] = i;
    });
  }
  Index at = static_cast<Index>(
      std::find_if(missing_.begin(), missing_.end(), [](Index count) { return count != 0; }) -
      missing_.begin());
  HeapVector<bool> seen(size(), false);
  for (; !seen[at]; at = before[at]) seen[at] = true;
  std::string names = escaped_name_of(at);
  for (Index i = before[at]; i != at; i = before[i]) names = escaped_name_of(i) + " -> " + names;
  throw Error(ErrorCode::kBadArgument,
              "TaskGraph: a cycle: " + escaped_name_of(at) + " -> " + names);
}

// Sorts by priority, then by the length of the longest path to the end (critical path first), then
// by age.
void GraphPlan::put_in_order() {
  HeapVector<std::uint64_t> length(size());
  for (std::size_t i = sorted_.size(); i-- > 0;) {
    const GraphVertex& vertex = *vertices_[sorted_[i]];
    std::uint64_t longest = 0;
    if (!vertex.is_condition) {
      vertex.for_each_successor(
          [&](const GraphVertex& to) { longest = std::max(longest, length[to.index]); });
    }
    length[sorted_[i]] = longest + traits_of(sorted_[i]).weight;
  }
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), Index{0});
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    return std::tuple(-std::int64_t{traits_of(a).priority}, ~length[a], a) <
           std::tuple(-std::int64_t{traits_of(b).priority}, ~length[b], b);
  });
}

// Fills nodes_ and successors_, with the numbers of put_in_order().
void GraphPlan::lay_out() {
  HeapVector<Index> number(size());  // per vertex
  for (Index i = 0; i < size(); ++i) number[order_[i]] = i;
  nodes_.assign(size() + std::size_t{1}, Node{});
  successors_.clear();
  const auto mark = [this] { return static_cast<Index>(successors_.size()); };
  for (Index i = 0; i < size(); ++i) {
    const Index vertex = order_[i];
    nodes_[i].predecessors = strong_[vertex];
    const Traits& traits = traits_of(vertex);
    nodes_[i].has_options = traits.place != anywhere || traits.job_priority != Priority::kNormal;
    if (strong_[vertex] == 0 && !vertices_[vertex]->has_weak_predecessor) successors_.push_back(i);
  }
  const auto first_placed = std::partition(successors_.begin(), successors_.end(),
                                           [this](Index s) { return !nodes_[s].has_options; });
  std::sort(successors_.begin(), first_placed);
  std::sort(first_placed, successors_.end());
  sources_ = static_cast<Index>(first_placed - successors_.begin());
  starts_ = mark();
  has_options_ =
      std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.has_options; });
  if (starts_ == 0 && size() != 0) {
    throw Error(ErrorCode::kBadArgument,
                "TaskGraph: no node can start: each is the successor of another, such as " +
                    escaped_name_of(0));
  }

  for (Index i = 0; i < size(); ++i) {
    GraphVertex& vertex = *vertices_[order_[i]];
    Node& node = nodes_[i];
    node.body = &vertex.body();
    node.has_limit = traits_of(order_[i]).limit != nullptr;
    node.is_restricted = node.has_limit || node.has_options;
    node.is_condition = vertex.is_condition;
    node.first = mark();
    vertex.for_each_successor(
        [&](const GraphVertex& to) { successors_.push_back(number[to.index]); });
    if (vertex.is_condition) {
      node.joins = node.last = mark();
      continue;
    }
    // With conditions, the number of nodes that will run is unknown. Runs then count the nodes that
    // are ready or running, and need no node that ends the run.
    if (vertex.count == 0 && !has_conditions_) {
      successors_.push_back(end());
      ++nodes_[end()].predecessors;
    }
    node.last = mark();
    const auto first = successors_.begin() + node.first;
    const auto joins = std::partition(first, successors_.end(), [this](Index s) {
      return s != end() && nodes_[s].predecessors == 1 && !nodes_[s].has_options;
    });
    std::sort(first, joins);
    const auto sent = std::partition(joins, successors_.end(),
                                     [this](Index s) { return !nodes_[s].has_options; });
    std::sort(joins, sent);
    std::sort(sent, successors_.end(), std::greater<>());
    node.joins = static_cast<Index>(joins - successors_.begin());
    if (first != joins) {
      const auto early = std::lower_bound(joins, sent, *first) - joins;
      node.early = static_cast<std::uint16_t>(
          std::min<std::ptrdiff_t>(early, std::numeric_limits<decltype(node.early)>::max()));
    }
  }
}

// Returns the numbers of all nodes except the end, in the order of GraphRun::advance() without
// thefts, where each condition chooses its first successor.
HeapVector<GraphPlan::Index> GraphPlan::order_of_run() const {
  struct Range {  // indices into successors_
    Index first, last;
  };
  HeapVector<Index> order;
  order.reserve(size());
  HeapVector<Index> missing(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) missing[i] = nodes_[i].predecessors;
  HeapVector<bool> is_done(size(), false);
  HeapVector<Range> offered;
  for (Index i = starts_; i-- > sources_;) offered.push_back({i, i + 1});
  if (sources_ != 0) offered.push_back({0, sources_});

  while (!offered.empty()) {
    Range& newest = offered.back();
    const Index current = successors_[newest.first++];
    if (newest.first == newest.last) offered.pop_back();
    if (current == end() || is_done[current]) continue;
    is_done[current] = true;
    order.push_back(current);

    const Node& node = nodes_[current];
    if (node.is_condition) {
      for (Index i = node.last; i-- > node.first;) offered.push_back({i, i + 1});
      continue;
    }
    const auto arrive_from = [&](Index first, Index end) {
      for (Index i = end; i-- > first;) {
        if (--missing[successors_[i]] == 0) offered.push_back({i, i + 1});
      }
    };
    const Index early = node.joins + node.early;
    arrive_from(early, node.last);
    if (node.first < node.joins) offered.push_back({node.first, node.joins});
    arrive_from(node.joins, early);
  }
  for (Index i = 0; i < size(); ++i) {
    if (!is_done[i]) order.push_back(i);  // nodes that this simulated run does not reach
  }
  return order;
}

void GraphPlan::renumber(const HeapVector<Index>& order) {
  HeapVector<Index> number(nodes_.size());  // the new number of each node
  for (Index i = 0; i < size(); ++i) number[order[i]] = i;
  number[end()] = end();
  HeapVector<Node> nodes;
  HeapVector<Index> successors;
  HeapVector<Index> vertices;
  nodes.reserve(nodes_.size());
  successors.reserve(successors_.size());
  vertices.reserve(size());
  const auto move_successors = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) successors.push_back(number[successors_[i]]);
  };
  move_successors(0, starts_);
  for (const Index old : order) {
    Node& node = nodes.emplace_back(nodes_[old]);
    const auto first = static_cast<Index>(successors.size());
    move_successors(node.first, node.last);
    node.joins += first - node.first;
    node.last += first - node.first;
    node.first = first;
    vertices.push_back(order_[old]);
  }
  nodes.push_back(nodes_[end()]);
  nodes_ = std::move(nodes);
  successors_ = std::move(successors);
  order_ = std::move(vertices);

  // Each node has at most one such position: after its only predecessor, or among the sources.
  const auto claim_positions = [this](Index first, Index last) {
    for (Index i = first; i < last; ++i) nodes_[successors_[i]].position = i;
  };
  claim_positions(0, sources_);
  for (const Node& node : nodes_) {
    if (!node.is_condition) claim_positions(node.first, node.joins);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
