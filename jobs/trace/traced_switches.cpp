// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TracedSwitches: the events.
#include "jobs/trace/traced_switches.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

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

void TracedSwitches::on_suspend(jobs::detail::FiberCore& fiber) noexcept {
  if (Recorder& recorder = Recorder::instance(); recorder.is_on()) recorder.suspended(fiber);
  if (hooks_ != nullptr) hooks_->on_suspend(fiber);
}

void TracedSwitches::on_resume(jobs::detail::FiberCore& fiber) noexcept {
  if (Recorder& recorder = Recorder::instance(); recorder.is_on()) recorder.resumed(fiber);
  if (hooks_ != nullptr) hooks_->on_resume(fiber);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
