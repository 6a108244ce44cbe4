// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberRef: waits, and the search in the registry of Fibers.
#include "jobs/fiber_ref.hpp"

#include "jobs/fiber.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"

namespace jobs::inline JOBS_ABI {

Event::OnSignal FiberHandle::on_end() const {
  if (control_ == nullptr) detail::throw_not_joinable();
  if (detail::is_current(*control_)) detail::throw_joins_itself();
  return control_->finished.on_signal();
}

bool FiberRef::wait_before(os::Nanoseconds deadline) const {
  if (control_ == nullptr) return true;
  if (detail::is_current(*control_)) detail::throw_joins_itself();
  return control_->finished.wait_until(
      std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)));
}

FiberRef find_fiber(FiberId id) noexcept {
  return FiberRef::adopt(detail::FiberRegistry::instance().find(static_cast<std::uint64_t>(id)));
}

std::vector<FiberRef> live_fibers() {
  std::vector<FiberRef> fibers;
  detail::FiberRegistry::instance().for_each([&fibers](detail::FiberControl& fiber) {
    fibers.push_back(FiberRef::adopt(&fiber));
    fiber.add_owner();
  });
  return fibers;
}

}  // namespace jobs::inline JOBS_ABI
