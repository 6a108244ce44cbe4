// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberLocal: keys, and the look-up of a value on the running Fiber.
#include "jobs/fiber_local.hpp"

#include <atomic>

#include "jobs/error.hpp"
#include "jobs/this_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

std::uint64_t next_local_key() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: a key must be unique only
}

std::unique_ptr<LocalValue>& current_local(std::uint64_t key) {
  const FiberRef self = this_fiber::ref();
  if (!self) throw Error(ErrorCode::kBadArgument, "FiberLocal: only inside a Fiber");
  return self.control()->local(key);
}

}  // namespace jobs::inline JOBS_ABI::detail
