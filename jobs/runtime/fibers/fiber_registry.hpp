// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberRegistry: the live Fibers of the process by id, from their construction to their end. Any
// thread may call it. It is a hash table with one lock per bucket, so that fibers of different
// workers rarely compete. The fibers contain the links, so that it never allocates.
//
// Invariant: an id is never used again. So a search for an id returns that fiber or none.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberRegistry {
 public:
  // Returns the only registry.
  static FiberRegistry& instance() noexcept { return only_; }

  // Each is O(1). Between the two calls, the caller keeps the fiber alive.
  void add(FiberControl& fiber) noexcept;
  void remove(FiberControl& fiber) noexcept;  // Called under the lock of the bucket.
  // Returns the lock of the bucket of the id.
  RawSpinLock& lock_of(std::uint64_t id) noexcept { return bucket_of(id).lock; }
  // Called in a child process. The fibers belong to the parent, and so do the owners of the locks.
  void forget_all() noexcept {
    for (Bucket& bucket : buckets_) {
      bucket.lock.unlock();
      bucket.first = nullptr;
    }
  }
  // Returns the fiber, with one reference for the caller, or null.
  // Complexity: O(1 + live fibers / kBuckets).
  FiberControl* find(std::uint64_t id) noexcept;
  // Calls visit(FiberControl&) for each fiber, under the lock of its bucket. `visit` must not wait,
  // allocate, or access the registry. The call may miss fibers that start or end meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Bucket& bucket : buckets_) {
      const std::scoped_lock lock(bucket.lock);
      for (FiberControl* fiber = bucket.first; fiber != nullptr; fiber = fiber->links.next)
        visit(*fiber);
    }
  }

 private:
  struct Bucket {
    RawSpinLock lock;
    FiberControl* first = nullptr;
  };
  static constexpr std::size_t kBuckets = 1024;

  // Ids are nearly consecutive.
  Bucket& bucket_of(std::uint64_t id) noexcept { return buckets_[id % kBuckets]; }

  std::array<Bucket, kBuckets> buckets_;

  JOBS_EXPORT static FiberRegistry only_;  // jobs::trace reads the names of living fibers
};

}  // namespace jobs::inline JOBS_ABI::detail
