// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Snapshot: the description of fibers by their home workers, and the search for owners of locks
// and for cycles of waits.
#include "jobs/runtime/diagnostics/snapshot.hpp"

#include <algorithm>
#include <utility>

#include "jobs/fiber/backtrace.hpp"
#include "jobs/runtime/diagnostics/waiting_tasks.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/core/lock_holder.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

const void* address_of(CodeAddress function) noexcept {
  return reinterpret_cast<const void*>(function);
}

// Returns true for waits that end without a fiber.
bool ends_by_itself(WaitKind kind) noexcept {
  return kind == WaitKind::kSleep || kind == WaitKind::kBlocking || kind == WaitKind::kIo;
}

// The live Fibers of the process. They keep their memory while this object exists.
class LiveFibers {
 public:
  LiveFibers() {
    FiberRegistry::instance().for_each([this](FiberControl& fiber) {
      fibers_.push_back(&fiber);
      fiber.add_owner();
    });
  }
  ~LiveFibers() {
    for (FiberControl* const fiber : fibers_) fiber->release();
  }
  LiveFibers(const LiveFibers&) = delete;
  LiveFibers& operator=(const LiveFibers&) = delete;

  auto begin() const { return fibers_.begin(); }
  auto end() const { return fibers_.end(); }

 private:
  std::vector<FiberControl*> fibers_;
};

// `report`: a FiberReport or a WorkerReport.
template <class Described>
void describe_fiber(Described& report, const FiberControl& control) {
  report.name = control.name();
  report.file = control.site().file_name();
  report.line = control.site().line();
}

FiberSnapshot snapshot_of(const FiberCore& fiber, const Worker& worker, FiberState state) {
  FiberSnapshot fiber_snapshot;
  fiber_snapshot.fiber = &fiber;
  FiberReport& report = fiber_snapshot.report;
  report.id = FiberId{std::uint64_t{fiber.id}};
  if (const FiberControl* const control = FiberControl::of(fiber)) {
    describe_fiber(report, *control);
    report.is_daemon = control->is_daemon();
  }
  report.is_job = fiber.control == nullptr && fiber.id != 0;
  report.state = state;
  report.worker = worker.index();
  report.function = report.is_job ? address_of(fiber.job) : nullptr;
  return fiber_snapshot;
}

FiberSnapshot snapshot_of_waiting(const StackFiber& fiber, const Worker& worker) {
  FiberSnapshot fiber_snapshot = snapshot_of(fiber, worker, FiberState::kWaiting);
  fiber_snapshot.owner = owner_of(fiber.waits_for);
  fiber_snapshot.report.waits_for = fiber.waits_for.kind;
  fiber_snapshot.report.object = fiber.waits_for.object;
  if (fiber.suspended_at != 0)
    fiber_snapshot.report.waited = std::chrono::nanoseconds(os::now() - fiber.suspended_at);
  // The fiber may describe itself while it suspends. Its context is not saved yet in that case.
  fiber_snapshot.report.frames = &fiber == &worker.current() ? frames_here() : frames_of(fiber);
  return fiber_snapshot;
}

// Returns the cycles of waits. Fiber i waits for fiber next[i]. Each cycle occurs once, and starts
// with its first fiber.
std::vector<std::vector<std::size_t>> cycles_of(const std::vector<std::size_t>& next) {
  std::vector<std::vector<std::size_t>> cycles;
  std::vector<std::size_t> walk(next.size(), kNone);  // The start of the walk that passed here.
  for (std::size_t start = 0; start < next.size(); ++start) {
    std::size_t at = start;
    while (at != kNone && walk[at] == kNone) {
      walk[at] = start;
      at = next[at];
    }
    if (at == kNone || walk[at] != start) continue;
    std::vector<std::size_t>& indices = cycles.emplace_back();
    const std::size_t first = at;
    do {
      indices.push_back(at);
      at = next[at];
    } while (at != first);
  }
  return cycles;
}

// Recognises joins: a join waits for an event that is a member of a Fiber.
void find_joins(std::vector<FiberSnapshot>& snapshots, const LiveFibers& live) {
  for (FiberSnapshot& fiber_snapshot : snapshots) {
    if (fiber_snapshot.report.waits_for != WaitKind::kEvent) continue;
    for (const FiberControl* const control : live) {
      if (&control->finished != fiber_snapshot.report.object) continue;
      fiber_snapshot.report.waits_for = WaitKind::kJoin;
      fiber_snapshot.report.owner_kind = FiberReport::OwnerKind::kFiber;
      fiber_snapshot.report.owner = FiberId{control->id};
    }
  }
}

void add_unstarted(std::vector<FiberSnapshot>& snapshots, const LiveFibers& live,
                   const Shared& shared) {
  for (const FiberControl* const control : live) {
    if (!control->belongs_to(shared) || control->worker() != FiberControl::kNoWorker ||
        control->plays_thread())
      continue;
    FiberReport& report = snapshots.emplace_back().report;
    report.id = FiberId{control->id};
    describe_fiber(report, *control);
    report.is_daemon = control->is_daemon();
    report.has_begun = false;
    report.state = control->fiber_signals.state();
  }
}

struct Running {
  const void* fiber;
  FiberId id;
};

// Returns for each fiber the index of the fiber that it waits for.
std::vector<std::size_t> find_owners(std::vector<FiberSnapshot>& snapshots,
                                     const std::vector<Running>& running) {
  std::vector<std::size_t> next(snapshots.size(), kNone);
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const void* const owner = snapshots[i].owner;
    FiberReport& report = snapshots[i].report;
    const bool joins = report.waits_for == WaitKind::kJoin;
    if (owner == nullptr && !joins) continue;
    const auto found = std::ranges::find_if(snapshots, [&](const FiberSnapshot& other) {
      return joins ? other.report.id == report.owner : other.fiber == owner;
    });
    if (found != snapshots.end()) next[i] = static_cast<std::size_t>(found - snapshots.begin());
    if (joins) continue;
    const auto runs = std::ranges::find(running, owner, &Running::fiber);
    report.owner_kind = FiberReport::OwnerKind::kFiber;
    if (found != snapshots.end()) {
      report.owner = found->report.id;
    } else if (runs != running.end()) {
      report.owner = runs->id;
    } else {
      report.owner_kind = FiberReport::OwnerKind::kOutside;
    }
  }
  return next;
}

}  // namespace

void WorkerSnapshot::answer(FiberHost& worker, bool worker_is_idle) noexcept {
  const std::shared_ptr<Snapshot> snapshot = std::move(parent);
  try {
    Snapshot::describe(*this, static_cast<Worker&>(worker), worker_is_idle);
  } catch (const std::bad_alloc&) {
    fibers.clear();
  }
  const std::scoped_lock lock(snapshot->mutex_);
  answered = true;
  if (--snapshot->missing_ == 0) snapshot->progress_.notify_all();
}

void WorkerSnapshot::answer_as_vacant() noexcept {
  const std::shared_ptr<Snapshot> snapshot = std::move(parent);
  const std::scoped_lock lock(snapshot->mutex_);
  idle = answered = true;
  --snapshot->missing_;
}

void WorkerSnapshot::refuse() noexcept {
  const std::shared_ptr<Snapshot> snapshot = std::move(parent);
}

std::shared_ptr<Snapshot> Snapshot::make(Shared& shared, std::chrono::milliseconds timeout) {
  auto self = std::make_shared<Snapshot>();
  self->shared_ = &shared;
  self->missing_ = shared.worker_count();
  for (unsigned i = 0; i < shared.worker_count(); ++i) {
    self->parts_.push_back(std::make_unique<WorkerSnapshot>());
  }
  for (unsigned i = 0; i < shared.worker_count(); ++i) {
    Worker& worker = Worker::of(shared, i);
    WorkerSnapshot& part = *self->parts_[i];
    part.parent = self;
    if (this_thread().host == &worker) {
      part.answer(worker, false);
    } else if (worker.is_vacant()) {
      part.answer_as_vacant();
    } else {
      worker.post(part);
    }
  }
  std::unique_lock lock(self->mutex_);
  self->progress_.wait_for(lock, timeout, [&] { return self->missing_ == 0; });
  return self;
}

void Snapshot::describe(WorkerSnapshot& part, Worker& worker, bool idle) {
  part.idle = idle;
  part.has_timers = worker.has_timers();
  part.running = FiberId{std::uint64_t{worker.current().id}};
  part.running_core = &worker.current();
  worker.for_each_fiber([&](const StackFiber& fiber) {
    if (fiber.suspended != FiberCore::kAwake)
      part.fibers.push_back(snapshot_of_waiting(fiber, worker));
  });
  worker.for_each_ready([&](const FiberCore& fiber) {
    part.fibers.push_back(snapshot_of(fiber, worker, FiberState::kRunnable));
  });
}

bool Snapshot::all_answered() const {
  const std::scoped_lock lock(mutex_);
  return missing_ == 0;
}

bool Snapshot::cannot_progress() const {
  const std::scoped_lock lock(mutex_);
  return missing_ == 0 && std::ranges::all_of(parts_, [](const auto& part) {
           return part->idle && !part->has_timers &&
                  std::ranges::all_of(part->fibers, [](const FiberSnapshot& fiber_snapshot) {
                    return fiber_snapshot.report.state == FiberState::kWaiting &&
                           !ends_by_itself(fiber_snapshot.report.waits_for);
                  });
         });
}

bool Snapshot::has_waiters() const {
  if (WaitingTasks::instance().count(*shared_) != 0) return true;
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(parts_, [](const auto& part) {
    return part->answered &&
           std::ranges::any_of(part->fibers, [](const FiberSnapshot& fiber_snapshot) {
             return !fiber_snapshot.report.is_daemon;
           });
  });
}

namespace {

// Returns how many of the outstanding jobs no fiber runs.
std::uint64_t count_waiting_jobs(std::uint64_t outstanding, const Report& report) {
  const auto busy = std::ranges::count(report.workers, false, &WorkerReport::idle);
  const auto listed = std::ranges::count(report.fibers, false, &FiberReport::is_daemon);
  const auto known = static_cast<std::uint64_t>(busy + listed) + report.waiting_tasks;
  return outstanding > known ? outstanding - known : 0;
}

void add_tasks(Report& report, const Shared& shared) {
  constexpr std::size_t kMost = 1000;
  if (WaitingTasks::instance().count(shared) == 0) return;
  std::vector<TaskFacts> found;
  found.reserve(kMost);
  report.waiting_tasks = WaitingTasks::instance().for_each(
      shared, kMost, [&](const TaskFacts& facts) { found.push_back(facts); });
  for (const TaskFacts& facts : found) {
    TaskReport& task = report.tasks.emplace_back();
    task.waits_for = facts.wait.kind;
    task.object = facts.wait.object;
    const auto* const first = facts.sites.data();
    task.sites.assign(first, first + facts.depth);
  }
}

}  // namespace

Report Snapshot::report(Report::Reason reason) const {
  Report report;
  report.reason = reason;
  report.participants = shared_->participants().count();
  const std::uint64_t outstanding = shared_->outstanding();
  std::vector<FiberSnapshot> snapshots;
  std::vector<Running> running;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& part : parts_) {
      WorkerReport& worker = report.workers.emplace_back(
          running_on(Worker::of(*shared_, static_cast<unsigned>(report.workers.size()))));
      if (!part->answered) continue;
      worker.answered = true;
      worker.idle = part->idle;
      if (!part->idle) running.push_back({part->running_core, part->running});
      snapshots.insert(snapshots.end(), part->fibers.begin(), part->fibers.end());
    }
  }
  const LiveFibers live;
  find_joins(snapshots, live);
  add_unstarted(snapshots, live, *shared_);
  for (const std::vector<std::size_t>& indices : cycles_of(find_owners(snapshots, running))) {
    std::vector<FiberId>& cycle = report.cycles.emplace_back();
    for (const std::size_t i : indices) cycle.push_back(snapshots[i].report.id);
  }
  for (FiberSnapshot& fiber_snapshot : snapshots)
    report.fibers.push_back(std::move(fiber_snapshot.report));
  add_tasks(report, *shared_);
  report.waiting_jobs = count_waiting_jobs(outstanding, report);
  return report;
}

WorkerReport Snapshot::running_on(const Worker& worker) {
  WorkerReport report;
  report.index = worker.index();
  if (const FiberCore* const fiber = worker.current_remote()) {
    report.running = FiberId{fiber->id.load_remote()};
    report.function = address_of(fiber->job.load_remote());
  }
  FiberControl* const control =
      FiberRegistry::instance().find(static_cast<std::uint64_t>(report.running));
  if (control == nullptr) return report;
  describe_fiber(report, *control);
  report.function = nullptr;
  control->release();
  return report;
}

}  // namespace jobs::inline JOBS_ABI::detail
