// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: owner_of(), the lock owner of the object of a wait, for reports. Any thread; the wait
// must last.
//
// A site names the wait word, which is the first member of each lock that has an owner.
#include "jobs/sync/core/lock_holder.hpp"

#include <type_traits>

#include "jobs/sync/call_once.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/shared_mutex.hpp"

namespace jobs::inline JOBS_ABI::detail {

const void* owner_of(const WaitSite& site) noexcept {
  static_assert(std::is_standard_layout_v<Mutex> && std::is_standard_layout_v<SharedMutex> &&
                std::is_standard_layout_v<OnceFlag>);
  switch (site.kind) {
    case WaitKind::kMutex:
      return static_cast<const Mutex*>(site.object)->owner_.owner();
    case WaitKind::kSharedMutex:
      return static_cast<const SharedMutex*>(site.object)->writer_.owner();  // null: readers
    case WaitKind::kOnceFlag:
      return static_cast<const OnceFlag*>(site.object)->caller_.owner();
    default:
      return nullptr;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
