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

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/fiber/current.hpp"
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
  requires std::constructible_from<T, Arguments...>
  explicit Resource(std::string_view called, Arguments&&... arguments)
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
  const T& read(const Resource<T>& resource) const {
    if (is_checked_ && !has(reads_, resource) && !has(writes_, resource)) [[unlikely]]
      undeclared("reads", resource);
    return resource.value_;
  }
  template <class T>
  T& write(Resource<T>& resource) const {
    if (is_checked_ && !has(writes_, resource)) [[unlikely]]
      undeclared("writes", resource);
    return resource.value_;
  }

 private:
  friend class AccessGraph;
  using Resources = std::vector<const detail::NamedResource*>;

  static bool has(const Resources& resources, const detail::NamedResource& resource) {
    return std::find(resources.begin(), resources.end(), &resource) != resources.end();
  }
  [[noreturn]] JOBS_COLD void undeclared(const char* does, const detail::NamedResource& resource) const {
    std::string what = name_;
    what.append(" ").append(does).append(" ").append(resource.name).append(", which it has not declared");
    detail::breach("AccessGraph", &resource, what.c_str());
  }

  std::string name_;
  Resources reads_;
  Resources writes_;
  bool is_checked_ = true;
};

// Everything else is as for TaskGraph, which this one builds.
class AccessGraph {
 public:
  enum class Checks : bool { kOff, kOn };

  // Checks cost a search through the declarations of the node at each access.
  explicit AccessGraph(Checks checks = Checks::kOn) : checks_(checks) {}

  // Adds a node that calls function(access) and touches what the declarations say: any number of reads(...) and writes(...).
  template <std::invocable<Access&> F, class... Declarations>
  TaskGraph::Node node(F function, std::string_view name, const Declarations&... declarations) {
    Access access;
    access.name_ = name;
    access.is_checked_ = checks_ == Checks::kOn;
    (declare(access, declarations), ...);
    // What is written, too, needs no edge for its reading.
    std::erase_if(access.reads_, [&](const auto* resource) { return Access::has(access.writes_, *resource); });
    const Access::Resources reads = access.reads_;
    const Access::Resources writes = access.writes_;
    const TaskGraph::Node node = graph_.node(
        [function = std::move(function), access = std::move(access)]() mutable { static_cast<void>(function(access)); },
        name);
    for (const detail::NamedResource* resource : reads) note_read(node, histories_[resource]);
    for (const detail::NamedResource* resource : writes) note_write(node, histories_[resource]);
    return node;
  }

  // The graph with the edges, to add further ones, to freeze, dump and run it.
  TaskGraph& graph() noexcept { return graph_; }
  void run(std::stop_token stop = {}) { graph_.run(std::move(stop)); }

 private:
  // Who has touched a resource so far.
  struct History {
    std::optional<TaskGraph::Node> writer;       // the last one
    std::vector<TaskGraph::Node> readers_since;  // after that
  };

  template <std::size_t kCount>
  static void declare(Access& access, const detail::Reads<kCount>& reads) {
    add(access.reads_, reads.resources);
  }
  template <std::size_t kCount>
  static void declare(Access& access, const detail::Writes<kCount>& writes) {
    add(access.writes_, writes.resources);
  }
  template <std::size_t kCount>
  static void add(Access::Resources& to, const std::array<const detail::NamedResource*, kCount>& resources) {
    for (const detail::NamedResource* resource : resources) {
      if (!Access::has(to, *resource)) to.push_back(resource);
    }
  }
  static void note_read(const TaskGraph::Node& node, History& history) {
    if (history.writer) history.writer->precede(node);
    history.readers_since.push_back(node);
  }
  static void note_write(const TaskGraph::Node& node, History& history) {
    for (const TaskGraph::Node& reader : history.readers_since) reader.precede(node);
    // Readers come after the last writer, so whoever comes after them does, too.
    if (history.readers_since.empty() && history.writer) history.writer->precede(node);
    history.readers_since.clear();
    history.writer = node;
  }

  const Checks checks_;
  TaskGraph graph_;
  std::unordered_map<const detail::NamedResource*, History> histories_;
};

}  // namespace jobs::inline JOBS_ABI
