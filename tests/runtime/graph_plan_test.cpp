// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/graph/graph_plan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "jobs/runtime/graph/graph_run.hpp"
#include "jobs/scheduler.hpp"
#include "tests/support/seed.hpp"

namespace {

using jobs::detail::GraphBody;
using jobs::detail::GraphPlan;
using jobs::detail::GraphRun;
using jobs::detail::GraphSlots;
using jobs::detail::GraphVertex;
using Order = std::vector<GraphPlan::Index>;

class NoteBody final : public GraphBody {
 public:
  NoteBody(Order& order, GraphPlan::Index vertex, int choice)
      : order_(order), vertex_(vertex), choice_(choice) {}
  int call(GraphSlots&) override {
    order_.push_back(vertex_);
    return choice_;
  }

 private:
  Order& order_;
  const GraphPlan::Index vertex_;
  const int choice_;
};

// Edges go from lower to higher vertices. A condition chooses its first successor, so some vertices
// never run.
void build(GraphPlan& plan, Order& order, std::mt19937_64& random, bool has_conditions) {
  const auto below = [&](std::size_t bound) {
    return static_cast<GraphPlan::Index>(random() % bound);
  };
  const GraphPlan::Index size = 1 + below(60);
  std::vector<GraphVertex*> vertices;
  for (GraphPlan::Index i = 0; i < size; ++i) {
    const bool is_condition = has_conditions && below(5) == 0;
    GraphVertex& vertex =
        plan.emplace<NoteBody>("", order, i, is_condition ? 0 : GraphBody::kNoChoice);
    if (is_condition) plan.set_condition(vertex);
    plan.traits(vertex).priority = static_cast<int>(below(3));
    // The branches of conditions are trees: a vertex that is chosen while it is ready would violate
    // the contract.
    const auto edges = has_conditions ? 1 : below(4);
    for (unsigned k = 0; k < edges && i != 0; ++k) plan.connect(*vertices[below(i)], vertex);
    vertices.push_back(&vertex);
  }
}

TEST(GraphPlan, NumbersNodesAsALoneWorkerRunsThem) {
  jobs::Scheduler scheduler({.worker_count = 1});
  std::mt19937_64 random(jobs::test::seed());
  for (int round = 0; round < 600; ++round) {
    GraphPlan plan;
    Order ran;
    build(plan, ran, random, round % 3 == 0);
    plan.freeze();
    GraphRun run(plan, nullptr);
    for (int i = 0; i < 2; ++i) {
      ran.clear();
      scheduler.run([&] { run.run({}); });
      Order planned;
      std::vector<bool> has_run(plan.size(), false);
      for (const GraphPlan::Index vertex : ran) has_run[vertex] = true;
      for (GraphPlan::Index k = 0; k < plan.size(); ++k) {
        if (has_run[plan.vertex_index(k)]) planned.push_back(plan.vertex_index(k));
      }
      if (!plan.has_conditions()) {
        ASSERT_EQ(ran.size(), plan.size());
      }
      ASSERT_EQ(ran, planned) << "round " << round << ", " << jobs::test::replay();
    }
  }
}

// first -> alone, and first, other -> join: both are ready when first has ended.
TEST(GraphPlan, PutsWhatWaitsForSeveralNodesInItsPlaceByPriority) {
  jobs::Scheduler scheduler({.worker_count = 1});
  for (const int priority : {-1, 1}) {
    GraphPlan plan;
    Order ran;
    enum : GraphPlan::Index { kOther, kFirst, kAlone, kJoin };
    std::vector<GraphVertex*> vertices;
    for (GraphPlan::Index i = 0; i < 4; ++i)
      vertices.push_back(&plan.emplace<NoteBody>("", ran, i, GraphBody::kNoChoice));
    plan.traits(*vertices[kOther]).priority = 2;
    plan.connect(*vertices[kOther], *vertices[kJoin]);
    plan.connect(*vertices[kFirst], *vertices[kAlone]);
    plan.connect(*vertices[kFirst], *vertices[kJoin]);
    plan.traits(*vertices[kJoin]).priority = priority;
    plan.freeze();
    GraphRun run(plan, nullptr);
    scheduler.run([&] { run.run({}); });
    EXPECT_EQ(ran, priority < 0 ? (Order{kOther, kFirst, kAlone, kJoin})
                                : (Order{kOther, kFirst, kJoin, kAlone}));
  }
}

}  // namespace
