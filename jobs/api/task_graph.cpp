// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: building, running, and dumps.
#include "jobs/task_graph.hpp"

#include <ostream>
#include <string>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/runtime/graph/graph_plan.hpp"
#include "jobs/runtime/graph/graph_run.hpp"
#include "jobs/runtime/graph/job_limit.hpp"
#include "jobs/task_graph_run.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

// A run of a sub-graph, inside of a run of its outer graph.
class SubRunSlot final : public detail::GraphSlot {
 public:
  static std::unique_ptr<GraphSlot> make(void* plan, detail::GraphRun& outer) {
    return std::make_unique<SubRunSlot>(*static_cast<detail::GraphPlan*>(plan), outer);
  }
  SubRunSlot(const detail::GraphPlan& plan, detail::GraphRun& outer) : run(plan, &outer) {}

  detail::GraphRun run;
};

class SubGraphBody final : public detail::GraphBody {
 public:
  explicit SubGraphBody(std::uint32_t slot) : slot_(slot) {}

  int call(detail::GraphSlots& slots) override {
    static_cast<SubRunSlot&>(*slots[slot_]).run.run({});
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

std::uint32_t TaskGraph::add_slot(detail::GraphSlotMaker make) {
  return plan_->add_slot(make, nullptr);
}

TaskGraph::Node TaskGraph::add(std::unique_ptr<detail::GraphBody> body, std::string_view name,
                               bool is_condition) {
  const std::uint32_t index = plan_->add(std::move(body), name);
  plan_->vertex(index).is_condition = is_condition;
  return {*plan_, index};
}

TaskGraph::Node TaskGraph::node(TaskGraph& sub_graph, std::string_view name) {
  const std::uint32_t slot = plan_->add_slot(&SubRunSlot::make, sub_graph.plan_.get());
  const Node node = add(std::make_unique<SubGraphBody>(slot), name, false);
  plan_->vertex(node.index_).sub_graph = sub_graph.plan_.get();
  return node;
}

void TaskGraph::remove_last() noexcept { plan_->remove_last(); }

void TaskGraph::expect_own(const Node& node) const {
  if (node.plan_ != plan_.get())
    throw Error(ErrorCode::kBadArgument, "TaskGraph: a node of another graph");
}

void TaskGraph::measure() { plan_->measure(); }

void TaskGraph::freeze() {
  plan_->freeze();
  if (!run_) run_ = std::make_unique<Run>(*this);
}

void TaskGraph::Node::connect(const Node& from, const Node& to) {
  if (from.plan_ != to.plan_)
    throw Error(ErrorCode::kBadArgument, "TaskGraph: an edge to a node of another graph");
  from.plan_->connect(from.index_, to.index_);
}

const TaskGraph::Node& TaskGraph::Node::priority(int priority) const {
  plan_->vertex(index_).priority = priority;
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::weight(unsigned weight) const {
  plan_->vertex(index_).weight = weight;
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::limit(Limit& limit) const {
  plan_->vertex(index_).limit = limit.limit_.get();
  return *this;
}

const TaskGraph::Node& TaskGraph::Node::on(Place place) const {
  plan_->vertex(index_).place = place;
  return *this;
}

TaskGraph::Limit::Limit(std::size_t count) : limit_(std::make_unique<detail::JobLimit>(count)) {
  if (count == 0)
    throw Error(ErrorCode::kBadArgument, "TaskGraph::Limit: of 0 nodes, none could ever run");
}
TaskGraph::Limit::~Limit() = default;

// --- running ---------------------------------------------------------------------------------

void TaskGraph::run(std::stop_token stop) {
  freeze();
  run_->run(std::move(stop));
}

const detail::GraphSlots& TaskGraph::default_slots() const {
  if (!run_) detail::throw_no_result();
  return run_->slots();
}

TaskGraph::Run::Run(TaskGraph& graph)
    : run_((graph.plan_->freeze(), std::make_unique<detail::GraphRun>(*graph.plan_, nullptr))) {}
TaskGraph::Run::~Run() = default;

void TaskGraph::Run::start(std::stop_token stop) { run_->start(std::move(stop)); }
void TaskGraph::Run::wait() { run_->wait(); }
bool TaskGraph::Run::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  return run_->wait_before(deadline, stop);
}
void TaskGraph::Run::run(std::stop_token stop) { run_->run(std::move(stop)); }
bool TaskGraph::Run::is_done() const noexcept { return run_->is_done(); }
const detail::GraphSlots& TaskGraph::Run::slots() const noexcept { return run_->slots(); }

// --- human-readable output ---------------------------------------------------------------

std::size_t TaskGraph::size() const noexcept { return plan_->size(); }

void TaskGraph::dump_dot(std::ostream& out) const {
  const detail::GraphRun::NodeTime* const times = run_ ? run_->run_->times() : nullptr;
  os::Nanoseconds begin = os::kNever;
  for (std::uint32_t i = 0; times != nullptr && i < plan_->size(); ++i) {
    if (times[i].end != 0 && times[i].start < begin) begin = times[i].start;
  }
  out << "digraph {\n  rankdir=LR; node [shape=box]\n";
  for (std::uint32_t i = 0; i < plan_->size(); ++i) {
    const auto& vertex = plan_->vertices()[i];
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
        << (vertex.is_condition           ? " shape=diamond"
            : vertex.sub_graph != nullptr ? " shape=box3d"
                                          : "")
        << "]\n";
    for (std::size_t k = 0; k < vertex.successors.size(); ++k) {
      out << "  n" << i << " -> n" << vertex.successors[k];
      if (vertex.is_condition) out << " [style=dashed label=" << k << ']';
      out << '\n';
    }
  }
  out << "}\n";
}

}  // namespace jobs::inline JOBS_ABI
