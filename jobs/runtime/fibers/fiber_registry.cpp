// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberRegistry: the only instance, and the lists of its buckets.
#include "jobs/runtime/fibers/fiber_registry.hpp"

namespace jobs::inline JOBS_ABI::detail {

constinit FiberRegistry FiberRegistry::only_;

void FiberRegistry::add(FiberControl& fiber) noexcept {
  Bucket& bucket = bucket_of(fiber.id);
  const std::scoped_lock lock(bucket.lock);
  fiber.links.next = bucket.first;
  if (bucket.first != nullptr) bucket.first->links.previous = &fiber;
  bucket.first = &fiber;
}

void FiberRegistry::remove(FiberControl& fiber) noexcept {
  Bucket& bucket = bucket_of(fiber.id);
  const auto [next, previous] = fiber.links;
  (previous != nullptr ? previous->links.next : bucket.first) = next;
  if (next != nullptr) next->links.previous = previous;
}

FiberControl* FiberRegistry::find(std::uint64_t id) noexcept {
  Bucket& bucket = bucket_of(id);
  const std::scoped_lock lock(bucket.lock);
  for (FiberControl* fiber = bucket.first; fiber != nullptr; fiber = fiber->links.next) {
    if (fiber->id != id) continue;
    fiber->add_owner();  // The fiber is alive: its own reference outlasts its entry.
    return fiber;
  }
  return nullptr;
}

}  // namespace jobs::inline JOBS_ABI::detail
