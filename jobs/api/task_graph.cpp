// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: building, running, and dumps.
#include "jobs/task_graph.hpp"

#include <ostream>
#include <string>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/runtime/graph/graph_first_run.hpp"
#include "jobs/runtime/graph/graph_plan.hpp"
#include "jobs/runtime/graph/graph_run.hpp"
#include "jobs/runtime/graph/job_limit.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/task_graph_run.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

// A run of a sub-graph, inside of a run of its outer graph.
class SubRunSlot final : public detail::GraphSlot {
 public:
  static GraphSlot* make(void* plan, detail::GraphRun* outer, detail::GraphArena& memory) {
    auto& sub_graph = *static_cast<detail::GraphPlan*>(plan);
    if (!sub_graph.is_frozen())
      throw Error(ErrorCode::kBadArgument, "TaskGraph: a sub-graph that was cleared");
    return ::new (memory.allocate(sizeof(SubRunSlot), alignof(SubRunSlot)))
        SubRunSlot(sub_graph, outer);
  }
  SubRunSlot(const detail::GraphPlan& plan, detail::GraphRun* outer)
      : run(plan, outer), takes_argument(plan.takes_argument()) {}

  detail::GraphRun run;
  const bool takes_argument;
};

class SubGraphBody final : public detail::GraphBody {
 public:
  explicit SubGraphBody(std::uint32_t slot) : slot_(slot) {}

  int call(detail::GraphSlots& slots) override {
    auto& slot = static_cast<SubRunSlot&>(slots[slot_]);
    if (slot.takes_argument) slot.run.set_argument(slots.argument());
    slot.run.run({});
    return kNoChoice;
  }

 private:
  const std::uint32_t slot_;
};

// Writes a name of any length in the escaped form for messages. In DOT, \n is a line break of the
// label; the other escapes get one more backslash, so that a label shows them.
void write_quoted(std::ostream& out, const std::string& name) {
  const std::string form = detail::escaped(name, std::string::npos);
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '\\') {
      const char kind = form[i + 1];
      if (kind != 'n' && kind != '"' && kind != '\\') out << '\\';
      out << form[i++];
    }
    out << form[i];
  }
}

}  // namespace

// --- building --------------------------------------------------------------------------------

TaskGraph::TaskGraph() : plan_(std::make_unique<detail::GraphPlan>()) {}
TaskGraph::~TaskGraph() = default;

TaskGraph::TaskGraph(TaskGraph&& other) noexcept {
  other.expect_idle("moved while it runs");
  plan_ = std::move(other.plan_);
  first_ = std::move(other.first_);
  run_ = std::move(other.run_);
}

TaskGraph& TaskGraph::operator=(TaskGraph&& other) noexcept {
  if (this == &other) return *this;
  expect_idle("replaced while it runs");
  other.expect_idle("moved while it runs");
  run_ = std::move(other.run_);  // runs refer to plans, so they go first
  first_ = std::move(other.first_);
  plan_ = std::move(other.plan_);
  return *this;
}

detail::GraphPlan& TaskGraph::plan() const {
  if (!plan_) throw Error(ErrorCode::kBadArgument, "TaskGraph: it was moved to another one");
  return *plan_;
}

void TaskGraph::expect_idle(const char* what) const {
  if ((run_ && run_->run_->is_started()) || (first_ && first_->is_started()))
    detail::contract_violation("TaskGraph", this, what);
}

std::uint32_t TaskGraph::add_slot(detail::GraphSlotMaker make) {
  return plan().add_slot(make, nullptr);
}

void* TaskGraph::allocate_body(std::size_t bytes, std::size_t alignment) {
  return plan().allocate_body(bytes, alignment);
}

TaskGraph::Node TaskGraph::add(detail::GraphBody& body, bool has_destructor, std::string_view name,
                               bool is_condition) {
  detail::GraphVertex& vertex = plan_->add(body, has_destructor, name);
  if (is_condition) plan_->set_condition(vertex);
  return {*plan_, &vertex};
}

TaskGraph::Node TaskGraph::node(TaskGraph& sub_graph, std::string_view name) {
  const std::uint32_t slot = plan().add_slot(&SubRunSlot::make, &sub_graph.plan());
  detail::GraphVertex& vertex = plan_->emplace<SubGraphBody>(name, slot);
  try {
    plan_->traits(vertex).sub_graph = sub_graph.plan_.get();
  } catch (...) {
    plan_->remove_last();
    throw;
  }
  return {*plan_, &vertex};
}

void TaskGraph::remove_last() noexcept { plan_->remove_last(); }

void TaskGraph::expect_own(const Node& node) const {
  if (node.plan_ != &plan())
    throw Error(ErrorCode::kBadArgument, "TaskGraph: a node of another graph");
  node.expect_current();
}

void TaskGraph::declare_argument(const char* type, bool is_const) {
  plan().declare_argument(type, is_const);
}

TaskGraph::Node TaskGraph::no_node() const noexcept { return {*plan_, nullptr}; }

void TaskGraph::measure() { plan().measure(); }

void TaskGraph::freeze() {
  plan().freeze();
  if (!run_) {
    run_.reset(new Run(
        std::make_unique<detail::GraphRun>(*plan_, nullptr, first_ ? &first_->slots() : nullptr)));
  }
}

void TaskGraph::clear() noexcept {
  expect_idle("cleared while it runs");
  if (!plan_) return;
  run_.reset();
  if (plan_->has_users())
    detail::contract_violation("TaskGraph", this, "cleared while a Run of it exists");
  if (first_) first_->clear();
  plan_->clear();
}

TaskGraph::Node::Node(detail::GraphPlan& plan, detail::GraphVertex* vertex) noexcept
    : plan_(&plan), vertex_(vertex), generation_(plan.generation()) {}

void TaskGraph::Node::expect_current() const {
  if (plan_->generation() != generation_)
    throw Error(ErrorCode::kBadArgument, "TaskGraph: a node that clear() has removed");
}

detail::GraphVertex& TaskGraph::Node::vertex() const {
  expect_current();
  return *vertex_;
}

void TaskGraph::Node::connect(const Node& from, const Node& to) {
  if (from.plan_ != to.plan_)
    throw Error(ErrorCode::kBadArgument, "TaskGraph: an edge to a node of another graph");
  from.plan_->connect(from.vertex(), to.vertex());
}

const TaskGraph::Node& TaskGraph::Node::precede(std::initializer_list<Node> others) const {
  for (const Node& other : others) connect(*this, other);
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::succeed(std::initializer_list<Node> others) const {
  for (const Node& other : others) connect(other, *this);
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::priority(int priority) const {
  plan_->traits(vertex()).priority = priority;
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::priority(Priority priority) const {
  detail::Shared::check_priority(priority);
  plan_->traits(vertex()).job_priority = priority;
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::weight(unsigned weight) const {
  plan_->traits(vertex()).weight = weight;
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::limit(Limit& limit) const {
  plan_->traits(vertex()).limit = limit.limit_.get();
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::on(Place place) const {
  plan_->traits(vertex()).place = place;
  return *this;
}

TaskGraph::Limit::Limit(std::size_t count) : limit_(std::make_unique<detail::JobLimit>(count)) {
  if (count == 0)
    throw Error(ErrorCode::kBadArgument, "TaskGraph::Limit: of 0 nodes, none could ever run");
}
TaskGraph::Limit::~Limit() = default;

// --- running ---------------------------------------------------------------------------------

void TaskGraph::run_with(const detail::GraphArgument& argument, std::stop_token stop) {
  const bool has_run = first_ && first_->is_used() && !first_->is_started();
  if (plan().is_plain() && !plan_->is_frozen() && !has_run) {
    if (!first_) first_ = std::make_unique<detail::GraphFirstRun>(*plan_);
    first_->set_argument(argument);
    first_->run(std::move(stop));
    return;
  }
  freeze();
  run_->run_with(argument, std::move(stop));
}

const detail::GraphSlots& TaskGraph::default_slots() const {
  if (run_) return run_->slots();
  if (!first_ || first_->slots().size() == 0) detail::throw_no_result();
  return first_->slots();
}

TaskGraph::Run::Run(TaskGraph& graph)
    : run_((graph.plan().freeze(), std::make_unique<detail::GraphRun>(*graph.plan_, nullptr))) {}
TaskGraph::Run::Run(std::unique_ptr<detail::GraphRun> run) noexcept : run_(std::move(run)) {}
TaskGraph::Run::~Run() = default;

void TaskGraph::Run::start_with(const detail::GraphArgument& argument, std::stop_token stop) {
  run_->set_argument(argument);
  run_->start(std::move(stop));
}
void TaskGraph::Run::wait() { run_->wait(); }
bool TaskGraph::Run::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  return run_->wait_before(deadline, stop);
}
void TaskGraph::Run::run_with(const detail::GraphArgument& argument, std::stop_token stop) {
  run_->set_argument(argument);
  run_->run(std::move(stop));
}
bool TaskGraph::Run::is_done() const noexcept { return run_->is_done(); }
const detail::GraphSlots& TaskGraph::Run::slots() const noexcept { return run_->slots(); }

// --- human-readable output ---------------------------------------------------------------

std::size_t TaskGraph::size() const noexcept { return plan_ ? plan_->size() : 0; }

void TaskGraph::dump_dot(std::ostream& out) const {
  const detail::GraphRun::NodeTime* const times = run_ ? run_->run_->times() : nullptr;
  os::Nanoseconds begin = os::kNever;
  for (std::uint32_t i = 0; times != nullptr && i < size(); ++i) {
    if (times[i].end != 0 && times[i].start < begin) begin = times[i].start;
  }
  out << "digraph {\n  rankdir=LR; node [shape=box]\n";
  for (std::uint32_t i = 0; i < size(); ++i) {
    const detail::GraphVertex& vertex = plan_->vertex(i);
    out << "  n" << i << " [label=\"";
    write_quoted(out, plan_->name_of(i));
    if (times != nullptr && times[i].end != 0) {
      out << "\\n"
          << static_cast<double>(times[i].end - times[i].start) / 1e3 << " us\\nat "
          << static_cast<double>(times[i].start - begin) / 1e3 << " us on ";
      if (times[i].worker == detail::GraphRun::kCaller) {
        out << "the caller";
      } else {
        out << "worker " << times[i].worker;
      }
    }
    out << '"'
        << (vertex.is_condition                        ? " shape=diamond"
            : plan_->traits_of(i).sub_graph != nullptr ? " shape=box3d"
                                                       : "")
        << "]\n";
    std::uint32_t k = 0;
    vertex.for_each_successor([&](const detail::GraphVertex& to) {
      out << "  n" << i << " -> n" << to.index;
      if (vertex.is_condition) out << " [style=dashed label=" << k++ << ']';
      out << '\n';
    });
  }
  out << "}\n";
}

}  // namespace jobs::inline JOBS_ABI
