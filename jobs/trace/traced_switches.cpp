// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TracedSwitches and TracedWaits: the events.
#include "jobs/trace/traced_switches.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "jobs/runtime/job/probes.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/trace/recorder.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::FiberCore;
using jobs::detail::TraceEvent;

constinit TracedSwitches switches_of_threads(nullptr);
constinit TracedWaits the_waits(switches_of_threads);

std::uint64_t address_of(const void* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}

void record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept {
  if (Recorder& recorder = Recorder::instance(); recorder.stores_events())
    recorder.record(event, first, second);
}

// The wait of a fiber that suspends; the kind is that of WaitKind, or kTraceYield.
void probe_suspension(const FiberCore& fiber) noexcept {
  const FiberState state = fiber.observed_state.load(std::memory_order_relaxed);
  const std::uint64_t id = fiber.id;
  if (state == FiberState::kRunning) {
    JOBS_PROBE1(fiber_end, id);
    return;
  }
  const unsigned kind = state == FiberState::kWaiting ? static_cast<unsigned>(fiber.waits_for.kind)
                                                      : jobs::detail::kTraceYield;
  const void* const object = fiber.waits_for.object;
  JOBS_PROBE3(suspend, id, kind, object);
}

}  // namespace

TracedSwitches* TracedSwitches::of(jobs::detail::SwitchObserver* hooks) {
  static std::mutex mutex;
  static auto& all =
      *new std::map<const jobs::detail::SwitchObserver*, std::unique_ptr<TracedSwitches>>;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<TracedSwitches>& switches = all[hooks];
  if (switches == nullptr) switches = std::make_unique<TracedSwitches>(hooks);
  return switches.get();
}

void TracedSwitches::on_suspend(jobs::detail::FiberCore& fiber) noexcept {
  probe_suspension(fiber);
  if (Recorder& recorder = Recorder::instance(); recorder.is_on()) {
    if (fiber.suspended != FiberCore::kAwake && recorder.stores_events())
      fiber.suspended = FiberCore::kObserved;
    recorder.suspended(fiber);
  }
  if (hooks_ != nullptr) hooks_->on_suspend(fiber);
}

void TracedSwitches::on_resume(jobs::detail::FiberCore& fiber) noexcept {
  const std::uint64_t id = fiber.id;
  JOBS_PROBE1(resume, id);
  if (Recorder& recorder = Recorder::instance(); recorder.is_on()) {
    if (auto* const context = jobs::detail::this_context())
      context->set_traced(recorder.stores_events());
    recorder.resumed(fiber);
  }
  if (hooks_ != nullptr) hooks_->on_resume(fiber);
}

TracedWaits& TracedWaits::instance() noexcept { return the_waits; }

void TracedWaits::on_ready(const FiberCore& fiber, unsigned signal) noexcept {
  record(TraceEvent::kReady, jobs::detail::trace_key(fiber), signal);
}

// A wake-up without a fiber is the token of a worker, or a message to it.
void TracedWaits::on_wake(const jobs::detail::FiberHost& host,
                          const jobs::detail::Wakeup& wakeup) noexcept {
  if (const FiberCore* const fiber = wakeup.fiber) {
    record(TraceEvent::kWakeFiber, jobs::detail::trace_key(*fiber), wakeup.signal);
  } else {
    record(TraceEvent::kWakeWorker, address_of(&host), 0);
  }
}

void TracedWaits::on_lock_wait(const void* lock, const void* owner) noexcept {
  record(TraceEvent::kLockWait, address_of(lock), address_of(owner));
}

void TracedWaits::on_lock_wait_end(const void* lock, bool is_owner) noexcept {
  record(is_owner ? TraceEvent::kLockHeld : TraceEvent::kLockLost, address_of(lock), 0);
}

void TracedWaits::on_unlock(const void* lock) noexcept {
  record(TraceEvent::kLockFree, address_of(lock), 0);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
