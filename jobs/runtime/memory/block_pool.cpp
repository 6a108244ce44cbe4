// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/block_pool.hpp"

#include "jobs/base/annotate.hpp"
#include "jobs/base/node_array.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct BlockPool::Slab {
  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };
  NodeArray<CacheLine> lines;
  Slab* older;
};

BlockPool::~BlockPool() {
  while (slabs_ != nullptr) {
    const Slab* const newest = slabs_;
    slabs_ = newest->older;
    delete newest;
  }
}

void BlockPool::refill() {
  free_ = returned_.exchange(nullptr, block_order::kCollect);
  if (free_ != nullptr) return;
  [[maybe_unused]] const sanitizer::IgnoreWrites
      list;  // Every fiber of the owner may extend the list.
  // Uninitialised on purpose: the first use of a block writes its page.
  slabs_ = new Slab{NodeArray<Slab::CacheLine>(kSlabSize / sizeof(Slab::CacheLine), node_), slabs_};
  bytes_.add(kSlabSize);
  auto* const slab = reinterpret_cast<std::byte*>(slabs_->lines.get());
  // allocate() returns the lowest address first. A caller that spawns many jobs then writes them in
  // the order in which the hardware prefetches.
  for (std::size_t at = kSlabSize; at >= block_size_; at -= block_size_)
    deallocate_local(slab + at - block_size_);
}

}  // namespace jobs::inline JOBS_ABI::detail
