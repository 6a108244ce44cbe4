// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The replaced operators new and delete in all forms, since sanitizers supply any missing form
// themselves. clang's ThreadSanitizer does not allow their replacement; it calls a hook for every
// allocation instead, including those of malloc.
#include "tests/support/allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "jobs/base/sanitizer.hpp"

namespace {

// Relaxed: the comparing thread has synchronised with the threads that allocate.
constinit std::atomic<std::uint64_t> allocated{0};
constinit std::atomic<std::uint64_t> freed{0};
constinit std::atomic<jobs::test::AllocationFault> allocation_fault{nullptr};

}  // namespace

namespace jobs::test {

AllocationCount allocation_count() noexcept {
  return {.allocated = allocated.load(std::memory_order_relaxed),
          .freed = freed.load(std::memory_order_relaxed)};
}

void set_allocation_fault(AllocationFault fails) noexcept { allocation_fault = fails; }

}  // namespace jobs::test

#if defined(JOBS_TSAN) && defined(__clang__)

extern "C" {
void __sanitizer_malloc_hook(const volatile void*, std::size_t) {
  allocated.fetch_add(1, std::memory_order_relaxed);
}
void __sanitizer_free_hook(const volatile void*) { freed.fetch_add(1, std::memory_order_relaxed); }
}

#else

namespace {

bool fails() noexcept {
  const jobs::test::AllocationFault fault = allocation_fault.load(std::memory_order_relaxed);
  return fault != nullptr && fault();
}

void* allocate(std::size_t size) noexcept {
  if (fails()) return nullptr;
  void* block = std::malloc(size != 0 ? size : 1);
  if (block != nullptr) allocated.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
  if (fails()) return nullptr;
  const auto align = static_cast<std::size_t>(alignment);
  void* block = std::aligned_alloc(align, (size + align - 1) / align * align);
  if (block != nullptr) allocated.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  if (block == nullptr) return;
  freed.fetch_add(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, alignment);
}
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  release(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  release(block);
}

#endif
