// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inspection: the description of fibers by their home workers, and the search for owners of locks
// and for cycles of waits.
#include "jobs/runtime/diagnostics/snapshot.hpp"

#include <algorithm>
#include <utility>

#include "jobs/fiber/backtrace.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/core/lock_holder.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kNobody = ~std::size_t{0};

const void* address_of(CodeAddress function) noexcept { return reinterpret_cast<const void*>(function); }

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

std::string name_of(FiberId id) {
  FiberControl* const control = FiberRegistry::instance().find(static_cast<std::uint64_t>(id));
  if (control == nullptr) return {};
  std::string name = control->name();
  control->release();
  return name;
}

Sighting see(const FiberCore& fiber, const Worker& worker, FiberState state) {
  Sighting seen;
  seen.fiber = &fiber;
  FiberReport& report = seen.report;
  report.id = FiberId{std::uint64_t{fiber.id}};
  if (fiber.name != nullptr) report.name = fiber.name;
  report.is_job = fiber.control == nullptr && fiber.id != 0;
  report.is_daemon = fiber.control != nullptr && FiberControl::of(fiber)->is_daemon();
  report.state = state;
  report.worker = worker.index();
  report.function = report.is_job ? address_of(fiber.job) : nullptr;
  return seen;
}

Sighting see_waiting(const StackFiber& fiber, const Worker& worker) {
  Sighting seen = see(fiber, worker, FiberState::kWaiting);
  seen.holder = holder_of(fiber.waits_for);
  seen.report.waits_for = fiber.waits_for.kind;
  seen.report.object = fiber.waits_for.object;
  if (fiber.left_at != 0) seen.report.waited = std::chrono::nanoseconds(os::now() - fiber.left_at);
  // The fiber may describe itself while it suspends. Its context is not saved yet in that case.
  seen.report.frames = &fiber == &worker.current() ? frames_here() : frames_of(fiber);
  return seen;
}

// Returns the cycles of waits. Fiber i waits for fiber next[i]. Each cycle occurs once, and starts
// with its first fiber.
std::vector<std::vector<std::size_t>> rounds_of(const std::vector<std::size_t>& next) {
  std::vector<std::vector<std::size_t>> rounds;
  std::vector<std::size_t> walk(next.size(), kNobody);  // The start of the walk that passed here.
  for (std::size_t start = 0; start < next.size(); ++start) {
    std::size_t at = start;
    while (at != kNobody && walk[at] == kNobody) {
      walk[at] = start;
      at = next[at];
    }
    if (at == kNobody || walk[at] != start) continue;
    std::vector<std::size_t>& round = rounds.emplace_back();
    const std::size_t first = at;
    do {
      round.push_back(at);
      at = next[at];
    } while (at != first);
  }
  return rounds;
}

// Recognises joins: a join waits for an event that is a member of a Fiber.
void find_joins(std::vector<Sighting>& sightings, const LiveFibers& live) {
  for (Sighting& seen : sightings) {
    if (seen.report.waits_for != WaitKind::kEvent) continue;
    for (const FiberControl* const control : live) {
      if (&control->finished != seen.report.object) continue;
      seen.report.waits_for = WaitKind::kJoin;
      seen.report.held_by = FiberReport::Holder::kFiber;
      seen.report.holder = FiberId{control->id};
    }
  }
}

void add_those_that_have_not_begun(std::vector<Sighting>& sightings, const LiveFibers& live, const Shared& shared) {
  for (const FiberControl* const control : live) {
    if (!control->belongs_to(shared) || control->worker() != FiberControl::kNoWorker) continue;
    FiberReport& report = sightings.emplace_back().report;
    report.id = FiberId{control->id};
    report.name = control->name();
    report.is_daemon = control->is_daemon();
    report.has_begun = false;
    report.state = control->mailbox.state();
  }
}

struct Running {
  const void* fiber;
  FiberId id;
};

// Returns for each fiber the index of the fiber that it waits for.
std::vector<std::size_t> find_holders(std::vector<Sighting>& sightings, const std::vector<Running>& running) {
  std::vector<std::size_t> next(sightings.size(), kNobody);
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    const void* const holder = sightings[i].holder;
    FiberReport& report = sightings[i].report;
    const bool joins = report.waits_for == WaitKind::kJoin;
    if (holder == nullptr && !joins) continue;
    const auto found = std::ranges::find_if(sightings, [&](const Sighting& other) {
      return joins ? other.report.id == report.holder : other.fiber == holder;
    });
    if (found != sightings.end()) next[i] = static_cast<std::size_t>(found - sightings.begin());
    if (joins) continue;
    const auto runs = std::ranges::find(running, holder, &Running::fiber);
    report.held_by = FiberReport::Holder::kFiber;
    if (found != sightings.end()) {
      report.holder = found->report.id;
    } else if (runs != running.end()) {
      report.holder = runs->id;
    } else {
      report.held_by = FiberReport::Holder::kOutside;
    }
  }
  return next;
}

}  // namespace

InspectionPart::InspectionPart(std::shared_ptr<Inspection> the_whole) : whole(std::move(the_whole)) {}

void InspectionPart::answer(FiberHost& worker, bool worker_is_idle) noexcept {
  const std::shared_ptr<Inspection> inspection = std::move(whole);
  try {
    Inspection::describe(*this, static_cast<Worker&>(worker), worker_is_idle);
  } catch (const std::bad_alloc&) {
    fibers.clear();
  }
  const std::scoped_lock lock(inspection->mutex_);
  answered = true;
  if (--inspection->missing_ == 0) inspection->progress_.notify_all();
}

void InspectionPart::refuse() noexcept { const std::shared_ptr<Inspection> inspection = std::move(whole); }

std::shared_ptr<Inspection> Inspection::make(Shared& shared, std::chrono::milliseconds patience) {
  auto self = std::make_shared<Inspection>();
  self->shared_ = &shared;
  self->missing_ = shared.worker_count();
  for (unsigned i = 0; i < shared.worker_count(); ++i) {
    self->parts_.push_back(std::make_unique<InspectionPart>(self));
  }
  for (unsigned i = 0; i < shared.worker_count(); ++i) {
    Worker& worker = Worker::of(shared, i);
    InspectionPart& part = *self->parts_[i];
    if (this_thread().host == &worker) {
      part.answer(worker, false);
    } else {
      worker.post(part);
    }
  }
  std::unique_lock lock(self->mutex_);
  self->progress_.wait_for(lock, patience, [&] { return self->missing_ == 0; });
  return self;
}

void Inspection::describe(InspectionPart& part, Worker& worker, bool idle) {
  part.idle = idle;
  part.has_timers = worker.has_timers();
  part.running = FiberId{std::uint64_t{worker.current().id}};
  part.running_core = &worker.current();
  worker.for_each_fiber([&](const StackFiber& fiber) {
    if (fiber.suspended) part.fibers.push_back(see_waiting(fiber, worker));
  });
  worker.for_each_ready(
      [&](const FiberCore& fiber) { part.fibers.push_back(see(fiber, worker, FiberState::kRunnable)); });
}

bool Inspection::all_answered() const {
  const std::scoped_lock lock(mutex_);
  return missing_ == 0;
}

bool Inspection::nothing_can_happen() const {
  const std::scoped_lock lock(mutex_);
  return missing_ == 0 && std::ranges::all_of(parts_, [](const auto& part) {
           return part->idle && !part->has_timers && std::ranges::all_of(part->fibers, [](const Sighting& seen) {
                    return seen.report.state == FiberState::kWaiting && !ends_by_itself(seen.report.waits_for);
                  });
         });
}

bool Inspection::somebody_waits() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(parts_, [](const auto& part) {
    return part->answered &&
           std::ranges::any_of(part->fibers, [](const Sighting& seen) { return !seen.report.is_daemon; });
  });
}

Report Inspection::report(Report::Reason reason) const {
  Report report;
  report.reason = reason;
  std::vector<Sighting> sightings;
  std::vector<Running> running;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& part : parts_) {
      WorkerReport& worker =
          report.workers.emplace_back(running_on(Worker::of(*shared_, static_cast<unsigned>(report.workers.size()))));
      if (!part->answered) continue;
      worker.answered = true;
      worker.idle = part->idle;
      if (!part->idle) running.push_back({part->running_core, part->running});
      sightings.insert(sightings.end(), part->fibers.begin(), part->fibers.end());
    }
  }
  const LiveFibers live;
  find_joins(sightings, live);
  add_those_that_have_not_begun(sightings, live, *shared_);
  for (const std::vector<std::size_t>& round : rounds_of(find_holders(sightings, running))) {
    std::vector<FiberId>& cycle = report.cycles.emplace_back();
    for (const std::size_t i : round) cycle.push_back(sightings[i].report.id);
  }
  for (Sighting& seen : sightings) report.fibers.push_back(std::move(seen.report));
  return report;
}

WorkerReport Inspection::running_on(const Worker& worker) {
  WorkerReport report;
  report.index = worker.index();
  if (const FiberCore* const fiber = worker.shown_current()) {
    report.running = FiberId{fiber->id.from_afar()};
    report.function = address_of(fiber->job.from_afar());
  }
  if (report.running != FiberId{}) report.name = name_of(report.running);
  if (!report.name.empty()) report.function = nullptr;
  return report;
}

}  // namespace jobs::inline JOBS_ABI::detail
