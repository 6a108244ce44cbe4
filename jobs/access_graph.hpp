// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AccessGraph: a task graph whose edges come from what its nodes read and write.
//
//   jobs::Resource<World> world("world");
//   jobs::Resource<Image> image("image");
//   jobs::AccessGraph frame;
//   frame.node([](jobs::Access& access) { access.write(world).step(); }, "physics", jobs::writes(world));
//   frame.node([](jobs::Access& access) { draw(access.read(world), access.write(image)); }, "draw", jobs::reads(world),
//              jobs::writes(image));
//   frame.run();
//
// The nodes run as if one after the other in the order in which they were added, as far as the resources can tell: a node comes after
// the last one before it that writes what it reads or writes, and after those that read what it writes. Nodes that only read
// run side by side. A resource can be touched only through Access, which knows what the node has declared.
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

// A value that nodes of AccessGraphs share. Must outlive the graphs.
template <class T>
class Resource : public detail::NamedResource {
 public:
  template <class... Arguments>
  requires std::constructible_from<T, Arguments...> JOBS_TAG_OF_MODE explicit Resource(std::string_view called,
                                                                                       Arguments&&... arguments)
      : NamedResource{std::string(called)}, value_(std::forward<Arguments>(arguments)...) {}
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  // For before and after the runs: nobody checks.
  T& unguarded() noexcept { return value_; }

 private:
  friend Access;
  T value_;
};

template <class... Ts>
auto reads(const Resource<Ts>&... resources) {
  return detail::Reads<sizeof...(Ts)>{{&resources...}};
}
// To write is to read, too.
template <class... Ts>
auto writes(const Resource<Ts>&... resources) {
  return detail::Writes<sizeof...(Ts)>{{&resources...}};
}

// What one node may touch. If the graph checks, touching anything else aborts with a line that names node and resource.
class Access {
 public:
  template <class T>
  JOBS_TAG_OF_MODE const T& read(const Resource<T>& resource) const {
    if (is_checked_ && !has(reads_, resource) && !has(writes_, resource)) [[unlikely]]
      undeclared("reads", resource);
    return resource.value_;
  }
  template <class T>
  JOBS_TAG_OF_MODE T& write(Resource<T>& resource) const {
    if (is_checked_ && !has(writes_, resource)) [[unlikely]]
      undeclared("writes", resource);
    return resource.value_;
  }

 private:
  friend class AccessGraph;
  using Resources = std::vector<const detail::NamedResource*>;

  static bool has(const Resources& resources, const detail::NamedResource& resource) noexcept {
    for (const detail::NamedResource* declared : resources) {
      if (declared == &resource) return true;
    }
    return false;
  }
  [[noreturn]] JOBS_COLD JOBS_EXPORT void undeclared(const char* does, const detail::NamedResource& resource) const;

  std::string name_;
  Resources reads_;
  Resources writes_;
  bool is_checked_ = true;
};

// Everything else is as for TaskGraph, which this one builds.
class JOBS_EXPORT AccessGraph {
 public:
  enum class Checks : bool { kOff, kOn };

  // Checks cost a search through the declarations of the node at each access.
  explicit AccessGraph(Checks checks = Checks::kOn);
  ~AccessGraph();
  AccessGraph(const AccessGraph&) = delete;
  AccessGraph& operator=(const AccessGraph&) = delete;

  // Adds a node that calls function(access) and touches what the declarations say: any number of reads(...) and writes(...).
  template <std::invocable<Access&> F, class... Declarations>
  JOBS_TAG_OF_MODE TaskGraph::Node node(F function, std::string_view name, const Declarations&... declarations) {
    Access access;
    access.name_ = name;
    access.is_checked_ = checks_ == Checks::kOn;
    (declare(access, declarations), ...);
    const Access::Resources reads = access.reads_;
    const Access::Resources writes = access.writes_;
    const TaskGraph::Node node = graph_.node(
        [function = std::move(function), access = std::move(access)]() mutable { static_cast<void>(function(access)); },
        name);
    connect(node, reads, writes);
    return node;
  }

  // The graph with the edges, to add further ones, to freeze, dump and run it.
  TaskGraph& graph() noexcept { return graph_; }
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
  static void add(Access::Resources& to, const detail::NamedResource* const* resources, std::size_t count);
  // The edges to the nodes before it that have touched the same resources.
  void connect(const TaskGraph::Node& node, const Access::Resources& reads, const Access::Resources& writes);

  const Checks checks_;
  TaskGraph graph_;
  const std::unique_ptr<Histories> histories_;
};

}  // namespace jobs::inline JOBS_ABI
