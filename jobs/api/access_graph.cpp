// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds the edges of an AccessGraph, in the order in which its nodes were added.
#include "jobs/access_graph.hpp"

#include <optional>
#include <unordered_map>

#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/base/message.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI {

void Access::undeclared(const char* does, const detail::NamedResource& resource) const {
  std::string what = detail::escaped(name_);
  what.append(" ")
      .append(does)
      .append(" ")
      .append(detail::escaped(resource.name))
      .append(", which it has not declared");
  detail::contract_violation("AccessGraph", &resource, what.c_str());
}

// Keeps for each resource the nodes that have accessed it so far.
class AccessGraph::Histories : public detail::HeapObject<AccessGraph::Histories> {
 public:
  void read(const detail::NamedResource* resource, const TaskGraph::Node& node) {
    History& history = histories_[resource];
    if (history.writer) history.writer->precede(node);
    history.readers_since.push_back(node);
  }
  void write(const detail::NamedResource* resource, const TaskGraph::Node& node) {
    History& history = histories_[resource];
    for (const TaskGraph::Node& reader : history.readers_since) reader.precede(node);
    // Readers run after the last writer, so a node that runs after the readers does, too.
    if (history.readers_since.empty() && history.writer) history.writer->precede(node);
    history.readers_since.clear();
    history.writer = node;
  }

 private:
  struct History {
    std::optional<TaskGraph::Node> writer;              // the last writer
    detail::HeapVector<TaskGraph::Node> readers_since;  // readers added after this writer
  };
  using Entry = std::pair<const detail::NamedResource* const, History>;
  std::unordered_map<const detail::NamedResource*, History, std::hash<const detail::NamedResource*>,
                     std::equal_to<const detail::NamedResource*>, detail::HeapAllocator<Entry>>
      histories_;
};

AccessGraph::AccessGraph(Checks checks)
    : checks_(checks), histories_(std::make_unique<Histories>()) {}
AccessGraph::~AccessGraph() = default;

void AccessGraph::add(Access::Resources& to, const detail::NamedResource* const* resources,
                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!Access::has(to, *resources[i])) to.push_back(resources[i]);
  }
}

void AccessGraph::connect(const TaskGraph::Node& node, const Access::Resources& reads,
                          const Access::Resources& writes) {
  for (const detail::NamedResource* resource : reads) {
    // If the node also writes the resource, the edges of the write are enough.
    if (!Access::has(writes, *resource)) histories_->read(resource, node);
  }
  for (const detail::NamedResource* resource : writes) histories_->write(resource, node);
}

}  // namespace jobs::inline JOBS_ABI
