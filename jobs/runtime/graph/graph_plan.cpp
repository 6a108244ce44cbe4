// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphPlan: building.
#include "jobs/runtime/graph/graph_plan.hpp"

#include <algorithm>
#include <cstddef>

#include "jobs/base/message.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

void GraphPlan::expect_open() const {
  if (state_ != State::kOpen) [[unlikely]]
    throw Error(ErrorCode::kBadArgument,
                "TaskGraph: it is frozen and cannot be changed before clear()");
}

// The vertex stands directly before its body.
void* GraphPlan::allocate_body(std::size_t bytes, std::size_t alignment) {
  expect_open();
  // Two indices are reserved: kNone, and the node that ends the run.
  if (vertices_.size() >= kNone - 1)
    throw Error(ErrorCode::kBadArgument, "TaskGraph: too many nodes");
  if (alignment <= alignof(GraphVertex)) [[likely]] {
    void* const vertex = memory_.allocate(sizeof(GraphVertex) + bytes, alignof(GraphVertex));
    return static_cast<GraphVertex*>(vertex) + 1;
  }
  return static_cast<std::byte*>(memory_.allocate(alignment + bytes, alignment)) + alignment;
}

GraphVertex& GraphPlan::add(GraphBody& body, bool has_destructor, std::string_view name) {
  const Index index = size();
  void* const place = reinterpret_cast<GraphVertex*>(&body) - 1;
  auto* const vertex = ::new (place) GraphVertex(runner_, index, false);
  try {
    if (index % 64 == 0) has_predecessor_.resize(index / 64 + 1);
    if (!name.empty()) {
      auto* const copy = static_cast<char*>(memory_.allocate(name.size(), 1));
      name.copy(copy, name.size());
      make_traits(index).name = {copy, name.size()};
    }
    vertices_.push_back(vertex);
    if (has_destructor) destructible_.push_back(&body);
  } catch (...) {
    vertices_.resize(index);
    traits_.resize(std::min<std::size_t>(traits_.size(), index));
    if (has_destructor) body.~GraphBody();
    throw;
  }
  return *vertex;
}

void GraphPlan::remove_last() noexcept {
  const GraphVertex& last = *vertices_.back();
  for (GraphVertex* const vertex : vertices_) remove_newest_edges(*vertex, last);
  vertices_.pop_back();
  const Index index = size();
  has_predecessor_[index / 64] &= ~(std::uint64_t{1} << index % 64);
  traits_.resize(std::min<std::size_t>(traits_.size(), index));
  if (!destructible_.empty() &&
      static_cast<void*>(destructible_.back()) == static_cast<const void*>(&last + 1)) {
    destructible_.back()->~GraphBody();
    destructible_.pop_back();
  }
}

void GraphPlan::remove_newest_edges(GraphVertex& vertex, const GraphVertex& to) noexcept {
  for (;;) {
    GraphVertex* before = nullptr;
    GraphVertex* part = &vertex;
    while (GraphVertex* const relay = part->next_relay()) {
      before = part;
      part = relay;
    }
    if (part->count == 0 || part->successor(part->count - 1) != &to) return;
    if (--part->count != 0) continue;
    if (before == nullptr) {
      --with_successor_;
      return;
    }
    before->more->relay = nullptr;
    vertex.more->last_relay = before == &vertex ? nullptr : before;
  }
}

GraphPlan::Index GraphPlan::add_slot(GraphSlotMaker make, void* argument) {
  expect_open();
  slots_.push_back({make, argument});
  return static_cast<Index>(slots_.size() - 1);
}

void GraphPlan::connect(GraphVertex& from, GraphVertex& to) {
  expect_open();
  append(from, to);
  if (from.count == 1) ++with_successor_;
  if (from.is_condition) {
    to.has_weak_predecessor = true;
    return;
  }
  if (from.index >= to.index) has_edge_to_older_ = true;
  // No run is in progress.
  const Index before = to.missing.load(std::memory_order_relaxed);
  if (before == 0) has_predecessor_[to.index / 64] |= std::uint64_t{1} << to.index % 64;
  to.missing.store(before + 1, std::memory_order_relaxed);
}

void GraphPlan::append(GraphVertex& from, GraphVertex& to) {
  GraphVertex& part = from.count == GraphVertex::kMostSuccessors ? relay_of(from) : from;
  if (part.count < GraphVertex::kInline) {
    part.first[part.count] = &to;
  } else {
    // Full if it contains 2, 8, 16 or 32 successors.
    if (std::has_single_bit(part.count) && part.count != 4) grow_edges(part);
    part.more->successors[part.count - GraphVertex::kInline] = &to;
  }
  ++part.count;
}

void GraphPlan::grow_edges(GraphVertex& part) {
  const Index next = part.count == GraphVertex::kInline ? 8 : 2 * part.count;
  const std::size_t bytes =
      offsetof(EdgeBlock, successors) + (next - GraphVertex::kInline) * sizeof(GraphVertex*);
  auto* const block = static_cast<EdgeBlock*>(memory_.allocate(bytes, alignof(GraphVertex)));
  block->relay = block->last_relay = nullptr;
  if (part.more != nullptr) {
    std::copy_n(part.more->successors, part.count - GraphVertex::kInline, block->successors);
  }
  part.more = block;
}

// Returns a relay of the vertex with room for a successor.
GraphVertex& GraphPlan::relay_of(GraphVertex& vertex) {
  GraphVertex* const last = vertex.more->last_relay;
  if (last != nullptr && last->count < GraphVertex::kMostSuccessors) return *last;
  void* const place = memory_.allocate(sizeof(GraphVertex), alignof(GraphVertex));
  auto* const relay = ::new (place) GraphVertex(runner_, vertex.index, true);
  (last != nullptr ? last : &vertex)->more->relay = relay;
  vertex.more->last_relay = relay;
  return *relay;
}

void GraphPlan::set_condition(GraphVertex& vertex) {
  vertex.is_condition = true;
  is_plain_ = false;
}

GraphPlan::Traits& GraphPlan::traits(const GraphVertex& vertex) {
  expect_open();
  is_plain_ = false;
  return make_traits(vertex.index);
}

GraphPlan::Traits& GraphPlan::make_traits(Index vertex) {
  if (traits_.size() <= vertex) traits_.resize(vertex + std::size_t{1});
  Traits*& traits = traits_[vertex];
  if (traits == nullptr) traits = ::new (memory_.allocate(sizeof(Traits), alignof(Traits))) Traits;
  return *traits;
}

void GraphPlan::measure() {
  expect_open();
  is_measured_ = true;
  is_plain_ = false;
}

void GraphPlan::declare_argument(const char* type, bool is_const) {
  expect_open();
  if (argument_.type != nullptr)
    throw Error(ErrorCode::kBadArgument, "TaskGraph: its runs have an argument already");
  argument_ = {nullptr, type, is_const};
}

void GraphPlan::check_argument(const GraphArgument& argument) const {
  if (argument.type == argument_.type && (argument_.is_const || !argument.is_const)) return;
  throw Error(ErrorCode::kBadArgument,
              argument.type == nullptr    ? "TaskGraph: its run needs an argument"
              : argument_.type == nullptr ? "TaskGraph: its run takes no argument"
                                          : "TaskGraph: its run takes an argument of another type");
}

void GraphPlan::clear() noexcept {
  for (GraphBody* const body : destructible_) body->~GraphBody();
  destructible_.clear();
  vertices_.clear();
  traits_.clear();
  has_predecessor_.clear();
  slots_.clear();
  memory_.recycle();
  ++generation_;
  with_successor_ = 0;
  argument_ = {};
  state_ = State::kOpen;
  is_plain_ = true;
  has_edge_to_older_ = is_measured_ = false;
}

void GraphPlan::make_slots(GraphSlots& slots, GraphRun* run) const {
  for (const Slot& slot : slots_) slots.add(slot.make, slot.argument, run);
}

std::string GraphPlan::name_of(Index vertex) const {
  const std::string_view name = traits_of(vertex).name;
  return name.empty() ? "node " + std::to_string(vertex) : std::string(name);
}

std::string GraphPlan::escaped_name_of(Index vertex) const { return escaped(name_of(vertex)); }

}  // namespace jobs::inline JOBS_ABI::detail
