// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The choice between operator new and the allocator of the program. The first allocation makes the
// choice final, so that no memory returns to another allocator than its own.
#include "jobs/base/heap.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

#include "jobs/allocator.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI {

#if !defined(JOBS_MODEL) && !defined(JOBS_SIMULATED)

namespace detail {

namespace heap_order {
// [heap.1] A thread that allocates sees the complete allocator object. Partner: kSeeAllocator.
JOBS_ORDER(kChoose, release);
JOBS_ORDER(kSeeAllocator, acquire);  // [heap.1] Partner: kChoose.
}  // namespace heap_order

namespace {

// Its address in `chosen` stands for the global operator new.
constinit char global_new = 0;

// Null: the library has not allocated yet.
constinit Atomic<void*> chosen{nullptr};

bool uses_global_new() noexcept { return chosen.load(heap_order::kSeeAllocator) == &global_new; }

// Returns null if operator new is chosen.
Allocator* choose_at_first_use() noexcept {
  void* now = nullptr;
  if (chosen.compare_exchange_strong(now, &global_new, heap_order::kChoose,
                                     heap_order::kSeeAllocator)) {
    // Relaxed: the functions before and after the change have the same effect now.
    unsized_heap.allocate.store(static_cast<void* (*)(std::size_t)>(&::operator new),
                                std::memory_order_relaxed);
    unsized_heap.deallocate.store(static_cast<void (*)(void*) noexcept>(&::operator delete),
                                  std::memory_order_relaxed);
    return nullptr;
  }
  return now != &global_new ? static_cast<Allocator*>(now) : nullptr;
}

// The rare case: the program has an allocator, or this is the first allocation. With
// `header` != 0, the block has its size in front, and the result is behind the header.
JOBS_COLD void* allocate_by_choice(std::size_t size, std::size_t alignment, std::size_t header) {
  Allocator* const allocator = choose_at_first_use();
  if (allocator == nullptr) {
    return alignment <= kHeapAlignment ? ::operator new(size)
                                       : ::operator new(size, std::align_val_t{alignment});
  }
  size = std::max<std::size_t>(size, 1) + header;
  void* const memory = allocator->allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  if (header != 0) ::new (memory) std::size_t{size};
  return static_cast<std::byte*>(memory) + header;
}

JOBS_COLD void deallocate_by_choice(void* memory, std::size_t size, std::size_t alignment,
                                    std::size_t header) noexcept {
  if (memory == nullptr) return;
  std::byte* const block = static_cast<std::byte*>(memory) - header;
  size =
      header != 0 ? *reinterpret_cast<const std::size_t*>(block) : std::max<std::size_t>(size, 1);
  static_cast<Allocator*>(chosen.load(heap_order::kSeeAllocator))
      ->deallocate(block, size, alignment);
}

void* allocate_unsized(std::size_t size) {
  return allocate_by_choice(size, kHeapAlignment, kHeapAlignment);
}
void deallocate_unsized(void* memory) noexcept {
  if (uses_global_new()) return ::operator delete(memory);
  deallocate_by_choice(memory, 0, kHeapAlignment, kHeapAlignment);
}

}  // namespace

constinit UnsizedHeap unsized_heap{&allocate_unsized, &deallocate_unsized};

void* heap_allocate(std::size_t size) {
  if (uses_global_new()) [[likely]]
    return ::operator new(size);
  return allocate_by_choice(size, kHeapAlignment, 0);
}

void* heap_allocate_aligned(std::size_t size, std::size_t alignment) {
  if (uses_global_new()) [[likely]]
    return ::operator new(size, std::align_val_t{alignment});
  return allocate_by_choice(size, alignment, alignment);
}

void heap_deallocate(void* memory, std::size_t size) noexcept {
  if (!uses_global_new()) [[unlikely]]
    return deallocate_by_choice(memory, size, kHeapAlignment, 0);
#if defined(__cpp_sized_deallocation)
  ::operator delete(memory, size);  // AddressSanitizer compares the sizes.
#else
  ::operator delete(memory);
#endif
}

void heap_deallocate_aligned(void* memory, std::size_t alignment) noexcept {
  if (uses_global_new()) [[likely]]
    return ::operator delete(memory, std::align_val_t{alignment});
  deallocate_by_choice(memory, 0, alignment, alignment);
}

}  // namespace detail

void set_allocator(Allocator& allocator) {
  void* before = nullptr;
  if (!detail::chosen.compare_exchange_strong(before, &allocator, detail::heap_order::kChoose,
                                              detail::heap_order::kSeeAllocator)) {
    throw Error(ErrorCode::kStarted,
                "set_allocator(): the library has allocated memory or has an allocator already; "
                "call it first in main()");
  }
}

#else

// A simulation accepts the call, and uses operator new.
void set_allocator(Allocator&) {}

#endif

}  // namespace jobs::inline JOBS_ABI
