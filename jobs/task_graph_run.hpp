// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// TaskGraph::Run is a run of a graph that can be repeated, concurrently with other runs.
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <stop_token>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/deadline.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/runtime/graph/graph_body.hpp"
#include "jobs/task_graph.hpp"

namespace jobs::inline JOBS_ABI {

/// A run of a graph that can be repeated, concurrently with other runs.
///
/// A Run executes one run of its graph at a time, and is created once and reused. Several Run
/// objects of one graph may run concurrently; each has results of its own. They share the functions
/// of the nodes, which must allow concurrent calls.
///
/// @snippet graphs.cpp graph_run
class JOBS_EXPORT TaskGraph::Run : public detail::HeapObject<TaskGraph::Run> {
 public:
  /// Creates a run; freezes the graph if that has not happened.
  ///
  /// @param graph  graph that must outlive the run
  /// @throws Error(kBadArgument) as TaskGraph::freeze()
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(nodes) memory
  /// @thread_safety one thread at a time while the graph is not frozen
  explicit Run(TaskGraph& graph);
  /// Waits for the end of a run in progress.
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Starts the nodes and returns at once.
  ///
  /// A second start before wait() aborts.
  ///
  /// @param stop  token that ends the run early
  /// @throws Error(kStopped) if the scheduler is shut down; nothing was started
  /// @throws Error(kBadArgument) if the scheduler does not have the place of a node; nothing was
  ///   started
  /// @complexity O(nodes without predecessors), no allocation
  /// @thread_safety one thread at a time
  void start(std::stop_token stop = {}) { start_with({}, std::move(stop)); }
  /// Starts the nodes with an argument, and returns at once.
  ///
  /// @param argument  passed to the nodes by reference; must outlive the run
  /// @param stop  token that ends the run early
  /// @throws Error as start() without an argument
  /// @throws Error(kBadArgument) also if the graph has declared an argument of another type or none
  /// @complexity O(nodes without predecessors), no allocation
  /// @thread_safety one thread at a time
  template <class T>
    requires(!std::convertible_to<T&, std::stop_token>)
  void start(T& argument, std::stop_token stop = {}) {
    start_with(detail::GraphArgument::of(argument), std::move(stop));
  }
  /// Waits until all nodes have ended, and throws like TaskGraph::run().
  ///
  /// A run needs one wait that succeeds or throws. A wait without a run aborts. If the wait is
  /// interrupted, nodes that have not begun are left out; the call returns when all nodes have
  /// ended.
  ///
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety one thread at a time
  void wait();

  /// Waits as wait() does, until a stop is requested.
  ///
  /// The nodes run on after a wait without success: the run still needs a wait. To end the run
  /// early, give start() a token. A wait that is interrupted ends the run early, as wait() does.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if all nodes have ended, false if the stop came first
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety one thread at a time
  [[nodiscard]] bool wait(const std::stop_token& stop) { return wait_before(os::kNever, stop); }

  /// Waits as wait() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if all nodes have ended, false if the deadline or the stop came first
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety one thread at a time
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(when), stop);
  }

  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if all nodes have ended, false if the deadline or the stop came first
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety one thread at a time
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  /// Starts the nodes and waits until all have ended.
  ///
  /// @param stop  token that ends the run early
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kBadArgument) if the scheduler does not have the place of a node
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity as TaskGraph::run(); no allocation
  /// @thread_safety one thread at a time
  JOBS_TAG_OF_MODE void run(std::stop_token stop = {}) { run_with({}, std::move(stop)); }
  /// Starts the nodes with an argument, and waits until all have ended.
  ///
  /// @param argument  passed to the nodes by reference
  /// @param stop  token that ends the run early
  /// @throws exception as run() without an argument
  /// @throws Error(kBadArgument) also if the graph has declared an argument of another type or none
  /// @complexity as TaskGraph::run(); no allocation
  /// @thread_safety one thread at a time
  template <class T>
    requires(!std::convertible_to<T, std::stop_token>)
  JOBS_TAG_OF_MODE void run(T&& argument, std::stop_token stop = {}) {
    run_with(detail::GraphArgument::of(argument), std::move(stop));
  }
  /// Tells whether all nodes have ended.
  ///
  /// Only wait() makes the effects of the nodes visible to the caller.
  ///
  /// @returns true if wait() will not block
  /// @complexity one load
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool is_done() const noexcept;

  /// Returns the result of a node in the last run of this object.
  ///
  /// @param result  node of the graph
  /// @returns reference that stays valid until the node runs again
  /// @throws Error(kBadArgument) if the node has not run
  /// @complexity O(1)
  /// @thread_safety not during a run
  template <class T>
  const T& get(const Result<T>& result) const {
    return detail::ResultSlot<T>::of(slots(), result.slot_).get();
  }

 private:
  friend TaskGraph;
  explicit Run(std::unique_ptr<detail::GraphRun> run) noexcept;
  const detail::GraphSlots& slots() const noexcept;
  void start_with(const detail::GraphArgument& argument, std::stop_token stop);
  void run_with(const detail::GraphArgument& argument, std::stop_token stop);
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);

  const std::unique_ptr<detail::GraphRun> run_;
};

}  // namespace jobs::inline JOBS_ABI
