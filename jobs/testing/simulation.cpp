// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The virtual threads, the clock and the checks of a simulation. All functions run on one OS
// thread; simulation.hpp describes the class.
#include "jobs/testing/simulation.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <utility>

#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/testing/pages.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Address space of a virtual thread.
constexpr std::size_t kStackSize = 1024 * 1024;
// In steps: the interval between checks for neglected jobs.
constexpr std::uint64_t kCheckInterval = 64;
// In steps of each thread: the idle protocol needs a few dozen.
constexpr std::uint64_t kPatience = 300;
constexpr std::uint32_t kLongestStall = 3000;  // in steps
// In nanoseconds: the largest delay of a deadline.
constexpr os::Nanoseconds kLatest = 2'000'000;

std::uint64_t simulations = 0;

std::string what_is_in_flight() {
  try {
    if (const std::exception_ptr exception = std::current_exception())
      std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "no std::exception";
  }
  return "no exception";
}

[[noreturn]] void terminated() {
  Simulation::here().fail("std::terminate: " + what_is_in_flight());
}

// Ids of fibers continue from run to run. Each run begins with an id that has the same position in
// the table of the registry.
void begin_ids() {
  // A multiple of the size of the table.
  constexpr std::uint64_t kRound = std::uint64_t{1} << 16;
  const std::uint64_t next = FiberIds::take_range(1) + 1;
  FiberIds::take_range(kRound - next % kRound);
}

constexpr std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) noexcept {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
  return digest ^ digest >> 29;
}

}  // namespace

Simulation* Simulation::current_ = nullptr;

Simulation& Simulation::here() noexcept {
  if (current_ == nullptr)
    os::fatal_error("jobs: the simulated library works only inside of jobs::testing::simulate()\n");
  return *current_;
}

Simulation::Simulation(const testing::Options& options, std::uint64_t seed)
    : options_(options),
      seed_(seed),
      number_(++simulations),
      random_(seed),
      cpus_(1 + random_.below(8)),
      switch_one_in_(1u << random_.below(7)),
      step_time_(std::array{5, 20, 100, 500}[random_.below(4)]),
      rarity_(16u << random_.below(6)) {}

// Leaks the state of a failed run on purpose: other virtual threads may still hold pointers into
// it.
Simulation::~Simulation() {
  for (std::unique_ptr<VirtualThread>& thread : threads_) {
    if (!thread->ended) static_cast<void>(thread.release());
  }
  if (default_core_ != nullptr) static_cast<void>(default_core_.release());
}

testing::Result Simulation::run(const std::function<void()>& body) {
  if (current_ != nullptr) os::fatal_error("jobs: a simulation inside of a simulation\n");
  const std::size_t pages_before = simulated_pages::reserved();
  const std::terminate_handler before = std::set_terminate(&terminated);
  begin_ids();
  current_ = this;
  start([&] {
    body();
    default_core_.reset();
  });
  switch_to(*threads_.front());
  current_ = nullptr;
  std::set_terminate(before);
  if (finding_.empty() && simulated_pages::reserved() != pages_before)
    finding_ = "stacks were not given back to the system\n";
  return {.seed = seed_, .steps = steps_, .digest = mixed(digest_, steps_), .finding = finding_};
}

std::optional<double> Simulation::quota() noexcept {
  if (!options_.faults.changing_quota || choose(4) == 0) return std::nullopt;
  return 1 + choose(cpus_);
}

unsigned Simulation::affinity() noexcept {
  return !options_.faults.changing_quota || choose(4) == 0 ? cpus_ : 1 + choose(cpus_);
}

SchedulerCore& Simulation::default_core() {
  const std::scoped_lock lock(default_mutex_);
  if (default_core_ == nullptr)
    default_core_ =
        std::make_unique<SchedulerCore>(default_options_, kDiagnostics, &read_worker_cpus);
  return *default_core_;
}

void Simulation::set_default_options(SchedulerOptions&& options) {
  const std::scoped_lock lock(default_mutex_);
  if (default_core_ != nullptr) refuse_late_options();
  default_options_ = std::move(options);
}

// --- threads -------------------------------------------------------------------------------------

ThreadId Simulation::start(std::function<void()> body) {
  if (running_ != &host_) {
    step();
    if (refuses_thread()) return 0;
  }
  auto thread = std::make_unique<VirtualThread>();
  thread->id = static_cast<ThreadId>(threads_.size() + 1);
  std::snprintf(thread->name.data(), thread->name.size(), "thread %u", thread->id);
  thread->body = std::move(body);
  thread->stack = simulated_pages::take(kStackSize);
  thread->context = make_context(thread->stack + kStackSize, kStackSize, &Simulation::enter);
  sanitizer::stack_allocated(thread->stack, kStackSize);
  sanitizer::fiber_created(thread->record, thread->stack, kStackSize);
  ready_.push_back(thread.get());
  threads_.push_back(std::move(thread));
  return threads_.back()->id;
}

void Simulation::enter(Arrival arrival) {
  auto& left = *static_cast<VirtualThread*>(arrival.data);
  left.context = arrival.fctx;
  Simulation& simulation = *current_;
  VirtualThread& self = *simulation.running_;
  sanitizer::after_switch(self.record, left.record);
  simulation.registers_.restore(self.registers);
  try {
    std::exchange(self.body, nullptr)();
  } catch (...) {
    simulation.fail("an exception left " + std::string(self.name.data()) + ": " +
                    what_is_in_flight());
  }
  simulation.end_of_thread();
}

void Simulation::end_of_thread() noexcept {
  running_->ended = true;
  std::erase(ready_, running_);
  wake_all(running_);
  const auto is_over = [](const auto& thread) { return thread->ended; };
  if (std::ranges::all_of(threads_, is_over)) switch_to(host_);
  go_on_elsewhere();
  // Unreachable: the thread has ended.
  std::abort();
}

void Simulation::switch_to(VirtualThread& next) noexcept {
  VirtualThread& self = *running_;
  if (&self == &next) return;
  digest_ = mixed(mixed(mixed(digest_, next.id), steps_), static_cast<std::uint64_t>(now_));
  if (options_.trace) {
    std::fprintf(stderr, "%10" PRIu64 " %12.3f us  %-15s -> %s\n", steps_,
                 static_cast<double>(now_ - 1'000'000'000) / 1e3,
                 self.ended    ? "(end)"
                 : self.asleep ? "(asleep)"
                               : "",
                 next.id != 0 ? next.name.data() : "host");
  }
  running_ = &next;
  registers_.save(self.registers);
  sanitizer::before_switch(self.record, next.record, false);
  const Arrival arrival = jump(next.context, &self);
  auto& left = *static_cast<VirtualThread*>(arrival.data);
  left.context = arrival.fctx;
  sanitizer::after_switch(self.record, left.record);
  registers_.restore(self.registers);
}

VirtualThread& Simulation::pick() noexcept {
  const auto any = [&]() -> VirtualThread& {
    return *ready_[choose(static_cast<std::uint32_t>(ready_.size()))];
  };
  VirtualThread* chosen = &any();
  for (int tries = 0; chosen->stalled_until > steps_ && tries < 4; ++tries) chosen = &any();
  return *chosen;
}

void Simulation::step() noexcept {
  ++steps_;
  ++running_->steps;
  if (steps_ > options_.max_steps)
    fail("no end after " + std::to_string(options_.max_steps) + " steps\n" + describe_threads());
  pass_time(step_time_);
  if (neglect_seen_ || steps_ % kCheckInterval == 0) look_for_neglect();
  if (switch_one_in_ > 1 && choose(switch_one_in_) != 0) return;
  if (options_.faults.stalls && choose(16 * rarity_) == 0)
    running_->stalled_until = steps_ + choose(kLongestStall);
  switch_to(pick());
}

void Simulation::spin() noexcept {
  step();
  if (ready_.size() == 1) {
    pass_time(8 * step_time_);
    return;
  }
  VirtualThread* next = &pick();
  while (next == running_) next = ready_[choose(static_cast<std::uint32_t>(ready_.size()))];
  switch_to(*next);
}

void Simulation::join(ThreadId id) noexcept {
  VirtualThread& thread = *threads_[id - 1];
  step();
  while (!thread.ended) sleep(&thread, os::kNever);
}

bool Simulation::sleep(const void* place, os::Nanoseconds deadline) noexcept {
  VirtualThread& self = *running_;
  if (deadline != os::kNever && options_.faults.late_wakes && is_rare())
    deadline += choose(kLatest);
  self.place = place;
  self.deadline = deadline;
  self.timed_out = false;
  self.asleep = true;
  next_deadline_ = std::min(next_deadline_, deadline);
  std::erase(ready_, &self);
  go_on_elsewhere();
  self.word = nullptr;
  return !self.timed_out;
}

void Simulation::go_on_elsewhere() noexcept {
  while (ready_.empty()) {
    look_after_rest();
    now_ = std::max(now_, next_deadline_);
    wake_due();
  }
  switch_to(pick());
}

void Simulation::make_ready(VirtualThread& thread) noexcept {
  thread.asleep = false;
  thread.deadline = os::kNever;
  if (options_.faults.late_wakes && is_rare())
    thread.stalled_until = steps_ + choose(kLongestStall);
  ready_.push_back(&thread);
}

void Simulation::wake_one(const void* place) noexcept {
  std::vector<VirtualThread*> parkers;
  for (const auto& thread : threads_) {
    if (thread->asleep && thread->place == place) parkers.push_back(thread.get());
  }
  if (!parkers.empty()) make_ready(*parkers[choose(static_cast<std::uint32_t>(parkers.size()))]);
}

void Simulation::wake_all(const void* place) noexcept {
  for (const auto& thread : threads_) {
    if (thread->asleep && thread->place == place) make_ready(*thread);
  }
}

bool Simulation::futex_wait(const Atomic<std::uintptr_t>& word, std::uintptr_t expected,
                            os::Nanoseconds deadline) noexcept {
  step();
  running_->expected = static_cast<std::uint32_t>(expected);
  if (static_cast<std::uint32_t>(word.peek()) != running_->expected) return true;
  if (options_.faults.spurious_wakes && is_rare()) return true;
  if (deadline <= now_) return false;
  running_->word = &word;
  return sleep(&word, deadline);
}

// --- time ----------------------------------------------------------------------------------------

void Simulation::pass_time(os::Nanoseconds time) noexcept {
  now_ += time;
  if (now_ >= next_deadline_) wake_due();
}

void Simulation::wake_due() noexcept {
  next_deadline_ = os::kNever;
  for (const auto& thread : threads_) {
    if (!thread->asleep) continue;
    if (thread->deadline <= now_) {
      thread->timed_out = true;
      make_ready(*thread);
    } else {
      next_deadline_ = std::min(next_deadline_, thread->deadline);
    }
  }
}

// --- findings ------------------------------------------------------------------------------------

void Simulation::fail(std::string what) noexcept {
  if (!what.empty() && what.back() != '\n') what += '\n';
  finding_ = std::move(what);
  switch_to(host_);
  // Unreachable: no thread continues in a failed run.
  std::abort();
}

// The checks of the simulation itself are not steps.
bool Simulation::is_neglected() const {
  Simulation* const self = std::exchange(current_, nullptr);
  bool found = false;
  CoreList::instance().for_each(
      [&](SchedulerCore& core) { found = found || core.has_neglected_job(); });
  current_ = self;
  return found;
}

// Called when all threads sleep.
void Simulation::look_after_rest() {
  for (const auto& thread : threads_) {
    if (thread->asleep && thread->word != nullptr &&
        static_cast<std::uint32_t>(thread->word->peek()) != thread->expected)
      fail(std::string(thread->name.data()) +
           " sleeps although its word has changed: a lost wake-up\n" + describe_threads());
  }
  if (is_neglected())
    fail("all threads sleep, and a job waits that one of them could take\n" + describe_threads());
  if (next_deadline_ == os::kNever)
    fail("all threads sleep, and nothing will wake them\n" + describe_threads());
}

// Between a push and the wake-up, a job is neglected for a few steps of the pushing thread.
void Simulation::look_for_neglect() noexcept {
  if (!is_neglected()) {
    neglect_seen_ = false;
    return;
  }
  if (!neglect_seen_) {
    neglect_seen_ = true;
    for (const auto& thread : threads_) thread->steps_before = thread->steps;
    return;
  }
  const auto had_its_chance = [](const VirtualThread* thread) {
    return thread->steps >= thread->steps_before + kPatience;
  };
  if (std::ranges::all_of(ready_, had_its_chance))
    fail("a worker sleeps although a job waits that it could take, and nobody looks for it\n" +
         describe_threads());
}

std::string Simulation::describe_threads() const {
  std::string text = "  now " + std::to_string(now_) + " ns, step " + std::to_string(steps_) + "\n";
  for (const auto& thread : threads_) {
    if (thread->ended) continue;
    text += "  " + std::string(thread->name.data()) + ": ";
    if (!thread->asleep) {
      text += "ready";
    } else if (thread->word != nullptr) {
      text += "parked";
    } else {
      text += "blocked";
    }
    if (thread->asleep && thread->deadline != os::kNever)
      text += " until " + std::to_string(thread->deadline) + " ns";
    text += "\n";
  }
  return text;
}

}  // namespace jobs::inline JOBS_ABI::detail
