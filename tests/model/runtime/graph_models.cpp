// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRun: runs of one or two schedulers, with limits and failures. Each run ends, each node runs
// once or is skipped, no two nodes of a limit run at once, and no thread accesses a run or a limit
// after its end.
#include "jobs/runtime/graph/graph_run.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "jobs/runtime/graph/graph_first_run.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::inline JOBS_ABI::detail {

// No model has external participants.
ExternalParticipant::ExternalParticipant() : is_inner_(false), context_(nullptr) {}
ExternalParticipant::~ExternalParticipant() = default;

}  // namespace jobs::inline JOBS_ABI::detail

namespace jobs::model {
namespace {

using detail::GraphFirstRun;
using detail::GraphPlan;
using detail::GraphRun;
using detail::GraphVertex;
using detail::JobLimit;
using detail::Plain;
using detail::Shared;

class Body final : public detail::GraphBody {
 public:
  explicit Body(std::function<int()> function) : function_(std::move(function)) {}
  int call(detail::GraphSlots&) override { return function_(); }

 private:
  std::function<int()> function_;
};

struct Failure {};

// One graph, and one run of it on a scheduler.
class Graph {
 public:
  explicit Graph(Shared& scheduler) : scheduler_(scheduler) {}

  // `function`: returns nothing, or the choice of a condition.
  template <class F>
  GraphVertex& node(F function, JobLimit* limit = nullptr) {
    constexpr bool kIsCondition = std::is_same_v<std::invoke_result_t<F>, int>;
    GraphVertex& vertex = plan_.emplace<Body>("", [this, function] {
      check(&detail::this_context()->shared() == &scheduler_,
            "a node runs on the scheduler of its run");
      if constexpr (kIsCondition) {
        return function();
      } else {
        function();
        return detail::GraphBody::kNoChoice;
      }
    });
    if (limit != nullptr) plan_.traits(vertex).limit = limit;
    if (kIsCondition) plan_.set_condition(vertex);
    return vertex;
  }
  void connect(GraphVertex& from, GraphVertex& to) { plan_.connect(from, to); }

  // Runs the graph as it was built, and waits for the run.
  bool run_once() {
    GraphFirstRun run(plan_);
    detail::current_scheduler = &scheduler_;
    try {
      run.run({});
    } catch (const Failure&) {
      return true;
    }
    return false;
  }

  void start() {
    plan_.freeze();
    run_.emplace(plan_, nullptr);
    detail::current_scheduler = &scheduler_;
    run_->start({});
  }
  // Waits for the run, and destroys it. Returns whether a node failed.
  bool wait() {
    bool has_failed = false;
    try {
      run_->wait();
    } catch (const Failure&) {
      has_failed = true;
    }
    run_.reset();
    return has_failed;
  }

 private:
  Shared& scheduler_;
  GraphPlan plan_;
  std::optional<GraphRun> run_;
};

// The caller of a run waits as a thread that belongs to no scheduler.
bool end(Graph& graph, Shared& scheduler) {
  const bool has_failed = graph.wait();
  scheduler.drain();
  return has_failed;
}

bool has_one_permit(JobLimit& limit) {
  detail::Job first(nullptr), second(nullptr);
  return limit.acquire(first) && !limit.acquire(second);
}

// --- one scheduler

void join_of_two_nodes() {
  Shared scheduler(2);
  Plain<int> left{0}, right{0}, sum{0};
  Graph graph(scheduler);
  auto& a = graph.node([&] { left = 1; });
  auto& b = graph.node([&] { right = 2; });
  auto& c = graph.node([&] { sum = left + right; });
  graph.connect(a, c);
  graph.connect(b, c);
  graph.start();
  run_threads([&] { scheduler.serve(0); }, [&] { scheduler.serve(1); },
              [&] {
                check(!end(graph, scheduler), "no node fails");
                check(sum == 3, "the last node sees the first two");
              });
}

void condition_beside_a_node() {
  Shared scheduler(2);
  Plain<int> left{0}, right{0};
  Graph graph(scheduler);
  auto& a = graph.node([&] {
    left = 1;
    return 5;  // no successor
  });
  graph.connect(a, graph.node([] { fail("it was not chosen"); }));
  graph.node([&] { right = 2; });
  graph.start();
  run_threads([&] { scheduler.serve(0); }, [&] { scheduler.serve(1); },
              [&] {
                check(!end(graph, scheduler), "no node fails");
                check(left == 1 && right == 2, "the caller sees all nodes");
              });
}

void one_of_two_nodes_fails() {
  Shared scheduler(2);
  Plain<int> right{0};
  Graph graph(scheduler);
  auto& a = graph.node([] { throw Failure(); });
  auto& b = graph.node([&] { right = 2; });
  auto& c = graph.node([] { fail("a predecessor has failed"); });
  graph.connect(a, c);
  graph.connect(b, c);
  graph.start();
  run_threads([&] { scheduler.serve(0); }, [&] { scheduler.serve(1); },
              [&] { check(end(graph, scheduler), "the failure reaches the caller"); });
}

// --- the first run, on the vertices

void first_run_of_a_join() {
  Shared scheduler(2);
  Plain<int> left{0}, right{0}, sum{0};
  Graph graph(scheduler);
  auto& a = graph.node([&] { left = 1; });
  auto& b = graph.node([&] { right = 2; });
  auto& c = graph.node([&] { sum = left + right; });
  graph.connect(a, c);
  graph.connect(b, c);
  run_threads([&] { scheduler.serve(0); }, [&] { scheduler.serve(1); },
              [&] {
                check(!graph.run_once(), "no node fails");
                scheduler.drain();
                check(sum == 3, "the last node sees the first two");
              });
}

void first_run_of_nodes_without_edges() {
  Shared scheduler(2);
  Plain<int> left{0}, right{0};
  Graph graph(scheduler);
  graph.node([&] { left = 1; });
  graph.node([&] { right = 2; });
  run_threads([&] { scheduler.serve(0); }, [&] { scheduler.serve(1); },
              [&] {
                check(!graph.run_once(), "no node fails");
                check(left == 1 && right == 2, "the caller sees all nodes");
                scheduler.drain();
              });
}

void first_run_fails() {
  Shared scheduler(2);
  Graph graph(scheduler);
  auto& a = graph.node([] { throw Failure(); });
  auto& b = graph.node([] {});
  auto& c = graph.node([] { fail("a predecessor has failed"); });
  graph.connect(a, c);
  graph.connect(b, c);
  run_threads([&] { scheduler.serve(0); }, [&] { scheduler.serve(1); },
              [&] {
                check(graph.run_once(), "the failure reaches the caller");
                scheduler.drain();
              });
}

// --- two schedulers

// Two graphs on schedulers of their own share a limit of one permit. The first graph has a node
// more, whose failure cancels the limited node if it has not begun.
template <bool kFails>
void schedulers_share_a_limit() {
  Shared first(1), second(1);
  std::optional<JobLimit> limit(std::in_place, 1);
  Plain<int> inside{0};
  int ran = 0;
  bool has_failed = false;
  Graph a(first), b(second);
  a.node(
      [&] {
        inside = inside + 1;
        ++ran;
        if (kFails) throw Failure();
      },
      &*limit);
  b.node(
      [&] {
        inside = inside + 1;
        ++ran;
      },
      &*limit);
  a.start();
  b.start();
  run_threads([&] { first.serve(0); }, [&] { second.serve(0); },
              [&] {
                has_failed = end(a, first);
                check(!end(b, second), "a failure stays in its run");
                check(has_one_permit(*limit), "each node has released its permit, once");
                limit.reset();
              });
  check(ran == 2, "each node has run");
  check(has_failed == kFails, "the failure reaches its caller");
  check(first.looks_empty() && second.looks_empty(), "no node is left");
}

// The limited node of the first graph waits for the permit or is skipped: it passes the permit on.
void cancelled_node_waits_for_a_permit() {
  Shared first(1), second(1);
  JobLimit limit(1);
  Plain<int> inside{0};
  int ran = 0;
  Graph a(first), b(second);
  a.node([] { throw Failure(); });
  a.node([&] { inside = inside + 1; }, &limit);
  b.node(
      [&] {
        inside = inside + 1;
        ++ran;
      },
      &limit);
  a.start();
  b.start();
  run_threads([&] { first.serve(0); }, [&] { second.serve(0); },
              [&] {
                check(end(a, first), "the failure reaches its caller");
                check(!end(b, second), "a failure stays in its run");
              });
  check(ran == 1, "the node of the other scheduler has run");
  check(has_one_permit(limit), "each node has released its permit, once");
}

// The second scheduler drains while its only node waits for a permit of the first.
void scheduler_drains_while_its_node_waits_for_a_permit() {
  Shared first(1), second(1);
  JobLimit limit(1);
  int ran = 0;
  Graph a(first), b(second);
  a.node([&] { ++ran; }, &limit);
  b.node([&] { ++ran; }, &limit);
  a.start();
  b.start();
  run_threads([&] { first.serve(0); }, [&] { second.serve(0); }, [&] { second.drain(); },
              [&] { end(a, first); });
  check(!b.wait(), "it has ended");
  check(ran == 2, "each node has run");
}

}  // namespace

const Subject& subject() {
  // Too large to exhaust with a preemption.
  static const Options kWhole = {.preemptions = 0};
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Subject graphs = {
      .headers = {"jobs/runtime/graph/graph_run_state.hpp"},
      .not_shown = {},
      .models =
          {
              {"join_of_two_nodes", join_of_two_nodes, kSampled},
              {"condition_beside_a_node", condition_beside_a_node, kSampled},
              {"one_of_two_nodes_fails", one_of_two_nodes_fails, kSampled},
              {"first_run_of_a_join", first_run_of_a_join, kSampled},
              {"first_run_of_nodes_without_edges", first_run_of_nodes_without_edges, kSampled},
              {"first_run_fails", first_run_fails, kSampled},
              {"schedulers_share_a_limit", schedulers_share_a_limit<false>, kSampled},
              {"limited_node_fails", schedulers_share_a_limit<true>, kSampled},
              {"cancelled_node_waits_for_a_permit", cancelled_node_waits_for_a_permit, kSampled},
              {"scheduler_drains_while_its_node_waits_for_a_permit",
               scheduler_drains_while_its_node_waits_for_a_permit, kSampled},
              {"schedulers_share_a_limit_whole", schedulers_share_a_limit<false>, kWhole},
          },
  };
  return graphs;
}

}  // namespace jobs::model
