// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// TaskGraph runs functions in the order of their dependencies, many times.
///
/// jobs/task_graph_run.hpp has TaskGraph::Run, for concurrent runs of one graph.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <new>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/error.hpp"
#include "jobs/place.hpp"
#include "jobs/priority.hpp"
#include "jobs/runtime/graph/graph_body.hpp"

namespace jobs::inline JOBS_ABI {

class AccessGraph;

namespace detail {
class GraphFirstRun;
class GraphPlan;
class JobLimit;
struct GraphVertex;

// A Result or an Argument, as the input of a node.
template <class T>
using InputOf = typename T::Slot::Input;
template <class F, class... Inputs>
concept NodeFunction = std::invocable<std::decay_t<F>&, InputOf<Inputs>...>;
template <class F, class... Inputs>
concept ConditionFunction = std::is_invocable_r_v<int, std::decay_t<F>&, InputOf<Inputs>...>;

template <class T>
concept NoNodeName = !std::convertible_to<T, std::string_view>;

// A node, or a range of nodes.
template <class T, class Node>
concept NodeOrNodes =
    std::convertible_to<T, const Node&> || requires(std::remove_reference_t<T>& range) {
      { *std::begin(range) } -> std::convertible_to<const Node&>;
      std::end(range);
    };
}  // namespace detail

/// Functions and the order in which they must run; built once, then run many times.
///
/// Repeated runs do not allocate: the second run() of a graph prepares a layout for fast runs,
/// which freeze() prepares at once. A graph that changes in every frame is cleared, built and run:
/// clear() keeps the memory, and the first run needs no preparation.
///
/// A node runs as a job: it may wait, spawn jobs and wait for them,
/// fork, and run loops and other graphs. A node observes the effects of its predecessors. A node
/// that changes the floating-point environment must restore it. There is no order beyond the edges:
/// priorities and critical-path lengths only break ties between nodes that are ready when a worker
/// chooses. A node with a Priority takes its turn among all jobs of the scheduler.
///
/// @snippet graphs.cpp task_graph
///
/// Results pass from node to node, and the edge comes with the result:
///
/// @snippet graphs.cpp results
///
/// A condition selects the node that runs next: its function returns the index of a successor, in
/// the order of the edges. This successor runs even if it still waits for other nodes. Any other
/// value selects none. Only through conditions may a graph return to a node.
///
/// @snippet graphs.cpp condition
///
/// One thread at a time builds a graph. Objects that nodes refer to must outlive the runs; the
/// graph must outlive its handles.
class JOBS_EXPORT TaskGraph {
 public:
  class Node;
  template <class T>
  class Result;
  template <class T>
  class Argument;
  class Limit;
  class Run;

  /// Creates an empty graph.
  TaskGraph();
  /// Destroys the graph; no run() should be in progress.
  ///
  /// The destructor waits for a run() in progress.
  ~TaskGraph();
  /// Moves a graph with its nodes, results and memory.
  ///
  /// Handles, Runs and outer graphs refer to the graph at its new place. Until another graph is
  /// moved to `other`, it is empty, and functions that need a graph throw Error(kBadArgument). The
  /// call aborts if run() of `other` is in progress.
  ///
  /// @snippet graphs.cpp graph_move
  ///
  /// @param other  graph that does not run
  /// @complexity O(1), no allocation
  /// @thread_safety one thread at a time, not during a run()
  TaskGraph(TaskGraph&& other) noexcept;
  /// Destroys the nodes of this graph, and moves another graph to it, as the constructor does.
  ///
  /// The call also aborts if run() of this graph is in progress.
  ///
  /// @param other  graph that does not run
  /// @returns *this
  /// @complexity O(nodes of this graph), no allocation
  /// @thread_safety one thread at a time, not during a run()
  TaskGraph& operator=(TaskGraph&& other) noexcept;

  /// Adds a node that calls function(inputs...).
  ///
  /// The inputs are results of other nodes, passed as const references; the node runs after those
  /// nodes. A result is kept until its node runs again. The argument of the run may be an input,
  /// too.
  ///
  /// @param function  callable with the results of the inputs; moved or copied into the graph
  /// @param name  human-readable name, for dumps
  /// @param inputs  Results and the Argument of this graph
  /// @returns a Node; or a Result<T> if the function returns a T
  /// @throws Error(kBadArgument) if the graph is frozen, or an input is a node of another graph
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(inputs); memory comes from the graph, except for allocations of the closure
  /// @thread_safety one thread at a time
  template <class F, class... Inputs>
    requires detail::NodeFunction<F, Inputs...>
  JOBS_TAG_OF_MODE auto node(F&& function, std::string_view name = {}, const Inputs&... inputs);

  /// Adds a condition: its function returns the index of the successor that runs next.
  ///
  /// See the class. The inputs are those of node().
  ///
  /// @param function  callable with the results of the inputs, for an `int`
  /// @param name  human-readable name, for dumps
  /// @param inputs  Results and the Argument of this graph
  /// @returns the node
  /// @throws Error(kBadArgument) if the graph is frozen, or an input is a node of another graph
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(inputs); memory comes from the graph, except for allocations of the closure
  /// @thread_safety one thread at a time
  template <class F, class... Inputs>
    requires detail::ConditionFunction<F, Inputs...>
  JOBS_TAG_OF_MODE Node condition(F&& function, std::string_view name = {},
                                  const Inputs&... inputs);

  /// @cond internal
  // Wrong calls (jobs/base/wrong_call.hpp).
  template <class F, class... Inputs>
    requires(!detail::NodeFunction<F, Inputs...> && !std::convertible_to<F, TaskGraph&>)
  auto node(F&&, std::string_view = {}, const Inputs&...) {
    static_assert(detail::kNever<F>,
                  "jobs::TaskGraph::node: function must be callable with the results of its "
                  "inputs, as const references; node.precede(other) orders nodes");
    return detail::Anything();
  }
  template <class F, detail::NoNodeName Name, class... Inputs>
  auto node(F&&, Name&&, const Inputs&...) {
    static_assert(detail::kNever<F>,
                  "jobs::TaskGraph::node: takes (function, \"name\", results of nodes...); a "
                  "lambda captures other values");
    return detail::Anything();
  }
  template <class F, class... Inputs>
    requires(!detail::ConditionFunction<F, Inputs...>)
  auto condition(F&&, std::string_view = {}, const Inputs&...) {
    static_assert(detail::kNever<F>,
                  "jobs::TaskGraph::condition: function must be callable with the results of its "
                  "inputs, for an int");
    return detail::Anything();
  }
  template <class F, detail::NoNodeName Name, class... Inputs>
  auto condition(F&&, Name&&, const Inputs&...) {
    static_assert(detail::kNever<F>,
                  "jobs::TaskGraph::condition: takes (function, \"name\", results of nodes...)");
    return detail::Anything();
  }
  /// @endcond

  /// Adds a node that runs another graph.
  ///
  /// The other graph is frozen together with this one, and must outlive it. Each run of this graph
  /// has a run of the other graph of its own. A stop of this graph stops the other one.
  ///
  /// @param sub_graph  graph to run
  /// @param name  human-readable name, for dumps
  /// @returns the node
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1)
  /// @thread_safety one thread at a time
  Node node(TaskGraph& sub_graph, std::string_view name = {});

  /// Declares that each run has an argument, which nodes may take as an input.
  ///
  /// A node gets a reference to the T that run() was called with. Nodes that change it need an
  /// order. Runs that go on concurrently have an argument each. A sub-graph with an argument gets
  /// the argument of the run of the outer graph.
  ///
  /// @snippet graphs.cpp argument
  ///
  /// @tparam T  type of the argument; `const` if nodes only read it
  /// @returns an input for nodes
  /// @throws Error(kBadArgument) if the graph is frozen, or has an argument already
  /// @complexity O(1)
  /// @thread_safety one thread at a time
  template <class T>
  Argument<T> argument();

  /// Makes later runs record when and on which worker each node runs, for dump_dot().
  ///
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @complexity two clock readings per node of a run
  /// @thread_safety one thread at a time
  void measure();

  /// Checks the graph and fixes its layout; the graph cannot change afterwards.
  ///
  /// If the call throws, the graph can be repaired. It does nothing if the graph is frozen already.
  ///
  /// @throws Error(kBadArgument) if nodes form a cycle without a condition (the message names
  ///   them), or if no node can start
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(nodes + edges log edges)
  /// @thread_safety one thread at a time
  void freeze();

  /// Removes all nodes, so that the graph can be built anew.
  ///
  /// The graph keeps its memory: a graph with the same nodes needs no allocation up to the end of
  /// its first run(). A handle to a removed node is invalid; its use throws Error(kBadArgument).
  /// The call aborts if the graph runs, or if a Run of it exists.
  ///
  /// @snippet graphs.cpp clear
  ///
  /// @complexity O(results and functions with a destructor)
  /// @thread_safety one thread at a time, not during a run
  void clear() noexcept;

  /// Runs every node and returns when all have ended.
  ///
  /// The call suspends the calling fiber. An unbound thread runs nodes itself, together with the
  /// workers of its current scheduler, unless nodes have places or a Priority. The graph cannot
  /// change after the call, except by clear(). If a node throws, nodes that have not begun are left
  /// out, and the call throws the first exception. If a stop is requested, nodes that have not
  /// begun are left out, and the call throws Cancelled if there were any. Only one run() at a time
  /// is allowed: a second one aborts. Concurrent runs need a Run each.
  ///
  /// @param stop  token that ends the run early
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kBadArgument) as freeze(), or if the scheduler does not have the place of a node
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity a few ns per node and one atomic operation per edge (bench/graph); no allocation
  ///   once the graph is frozen and has run. The second run freezes the graph; the first run does
  ///   so if the graph has conditions, sub-graphs, limits, places, priorities, weights or
  ///   measurement
  /// @thread_safety one call at a time
  JOBS_TAG_OF_MODE void run(std::stop_token stop = {}) { run_with({}, std::move(stop)); }

  /// Runs every node with an argument, and returns when all have ended.
  ///
  /// @param argument  passed to the nodes by reference
  /// @param stop  token that ends the run early
  /// @throws exception as run() without an argument
  /// @throws Error(kBadArgument) also if the graph has declared an argument of another type or none
  /// @complexity as run() without an argument
  /// @thread_safety one call at a time
  template <class T>
    requires(!std::convertible_to<T, std::stop_token>)
  JOBS_TAG_OF_MODE void run(T&& argument, std::stop_token stop = {}) {
    run_with(detail::GraphArgument::of(argument), std::move(stop));
  }

  /// Returns the result of a node in the last run().
  ///
  /// @param result  node of this graph
  /// @returns reference that stays valid until the node runs again
  /// @throws Error(kBadArgument) if the node has not run, or belongs to another graph
  /// @complexity O(1)
  /// @thread_safety not during a run()
  template <class T>
  const T& get(const Result<T>& result) const;

  /// Returns the number of nodes.
  ///
  /// @returns number of nodes
  /// @complexity O(1)
  /// @thread_safety not while the graph is built
  std::size_t size() const noexcept;

  /// Writes the graph in the language of Graphviz.
  ///
  /// Conditions are diamonds with dashed edges. If the graph is measured, each node states its
  /// duration in the last run(), its start, and its worker.
  ///
  /// @param out  stream to write to
  /// @complexity O(nodes + edges)
  /// @thread_safety not during a run
  void dump_dot(std::ostream& out) const;

 private:
  friend AccessGraph;
  friend Node;

  // The part of building that does not depend on the function.
  std::uint32_t add_slot(detail::GraphSlotMaker make);
  void* allocate_body(std::size_t bytes, std::size_t alignment);
  Node add(detail::GraphBody& body, bool has_destructor, std::string_view name, bool is_condition);
  template <bool kIsCondition, class F, class... Inputs>
  JOBS_TAG_OF_MODE Node add_function(F&& function, std::uint32_t slot, std::string_view name,
                                     const Inputs&... inputs);
  void remove_last() noexcept;
  void declare_argument(const char* type, bool is_const);
  Node no_node() const noexcept;
  void run_with(const detail::GraphArgument& argument, std::stop_token stop);
  void expect_own(const Node& node) const;
  template <class T>
  void expect_own(const Argument<T>& argument) const {
    expect_own(argument.place_);
  }
  template <class Input>
  static void connect(const Input& input, const Node& node);
  const detail::GraphSlots& default_slots() const;
  detail::GraphPlan& plan() const;
  void expect_idle(const char* what) const;

  std::unique_ptr<detail::GraphPlan> plan_;  // null: moved from
  std::unique_ptr<detail::GraphFirstRun> first_;
  std::unique_ptr<Run> run_;  // of run(), from the second one on
};

/// Limits the number of nodes that run concurrently.
///
/// Of the nodes that share a limit, at most `count` run at a time, over all graphs and runs.
/// Waiting nodes occupy neither a worker nor a stack, and run in FIFO order. The limit must outlive
/// the runs.
///
/// @snippet graphs.cpp limit
class JOBS_EXPORT TaskGraph::Limit {
 public:
  /// Creates a limit.
  ///
  /// @param count  largest number of nodes that run concurrently; at least 1
  /// @throws Error(kBadArgument) if `count` is 0
  explicit Limit(std::size_t count);
  /// Destroys the limit; no run may use it any more.
  ~Limit();
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  friend Node;
  const std::unique_ptr<detail::JobLimit> limit_;
};

/// Handle to a node; copies refer to the same node.
///
/// Functions return *this where they can, and take O(1) time. They throw Error(kBadArgument) for
/// nodes of another graph, for removed nodes, and if the graph is frozen or has run. One thread at
/// a time may use the handles of a graph.
class JOBS_EXPORT TaskGraph::Node {
 public:
  /// Adds edges from this node to other nodes: this node runs before them.
  ///
  /// @param others  successors, in the order of the edges: nodes, results, and ranges of nodes or
  ///   results, in any order
  /// @returns *this
  /// @throws Error(kBadArgument) if a node belongs to another graph, or the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  template <class... Others>
    requires(sizeof...(Others) != 0 && (detail::NodeOrNodes<Others, Node> && ...))
  JOBS_TAG_OF_MODE const Node& precede(Others&&... others) const {
    (each(others, [this](const Node& other) { connect(*this, other); }), ...);
    return *this;
  }
  /// @copydoc precede
  const Node& precede(std::initializer_list<Node> others) const;
  /// Adds edges from other nodes to this node: this node runs after them.
  ///
  /// @param others  predecessors: nodes, results, and ranges of nodes or results, in any order
  /// @returns *this
  /// @throws Error(kBadArgument) if a node belongs to another graph, or the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  template <class... Others>
    requires(sizeof...(Others) != 0 && (detail::NodeOrNodes<Others, Node> && ...))
  JOBS_TAG_OF_MODE const Node& succeed(Others&&... others) const {
    (each(others, [this](const Node& other) { connect(other, *this); }), ...);
    return *this;
  }
  /// @copydoc succeed
  const Node& succeed(std::initializer_list<Node> others) const;

  /// @cond internal
  // Wrong calls (jobs/base/wrong_call.hpp).
  template <class... Others>
    requires(!(detail::NodeOrNodes<Others, Node> && ...))
  const Node& precede(Others&&...) const {
    static_assert(detail::kNever<Others...>,
                  "jobs::TaskGraph::Node::precede: takes nodes, results, and ranges of them");
    return *this;
  }
  template <class... Others>
    requires(!(detail::NodeOrNodes<Others, Node> && ...))
  const Node& succeed(Others&&...) const {
    static_assert(detail::kNever<Others...>,
                  "jobs::TaskGraph::Node::succeed: takes nodes, results, and ranges of them");
    return *this;
  }
  /// @endcond

  /// Sets the order among the nodes of the graph: of ready nodes, higher ones start first.
  ///
  /// Among equal priorities the node with the longest path to the end of the graph starts first.
  ///
  /// @param priority  any value; nodes without a call have 0
  /// @returns *this
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  const Node& priority(int priority) const;
  /// Sets the priority among all jobs of the scheduler.
  ///
  /// When the node is ready, it is queued as a job of this priority: a critical node runs before
  /// jobs of other graphs, a low node behind them. Nodes without a call have Priority::kNormal. A
  /// node of another priority costs a job (SpawnOptions::priority), and the workers of its graph
  /// look for other work after each node. Of ready nodes of one such priority, those with a higher
  /// number start first.
  ///
  /// @param priority  one of the five priorities
  /// @returns *this
  /// @throws Error(kBadArgument) if the graph is frozen, or for a value that is none of Priority
  /// @throws std::bad_alloc if there is no memory
  const Node& priority(Priority priority) const;
  /// Sets the length of the node, for the length of paths.
  ///
  /// @param weight  length in any unit, for example microseconds; nodes without a call have 1
  /// @returns *this
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  const Node& weight(unsigned weight) const;
  /// Subjects the node to a limit; a node has at most one.
  ///
  /// @param limit  shared with other nodes
  /// @returns *this
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  const Node& limit(Limit& limit) const;
  /// Restricts the workers that may run the node.
  ///
  /// Without a call any worker may run it. If the scheduler does not have the place,
  /// TaskGraph::run() and Run::start() throw Error(kBadArgument), and begin nothing.
  ///
  /// @param place  workers that may run the node
  /// @returns *this
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @throws std::bad_alloc if there is no memory
  const Node& on(Place place) const;

 private:
  friend TaskGraph;
  Node(detail::GraphPlan& plan, detail::GraphVertex* vertex) noexcept;
  void expect_current() const;
  // Calls f(node) for a node, or for each node of a range.
  template <class Others, class F>
  JOBS_TAG_OF_MODE static void each(Others& others, F f) {
    if constexpr (std::convertible_to<Others&, const Node&>) {
      f(others);
    } else {
      for (const Node& node : others) f(node);
    }
  }
  static void connect(const Node& from, const Node& to);
  detail::GraphVertex& vertex() const;

  detail::GraphPlan* plan_;
  detail::GraphVertex* vertex_;
  std::uint32_t generation_;  // of the plan
};

/// Handle to a node that returns a T.
///
/// @tparam T  type of the result
template <class T>
class TaskGraph::Result : public TaskGraph::Node {
 public:
  /// @cond internal
  using Slot = detail::ResultSlot<T>;
  /// @endcond

 private:
  friend TaskGraph;
  Result(const Node& node, std::uint32_t slot) noexcept : Node(node), slot_(slot) {}

  std::uint32_t slot_;
};

/// Handle to the argument of the runs of a graph: an input of nodes.
///
/// @tparam T  type of the argument
template <class T>
class TaskGraph::Argument {
 public:
  /// @cond internal
  using Slot = detail::ArgumentSlot<T>;
  /// @endcond

 private:
  friend TaskGraph;
  explicit Argument(const Node& place) noexcept : place_(place) {}

  Node place_;  // names the graph, but no node
  static constexpr std::uint32_t slot_ = 0;
};

template <class T>
TaskGraph::Argument<T> TaskGraph::argument() {
  declare_argument(&detail::kArgumentType<std::remove_const_t<T>>, std::is_const_v<T>);
  return Argument<T>(no_node());
}

// An Argument is no node: it has no edge.
template <class Input>
void TaskGraph::connect(const Input& input, const Node& node) {
  if constexpr (std::convertible_to<const Input&, const Node&>) Node::connect(input, node);
}

template <bool kIsCondition, class F, class... Inputs>
TaskGraph::Node TaskGraph::add_function(F&& function, std::uint32_t slot, std::string_view name,
                                        const Inputs&... inputs) {
  (expect_own(inputs), ...);
  using Body = detail::FunctionBody<kIsCondition, std::decay_t<F>, typename Inputs::Slot...>;
  auto* const body = ::new (allocate_body(sizeof(Body), alignof(Body)))
      Body(std::forward<F>(function), slot,
           std::array<std::uint32_t, sizeof...(Inputs)>{inputs.slot_...});
  const Node node =
      add(*body, !std::is_trivially_destructible_v<std::decay_t<F>>, name, kIsCondition);
  JOBS_TRY { (connect(inputs, node), ...); }
  JOBS_CATCH_ALL {
    remove_last();
    JOBS_RETHROW;
  }
  return node;
}

template <class F, class... Inputs>
  requires detail::NodeFunction<F, Inputs...>
auto TaskGraph::node(F&& function, std::string_view name, const Inputs&... inputs) {
  using R = std::invoke_result_t<std::decay_t<F>&, detail::InputOf<Inputs>...>;
  if constexpr (std::is_void_v<R>) {
    return add_function<false>(std::forward<F>(function), 0, name, inputs...);
  } else {
    static_assert(std::is_object_v<R>,
                  "a node returns a value, a pointer or nothing: no reference");
    const std::uint32_t slot = add_slot(&detail::ResultSlot<R>::make);
    return Result<R>(add_function<false>(std::forward<F>(function), slot, name, inputs...), slot);
  }
}

template <class F, class... Inputs>
  requires detail::ConditionFunction<F, Inputs...>
TaskGraph::Node TaskGraph::condition(F&& function, std::string_view name, const Inputs&... inputs) {
  return add_function<true>(std::forward<F>(function), 0, name, inputs...);
}

template <class T>
const T& TaskGraph::get(const Result<T>& result) const {
  expect_own(result);
  return detail::ResultSlot<T>::of(default_slots(), result.slot_).get();
}

}  // namespace jobs::inline JOBS_ABI
