// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: what is to be done, and what must be done before it. Built once, frozen, then run any number of times without
// allocating.
//
//   jobs::TaskGraph frame;
//   auto physics = frame.node([&] { world.step(); }, "physics"), cull = frame.node([&] { scene.cull(); }, "cull");
//   physics.precede(cull);
//   for (int i = 0; i < 60; ++i) frame.run();
//
// Results go from node to node, and the edge comes with them:
//
//   auto image = frame.node([&] { return load(path); }, "load");
//   frame.node([](const Image& image) { show(image); }, "show", image);
//
// A node that returns an int is a condition: the int says which of its successors, in the order of its edges, goes on, whatever
// else that one waits for; any other value: none. Only through conditions may a graph come back to a node.
//
// A node runs as a job: it may wait, spawn jobs and wait for them, fork, run loops and other graphs. Promised: a node sees what its
// predecessors did. A node that changes the floating-point environment puts it back. Not promised: any order beyond the edges; priorities and lengths of ways only decide what goes first among the
// nodes that are ready when a worker chooses.
#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"
#include "jobs/place.hpp"
#include "jobs/runtime/graph/graph_body.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
class JobLimit;
class GraphPlan;
}  // namespace detail

// Building is for one thread at a time, and throws Error(kBadArgument) once the graph is frozen. What nodes refer to must outlive
// the runs; the graph must outlive its handles.
class JOBS_EXPORT TaskGraph {
 public:
  class Node;
  template <class T>
  class Result;
  class Limit;
  class Run;

  TaskGraph();
  ~TaskGraph();  // waits for run()s under way, of which there should be none
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  // Adds a node that calls function(inputs...), where the inputs are results of other nodes, as const references; it will run after
  // those. The name is for people. Returns a Node; or a Result<T>, if the function returns a T other than int. A result is kept
  // until the same node runs again. Cost: two allocations, and those of the closure.
  template <class F, class... Inputs>
  requires std::invocable < std::decay_t<F>
  &, const Inputs&... >
         JOBS_TAG_OF_MODE auto node(F&& function, std::string_view name = {}, const Result<Inputs>&... inputs);

  // Wrong calls (jobs/base/wrong_call.hpp).
  template <class F, class... Inputs>
  requires(!std::invocable<std::decay_t<F>&, const Inputs&...> &&
           !std::convertible_to<F, TaskGraph&>) auto node(F&&, std::string_view = {}, const Result<Inputs>&...) {
    static_assert(
        detail::kNever<F>,
        "jobs::TaskGraph::node: function must be callable with the results of its inputs, as const references");
    return detail::Anything();
  }

  // Adds a node that runs another graph, which is frozen with this one and must outlive it. Each run of this graph has a run of that
  // one of its own. A stop of this one stops that one.
  Node node(TaskGraph& sub_graph, std::string_view name = {});

  // From now on each run notes when each node ran, and on which worker, for dump_dot(): two clock readings per node.
  void measure();

  // Checks and lays out: from here on the graph does not change. Throws Error(kBadArgument) that names the nodes of a cycle
  // without a condition, or says that no node can start; then the graph can be mended. Once frozen it does nothing.
  // O(nodes + edges log edges).
  void freeze();

  // Runs every node and returns when all have ended: suspends the calling fiber; from an unbound thread, the default scheduler does
  // it. Freezes the graph first if need be. From the second time on it allocates nothing. If a node throws, those that
  // have not begun are left out, and the first exception is thrown here; if a stop is requested, they are left out, and if there
  // were any it throws Cancelled. One run() at a time: a second one aborts; several at a time need a Run each.
  // Cost: see bench/graph; no more than some ns per node and one atomic operation per edge.
  // Throws Error(kStopped), Error(kNoStack).
  void run(std::stop_token stop = {});

  // What the node returned in the last run(). Throws Error(kBadArgument) if it has not run.
  template <class T>
  const T& get(const Result<T>& result) const;

  std::size_t size() const noexcept;

  // The graph in the language of Graphviz; conditions are diamonds with dashed edges, and, if measured, each node says how long it took
  // in the last run(), when, and on which worker. Not while it runs.
  void dump_dot(std::ostream& out) const;

 private:
  friend Node;

  // The part of building that does not depend on the function.
  std::uint32_t add_slot(detail::GraphSlotMaker make);
  Node add(std::unique_ptr<detail::GraphBody> body, std::string_view name, bool is_condition);
  void remove_last() noexcept;
  void expect_own(const Node& node) const;
  const detail::GraphSlots& default_slots() const;

  const std::unique_ptr<detail::GraphPlan> plan_;
  std::unique_ptr<Run> run_;  // run()'s
};

// Of nodes that share a Limit at most `count` run at the same time, whatever graphs and runs they belong to. Those that must wait
// hold neither a worker nor a stack, and go on first come, first served. Must outlive the runs.
class JOBS_EXPORT TaskGraph::Limit {
 public:
  // Throws Error(kBadArgument) for 0.
  explicit Limit(std::size_t count);
  ~Limit();
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  friend Node;
  const std::unique_ptr<detail::JobLimit> limit_;
};

// A handle: copy it at will. All return *this where they can, throw Error(kBadArgument) for nodes of another graph or a frozen
// one, and take O(1).
class JOBS_EXPORT TaskGraph::Node {
 public:
  // This one runs before the others.
  template <std::same_as<Node>... Others>
  const Node& precede(const Node& first, const Others&... others) const {
    connect(*this, first);
    (connect(*this, others), ...);
    return *this;
  }
  // This one runs after the others.
  template <std::same_as<Node>... Others>
  const Node& succeed(const Node& first, const Others&... others) const {
    connect(first, *this);
    (connect(others, *this), ...);
    return *this;
  }

  // Among nodes that are ready at the same time, higher ones start first; 0 without it. Of equal ones, the one starts first with the
  // longest way to the end of the graph.
  const Node& priority(int priority) const;
  // What the node counts for in the length of a way; 1 without it. The unit is yours, such as its microseconds.
  const Node& weight(unsigned weight) const;
  // One for each node.
  const Node& limit(Limit& limit) const;
  // Where it runs (jobs/place.hpp); anywhere without it. run() and start() throw Error(kBadArgument), and begin nothing, if
  // the scheduler has no such place.
  const Node& on(Place place) const;

 private:
  friend TaskGraph;
  Node(detail::GraphPlan& plan, std::uint32_t index) noexcept : plan_(&plan), index_(index) {}
  static void connect(const Node& from, const Node& to);

  detail::GraphPlan* plan_;
  std::uint32_t index_;
};

// A node that returns a T.
template <class T>
class TaskGraph::Result : public TaskGraph::Node {
 private:
  friend TaskGraph;
  Result(const Node& node, std::uint32_t slot) noexcept : Node(node), slot_(slot) {}

  std::uint32_t slot_;
};

// One run of a graph at a time, made once and used again and again; several Runs of one graph may be under way at the same time. Each
// has its own results. The functions of the nodes are shared: they must bear to be called at the same time.
class JOBS_EXPORT TaskGraph::Run {
 public:
  // Freezes the graph if need be (then as freeze(), for one thread). O(nodes) memory. The graph must outlive it.
  explicit Run(TaskGraph& graph);
  ~Run();  // waits
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Starts the nodes and returns at once. A second start before wait() aborts. Allocates nothing. Throws Error(kStopped): nothing has
  // started then.
  void start(std::stop_token stop = {});
  // Returns when all nodes have ended, or throws as TaskGraph::run() does. Once for each start; else aborts.
  void wait();
  void run(std::stop_token stop = {});
  // One load. What the nodes did is seen only by whoever has waited.
  [[nodiscard]] bool is_done() const noexcept;

  template <class T>
  const T& get(const Result<T>& result) const {
    return detail::ResultSlot<T>::of(slots(), result.slot_).get();
  }

 private:
  friend TaskGraph;
  const detail::GraphSlots& slots() const noexcept;
  const std::unique_ptr<detail::GraphRun> run_;
};

template <class F, class... Inputs>
requires std::invocable < std::decay_t<F>
&, const Inputs&... > auto TaskGraph::node(F&& function, std::string_view name, const Result<Inputs>&... inputs) {
  using Body = detail::FunctionBody<std::decay_t<F>, Inputs...>;
  (expect_own(inputs), ...);
  std::uint32_t slot = 0;
  if constexpr (Body::kHasResult) {
    static_assert(std::is_object_v<typename Body::R>, "a node returns a value, a pointer or nothing: no reference");
    slot = add_slot(&detail::ResultSlot<typename Body::R>::make);
  }
  const Node node = add(std::make_unique<Body>(std::forward<F>(function), slot,
                                               std::array<std::uint32_t, sizeof...(Inputs)>{inputs.slot_...}),
                        name, Body::kIsCondition);
  JOBS_TRY { (Node::connect(inputs, node), ...); }
  JOBS_CATCH_ALL {
    remove_last();
    JOBS_RETHROW;
  }
  if constexpr (Body::kHasResult) {
    return Result<typename Body::R>(node, slot);
  } else {
    return node;
  }
}

template <class T>
const T& TaskGraph::get(const Result<T>& result) const {
  expect_own(result);
  return detail::ResultSlot<T>::of(default_slots(), result.slot_).get();
}

}  // namespace jobs::inline JOBS_ABI
