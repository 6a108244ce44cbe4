// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/block_resource.hpp"

#include <algorithm>
#include <new>

#include "jobs/base/heap.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

#if defined(JOBS_ASAN)
constexpr bool kUsesBlocks = false;  // The tool reports a use after free only for heap blocks.
#else
constexpr bool kUsesBlocks = true;
#endif

// Lies in front of the user's part of each small block.
struct alignas(16) Header {
  WorkerContext* home;  // null: the heap
};

// Offset of the user's part in a small block: behind the header, and aligned as requested.
std::size_t offset_of(std::size_t alignment) noexcept {
  return std::max(alignment, sizeof(Header));
}

bool is_small(std::size_t bytes, std::size_t alignment) noexcept {
  return alignment <= BlockPools::kAlignment &&
         bytes <= BlockPools::kLargest - offset_of(alignment);
}

}  // namespace

void* BlockResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  WorkerContext* const own = shared_.is_own_worker() ? this_context() : nullptr;
  if (!is_small(bytes, alignment)) {
    if (own != nullptr) own->heap_blocks.add(1);
    return heap_allocate(bytes, alignment);
  }
  const std::size_t offset = offset_of(alignment);
  WorkerContext* const home = kUsesBlocks ? own : nullptr;
  void* const block = home != nullptr ? home->blocks.of(offset + bytes).allocate()
                                      : heap_allocate(offset + bytes, offset);
  std::byte* const memory = static_cast<std::byte*>(block) + offset;
  ::new (memory - sizeof(Header)) Header{home};
  return memory;
}

void BlockResource::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (!is_small(bytes, alignment)) return heap_deallocate(memory, bytes, alignment);
  const std::size_t offset = offset_of(alignment);
  auto* const block = static_cast<std::byte*>(memory) - offset;
  WorkerContext* const home =
      reinterpret_cast<const Header*>(static_cast<std::byte*>(memory) - sizeof(Header))->home;
  if (home == nullptr) return heap_deallocate(block, offset + bytes, offset);
  home->free_block(block, offset + bytes);
}

}  // namespace jobs::inline JOBS_ABI::detail
