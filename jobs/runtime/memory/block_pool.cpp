// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/block_pool.hpp"

#include <utility>

#include "jobs/base/annotate.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD BlockPool::BlockPool(std::size_t block_size, os::Node node) noexcept
    : block_size_(block_size), slabs_(block_size, node) {}

// Takes the blocks that other threads have freed.
FreeBlock* BlockPool::collect() noexcept {
  FreeBlock* const all = returned_.exchange(nullptr, block_order::kCollect);
  return all;
}

// Filed blocks go first: blocks that stay set aside show that the pool has more than it needs.
void BlockPool::refill() {
  free_ = collect();
  if (free_ != nullptr) return;
  [[maybe_unused]] const sanitizer::IgnoreWrites
      list;  // Every fiber of the owner may extend the list.
  free_ = slabs_.take_filed();
  if (free_ == nullptr) free_ = take_set_aside();
  if (free_ == nullptr) free_ = slabs_.cut();
}

// Takes as many blocks as a slab has. Null: no block is set aside.
FreeBlock* BlockPool::take_set_aside() noexcept {
  FreeBlock* const first = set_aside_;
  if (first == nullptr) return nullptr;
  FreeBlock* last = first;
  for (std::size_t i = BlockSlabs::kSlabSize / block_size_; --i != 0 && last->next != nullptr;)
    last = last->next;
  set_aside_ = std::exchange(last->next, nullptr);
  return first;
}

void BlockPool::set_aside() noexcept {
  set_aside_ = std::exchange(free_, nullptr);
  if (set_aside_ == nullptr) set_aside_ = collect();
}

bool BlockPool::file_some(unsigned max) noexcept {
  for (; max != 0 && set_aside_ != nullptr; --max)
    slabs_.file(*std::exchange(set_aside_, set_aside_->next));
  return set_aside_ != nullptr;
}

void BlockPool::file_list(FreeBlock* list) noexcept {
  while (list != nullptr) slabs_.file(*std::exchange(list, list->next));
}

void BlockPool::file_all() noexcept {
  file_list(std::exchange(set_aside_, nullptr));
  file_list(std::exchange(free_, nullptr));
  file_list(collect());
}

}  // namespace jobs::inline JOBS_ABI::detail
