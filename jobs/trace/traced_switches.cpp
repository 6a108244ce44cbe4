// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TracedSwitches: the events.
#include "jobs/trace/traced_switches.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "jobs/runtime/job/probes.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/trace/recorder.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

TracedSwitches* TracedSwitches::of(jobs::detail::SwitchObserver* hooks) {
  static std::mutex mutex;
  static auto& all =
      *new std::map<const jobs::detail::SwitchObserver*, std::unique_ptr<TracedSwitches>>;
  const std::scoped_lock lock(mutex);
  std::unique_ptr<TracedSwitches>& switches = all[hooks];
  if (switches == nullptr) switches = std::make_unique<TracedSwitches>(hooks);
  return switches.get();
}

namespace {

// The wait of a fiber that suspends; the kind is that of WaitKind, or kTraceYield.
void probe_suspension(const jobs::detail::FiberCore& fiber) noexcept {
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

void TracedSwitches::on_suspend(jobs::detail::FiberCore& fiber) noexcept {
  probe_suspension(fiber);
  if (Recorder& recorder = Recorder::instance(); recorder.is_on()) recorder.suspended(fiber);
  if (hooks_ != nullptr) hooks_->on_suspend(fiber);
}

void TracedSwitches::on_resume(jobs::detail::FiberCore& fiber) noexcept {
  const std::uint64_t id = fiber.id;
  JOBS_PROBE1(resume, id);
  if (Recorder& recorder = Recorder::instance(); recorder.is_on()) recorder.resumed(fiber);
  if (hooks_ != nullptr) hooks_->on_resume(fiber);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
