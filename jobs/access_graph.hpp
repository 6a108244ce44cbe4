// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// AccessGraph derives the edges of a task graph from reads and writes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/task_graph.hpp"

namespace jobs::inline JOBS_ABI {

class Access;

namespace detail {

struct NamedResource {
  std::string name;
};

template <std::size_t kCount>
struct Reads {
  std::array<const NamedResource*, kCount> resources;
};
template <std::size_t kCount>
struct Writes {
  std::array<const NamedResource*, kCount> resources;
};

}  // namespace detail

/// A value that nodes of an AccessGraph share.
///
/// Nodes access the value through Access only, which checks the declarations of the node. A
/// resource must outlive the graphs.
///
/// @tparam T  type of the value
template <class T>
class Resource : public detail::NamedResource {
 public:
  /// Creates a resource.
  ///
  /// @param called  human-readable name, for error messages
  /// @param arguments  arguments of the constructor of T
  /// @throws exception of the constructor of T
  template <class... Arguments>
    requires std::constructible_from<T, Arguments...>
  JOBS_TAG_OF_MODE explicit Resource(std::string_view called, Arguments&&... arguments)
      : NamedResource{std::string(called)}, value_(std::forward<Arguments>(arguments)...) {}
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  /// Returns the value without a check, for use before and after the runs.
  ///
  /// @returns reference to the value
  /// @thread_safety not during a run
  T& unguarded() noexcept { return value_; }

 private:
  friend Access;
  T value_;
};

/// Declares that a node reads resources.
///
/// @param resources  any number of resources
/// @returns argument of AccessGraph::node()
template <class... Ts>
auto reads(const Resource<Ts>&... resources) {
  return detail::Reads<sizeof...(Ts)>{{&resources...}};
}
/// Declares that a node writes resources; it may read them, too.
///
/// @param resources  any number of resources
/// @returns argument of AccessGraph::node()
template <class... Ts>
auto writes(const Resource<Ts>&... resources) {
  return detail::Writes<sizeof...(Ts)>{{&resources...}};
}

/// The resources that a node may access.
///
/// If the graph has its checks on, access to an undeclared resource aborts with an error message
/// that names node and resource.
class Access {
 public:
  /// Returns a resource for reading.
  ///
  /// @param resource  declared by reads() or writes()
  /// @returns reference that is valid during the call of the node
  /// @complexity O(declarations of the node) with checks, O(1) without
  template <class T>
  JOBS_TAG_OF_MODE const T& read(const Resource<T>& resource) const {
    if (is_checked_ && !has(reads_, resource) && !has(writes_, resource)) [[unlikely]]
      undeclared("reads", resource);
    return resource.value_;
  }
  /// Returns a resource for writing.
  ///
  /// @param resource  declared by writes()
  /// @returns reference that is valid during the call of the node
  /// @complexity O(declarations of the node) with checks, O(1) without
  template <class T>
  JOBS_TAG_OF_MODE T& write(Resource<T>& resource) const {
    if (is_checked_ && !has(writes_, resource)) [[unlikely]]
      undeclared("writes", resource);
    return resource.value_;
  }

 private:
  friend class AccessGraph;
  using Resources = detail::HeapVector<const detail::NamedResource*>;

  static bool has(const Resources& resources, const detail::NamedResource& resource) noexcept {
    for (const detail::NamedResource* declared : resources) {
      if (declared == &resource) return true;
    }
    return false;
  }
  [[noreturn]] JOBS_COLD JOBS_EXPORT void undeclared(const char* does,
                                                     const detail::NamedResource& resource) const;

  std::string name_;
  Resources reads_;
  Resources writes_;
  bool is_checked_ = true;
};

/// Task graph with edges from the declared reads and writes of its nodes.
///
/// As far as the resources can tell, the nodes run as if one after the other, in the order of their
/// addition. A node runs after the last earlier node that writes a resource which it reads or
/// writes. It also runs after the earlier nodes that read a resource which it writes. Nodes that
/// only read the same resources run concurrently.
///
/// The graph builds a TaskGraph; all else is as documented there.
///
/// @snippet graphs.cpp access_graph
class JOBS_EXPORT AccessGraph {
 public:
  /// Selects whether each access is checked against the declarations of the node.
  enum class Checks : bool {
    /// No checks: an undeclared access is a data race.
    kOff,
    /// An undeclared access aborts with an error message.
    kOn
  };

  /// Creates an empty graph.
  ///
  /// @param checks  with Checks::kOn each access searches the declarations of its node
  explicit AccessGraph(Checks checks = Checks::kOn);
  /// Destroys the graph.
  ~AccessGraph();
  AccessGraph(const AccessGraph&) = delete;
  AccessGraph& operator=(const AccessGraph&) = delete;

  /// Adds a node that calls function(access).
  ///
  /// @param function  callable with an Access&; its result is dropped
  /// @param name  human-readable name, for dumps and error messages
  /// @param declarations  any number of reads() and writes()
  /// @returns the node, to add further edges
  /// @throws Error(kBadArgument) if the graph is frozen
  /// @throws std::bad_alloc if there is no memory; the graph has not changed then
  /// @complexity O(declarations + edges)
  /// @thread_safety one thread at a time
  template <std::invocable<Access&> F, class... Declarations>
  JOBS_TAG_OF_MODE TaskGraph::Node node(F function, std::string_view name,
                                        const Declarations&... declarations) {
    Access access;
    access.name_ = name;
    access.is_checked_ = checks_ == Checks::kOn;
    (declare(access, declarations), ...);
    const Access::Resources reads = access.reads_;
    const Access::Resources writes = access.writes_;
    const TaskGraph::Node node =
        graph_.node([function = std::move(function),
                     access = std::move(access)]() mutable { static_cast<void>(function(access)); },
                    name);
    connect(node, reads, writes);
    return node;
  }

  /// Returns the task graph, to add further edges, to freeze, dump and run it.
  ///
  /// @returns reference that is valid as long as this object
  /// @complexity O(1)
  TaskGraph& graph() noexcept { return graph_; }
  /// Runs every node and returns when all have ended, as TaskGraph::run().
  ///
  /// @param stop  token that ends the run early
  /// @throws exception of the first node that threw
  /// @throws Cancelled if a stop left out nodes
  /// @throws Error(kBadArgument) as TaskGraph::run()
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kNoStack) see @ref waiting
  /// @complexity as TaskGraph::run()
  /// @thread_safety one call at a time
  JOBS_TAG_OF_MODE void run(std::stop_token stop = {}) { graph_.run(std::move(stop)); }

 private:
  class Histories;

  template <std::size_t kCount>
  static void declare(Access& access, const detail::Reads<kCount>& reads) {
    add(access.reads_, reads.resources.data(), kCount);
  }
  template <std::size_t kCount>
  static void declare(Access& access, const detail::Writes<kCount>& writes) {
    add(access.writes_, writes.resources.data(), kCount);
  }
  static void add(Access::Resources& to, const detail::NamedResource* const* resources,
                  std::size_t count);
  // Adds the edges from earlier nodes that access the same resources.
  void connect(const TaskGraph::Node& node, const Access::Resources& reads,
               const Access::Resources& writes);

  const Checks checks_;
  TaskGraph graph_;
  const std::unique_ptr<Histories> histories_;
};

}  // namespace jobs::inline JOBS_ABI
