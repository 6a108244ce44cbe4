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

// Keeps for each resource the nodes that have accessed it so far. A node gets all of its edges
// first, which may fail. Then it becomes the reader or the writer of its resources.
class AccessGraph::Histories : public detail::HeapObject<AccessGraph::Histories> {
 public:
  void connect_reader(const detail::NamedResource* resource, const TaskGraph::Node& node) {
    History& history = histories_[resource];
    if (history.writer) history.writer->precede(node);
    auto& readers = history.readers_since;
    if (readers.size() == readers.capacity()) readers.reserve(2 * readers.size() + 1);
  }
  void connect_writer(const detail::NamedResource* resource, const TaskGraph::Node& node) {
    const History& history = histories_[resource];
    for (const TaskGraph::Node& reader : history.readers_since) reader.precede(node);
    // Readers run after the last writer, so a node that runs after the readers does, too.
    if (history.readers_since.empty() && history.writer) history.writer->precede(node);
  }
  // After connect_reader().
  void add_reader(const detail::NamedResource* resource, const TaskGraph::Node& node) noexcept {
    histories_.find(resource)->second.readers_since.push_back(node);
  }
  // After connect_writer().
  void set_writer(const detail::NamedResource* resource, const TaskGraph::Node& node) noexcept {
    History& history = histories_.find(resource)->second;
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
  // If the node also writes a resource that it reads, the edges of the write are enough.
  const auto for_each_read = [&](auto&& visit) {
    for (const detail::NamedResource* const resource : reads) {
      if (!Access::has(writes, *resource)) visit(resource);
    }
  };
  try {
    for_each_read([&](const auto* resource) { histories_->connect_reader(resource, node); });
    for (const auto* resource : writes) histories_->connect_writer(resource, node);
  } catch (...) {
    graph_.remove_last();
    throw;
  }
  for_each_read([&](const auto* resource) { histories_->add_reader(resource, node); });
  for (const auto* resource : writes) histories_->set_writer(resource, node);
}

}  // namespace jobs::inline JOBS_ABI
