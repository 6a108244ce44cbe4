// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberRegistry: the live Fibers of the process by id, from their construction to their end. A hash table with as many locks as
// buckets, so that fibers of different workers rarely meet; linked through the fibers, so that it never allocates. An id is
// never used again: whoever looks for one finds that fiber or nothing.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberRegistry {
 public:
  // The only one.
  static FiberRegistry& instance() noexcept { return only_; }

  // O(1). Between the two the caller holds the fiber alive.
  void add(FiberControl& fiber) noexcept;
  void remove(FiberControl& fiber) noexcept;  // under its lock
  // Of the bucket of that id.
  SpinLock& lock_of(std::uint64_t id) noexcept { return bucket_of(id).lock; }
  // In a child process: the fibers are its parent's, and so are those who held the locks.
  void forget_all() noexcept {
    for (Bucket& bucket : buckets_) {
      bucket.lock.unlock();
      bucket.first = nullptr;
    }
  }
  // With one reference for the caller; null if there is none. O(1 + live fibers / kBuckets).
  FiberControl* find(std::uint64_t id) noexcept;
  // visit(FiberControl&) for each, under the lock of its bucket: it must not wait, allocate or touch the registry. Fibers that
  // begin or end meanwhile may be missed.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Bucket& bucket : buckets_) {
      const std::scoped_lock lock(bucket.lock);
      for (FiberControl* fiber = bucket.first; fiber != nullptr; fiber = fiber->links.next) visit(*fiber);
    }
  }

 private:
  struct Bucket {
    SpinLock lock;
    FiberControl* first = nullptr;
  };
  static constexpr std::size_t kBuckets = 1024;

  Bucket& bucket_of(std::uint64_t id) noexcept { return buckets_[id % kBuckets]; }  // ids are nearly consecutive

  std::array<Bucket, kBuckets> buckets_;

  static FiberRegistry only_;
};

}  // namespace jobs::inline JOBS_ABI::detail
