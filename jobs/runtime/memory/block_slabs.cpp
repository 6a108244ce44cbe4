// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/block_slabs.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "jobs/base/annotate.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/sanitizer.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kMaxRegion = 1024;  // slabs

}  // namespace

void BlockSlabs::SlabList::push(Slab& slab) noexcept {
  slab.previous = nullptr;
  slab.next = first_;
  if (first_ != nullptr) first_->previous = &slab;
  first_ = &slab;
}

void BlockSlabs::SlabList::remove(Slab& slab) noexcept {
  (slab.previous != nullptr ? slab.previous->next : first_) = slab.next;
  if (slab.next != nullptr) slab.next->previous = slab.previous;
}

JOBS_COLD BlockSlabs::~BlockSlabs() {
  while (regions_ != nullptr) {
    const Region* const newest = regions_;
    regions_ = newest->older;
    sanitizer::data_released(newest->base, newest->size);
    os::release_pages(newest->base, newest->size);
    delete newest;
  }
}

// If the system refuses a large region, it tries smaller ones.
JOBS_COLD void BlockSlabs::reserve_region() {
  std::size_t count = std::clamp<std::size_t>(slab_count_, 1, kMaxRegion);
  auto region = std::make_unique<Region>();
  region->slabs = HeapArray<Slab>(count);
  while ((region->base = os::reserve_data(count * kSlabSize)) == nullptr) {
    if (count == 1) JOBS_THROW(std::bad_alloc());
    count /= 2;
  }
  region->size = count * kSlabSize;
  if (node_ != os::kAnyNode) os::prefer_node(region->base, region->size, node_);
  sanitizer::data_allocated(region->base, region->size);
  for (std::size_t i = count; i-- > 0;) {  // The lowest slab is used first.
    region->slabs[i].base = region->base + i * kSlabSize;
    unused_.push(region->slabs[i]);
  }
  slab_count_ += count;
  region->older = regions_;
  regions_ = region.release();
}

FreeBlock* BlockSlabs::cut() {
  if (unused_.first() == nullptr) reserve_region();
  Slab& slab = *unused_.first();
  unused_.remove(slab);
  bytes_.add(kSlabSize);
  os::populate(slab.base, kSlabSize);
  // The list begins with the lowest address. A caller that spawns many jobs then writes them in the
  // order in which the hardware prefetches.
  FreeBlock* first = nullptr;
  for (std::size_t at = kSlabSize; at >= block_size_; at -= block_size_) {
    std::byte* const memory = slab.base + at - block_size_;
    sanitizer::annotate_release(memory);
    first = ::new (memory) FreeBlock{first};
  }
  return first;
}

BlockSlabs::Slab& BlockSlabs::slab_of(const FreeBlock& block) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(&block);
  const Region* region = regions_;
  for (;; region = region->older) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(region->base);
    if (offset < region->size) return region->slabs[offset / kSlabSize];
  }
}

JOBS_COLD void BlockSlabs::file(FreeBlock& block) noexcept {
  Slab& slab = slab_of(block);
  block.next = slab.filed;
  slab.filed = &block;
  if (slab.count++ == 0) partial_.push(slab);
  if (slab.count != kSlabSize / block_size_) return;
  partial_.remove(slab);
  full_.push(slab);
  ++full_count_;
}

FreeBlock* BlockSlabs::take_filed() noexcept {
  SlabList& list = partial_.first() != nullptr ? partial_ : full_;
  if (list.first() == nullptr) return nullptr;
  Slab& slab = *list.first();
  list.remove(slab);
  if (&list == &full_) --full_count_;
  slab.count = 0;
  return std::exchange(slab.filed, nullptr);
}

JOBS_COLD unsigned BlockSlabs::release(std::size_t keep, unsigned max) noexcept {
  unsigned count = 0;
  for (; count < max && full_bytes() > keep; ++count) {
    Slab& slab = *full_.first();
    full_.remove(slab);
    --full_count_;
    slab.count = 0;
    slab.filed = nullptr;
    os::discard_pages(slab.base, kSlabSize);
    unused_.push(slab);
    bytes_.subtract(kSlabSize);
  }
  return count;
}

}  // namespace jobs::inline JOBS_ABI::detail
