// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JobHooks: the observer of the library that calls the hooks. Its workers run the loop with trace
// points, and only this file and the component jobs::trace refer to that loop. If the program
// records traces, too, the observer passes each event on to the recorder.
#include "jobs/job_hooks.hpp"

#include <mutex>

#include "jobs/base/heap.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace {

// The switches of one scheduler. JobHooks owns it, because the workers of an ended scheduler may
// still be in its code.
class HookedSwitches final : public SwitchObserver {
 public:
  JOBS_HEAP_OPERATORS

  HookedSwitches(JobHooks& hooks, SwitchObserver* next_observer, HookedSwitches* next) noexcept
      : next_(next), hooks_(hooks), next_observer_(next_observer) {}

  HookedSwitches* next() const noexcept { return next_; }
  bool passes_on_to(const SwitchObserver* observer) const noexcept {
    return next_observer_ == observer;
  }

  void on_suspend(FiberCore& fiber) noexcept override {
    if (next_observer_ != nullptr) next_observer_->on_suspend(fiber);
    if (fiber.observed_state.load(std::memory_order_relaxed) != FiberState::kWaiting) return;
    fiber.in_observed_wait = true;
    hooks_.on_wait_begin(FiberId{std::uint64_t{fiber.id}}, fiber.waits_for.kind,
                         fiber.waits_for.object);
  }
  void on_resume(FiberCore& fiber) noexcept override {
    if (fiber.in_observed_wait) {
      fiber.in_observed_wait = false;
      hooks_.on_wait_end(FiberId{std::uint64_t{fiber.id}});
    }
    if (next_observer_ != nullptr) next_observer_->on_resume(fiber);
  }

 private:
  HookedSwitches* const next_;
  JobHooks& hooks_;
  SwitchObserver* const next_observer_;
};

class HookedJobs final : public TraceObserver {
 public:
  JOBS_HEAP_OPERATORS

  explicit HookedJobs(JobHooks& hooks) noexcept
      : TraceObserver(&Worker::traced_loop), hooks_(hooks) {
    on_.store(true, std::memory_order_relaxed);
  }
  ~HookedJobs() {
    while (first_ != nullptr) {
      HookedSwitches* const next = first_->next();
      delete first_;
      first_ = next;
    }
  }

  SwitchObserver* scheduler_starts(SwitchObserver* observer) override {
    if (recorder_ != nullptr) observer = recorder_->scheduler_starts(observer);
    const std::scoped_lock lock(mutex_);
    for (HookedSwitches* switches = first_; switches != nullptr; switches = switches->next()) {
      if (switches->passes_on_to(observer)) return switches;
    }
    return first_ = new HookedSwitches(hooks_, observer, first_);
  }
  void record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept override {
    if (event == TraceEvent::kJobBegin) hooks_.on_job_begin(reinterpret_cast<const void*>(first));
    if (recorder_ != nullptr && recorder_->is_on()) recorder_->record(event, first, second);
    if (event == TraceEvent::kJobEnd) hooks_.on_job_end();
  }
  // Workers record parts with the recorder itself.
  void begin_part(TraceEvent, std::uint64_t, std::uint64_t, CodeAddress,
                  std::string_view) noexcept override {}
  void fiber_created(std::uint64_t id, const char* name, const char* file,
                     unsigned line) noexcept override {
    if (recorder_ != nullptr && recorder_->is_on()) recorder_->fiber_created(id, name, file, line);
  }

 private:
  JobHooks& hooks_;
  TraceObserver* const recorder_ = trace_observer();
  ThreadMutex mutex_;
  HookedSwitches* first_ = nullptr;
};

}  // namespace

}  // namespace detail

JobHooks::JobHooks() : observer_(new detail::HookedJobs(*this)) {}
JobHooks::~JobHooks() { delete static_cast<detail::HookedJobs*>(observer_); }

void JobHooks::on_job_begin(const void* /*function*/) noexcept {}
void JobHooks::on_job_end() noexcept {}
void JobHooks::on_wait_begin(FiberId /*fiber*/, WaitKind /*kind*/,
                             const void* /*object*/) noexcept {}
void JobHooks::on_wait_end(FiberId /*fiber*/) noexcept {}
void JobHooks::around_fiber(FiberId /*fiber*/, FiberFunction& body) { body(); }

}  // namespace jobs::inline JOBS_ABI
