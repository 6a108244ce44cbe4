// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/base/heap.hpp"

#include <new>

#include "jobs/base/sanitizer.hpp"

// The sanitizers must see each block; a simulation must have the same addresses each time.
#if defined(JOBS_WITH_MIMALLOC) && !defined(JOBS_ASAN) && !defined(JOBS_TSAN) && !defined(JOBS_SIMULATED)
#define JOBS_LOADS_MIMALLOC 1
#include <dlfcn.h>
#include <sys/auxv.h>

#include <exception>

#include "jobs/base/thread.hpp"
#endif

namespace jobs::inline JOBS_ABI::detail::heap {
namespace {

// Each thread has a heap of its own in mimalloc, from its first block to its end. Nothing else uses these heaps: the instance is ours.
struct Mimalloc {
  void* (*allocate)(std::size_t bytes, std::size_t alignment) = nullptr;  // null: there is none
  void (*deallocate)(void* memory) = nullptr;
};

#if defined(JOBS_LOADS_MIMALLOC)

constexpr std::size_t kMaxAlignment = 4096;  // a page; operator new serves what is aligned to more

Mimalloc load() noexcept {
  Mimalloc found;
  // A static program would load a second libc.
  if (getauxval(AT_BASE) == 0) return found;
  try {
    // The loader needs more stack than a fiber may have left.
    Thread([&found] {
      // Nor does a sanitizer of the program alone see what mimalloc holds.
      if (dlsym(RTLD_DEFAULT, "__lsan_disable") != nullptr || dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr) return;
      void* const library = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) return;
      const auto allocate = reinterpret_cast<decltype(found.allocate)>(dlsym(library, "mi_malloc_aligned"));
      const auto deallocate = reinterpret_cast<decltype(found.deallocate)>(dlsym(library, "mi_free"));
      if (allocate != nullptr && deallocate != nullptr) found = {allocate, deallocate};
    }).join();
  } catch (const std::exception&) {  // no thread
  }
  return found;
}

const Mimalloc& mimalloc() noexcept {
  static const Mimalloc loaded = load();
  return loaded;
}

bool uses_mimalloc(std::size_t alignment) noexcept { return alignment <= kMaxAlignment && mimalloc().allocate; }

#else

constexpr Mimalloc mimalloc() noexcept { return {}; }
constexpr bool uses_mimalloc(std::size_t) noexcept { return false; }

#endif

}  // namespace

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (!uses_mimalloc(alignment)) return ::operator new(bytes, std::align_val_t(alignment));
  void* const memory = mimalloc().allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void deallocate(void* memory, std::size_t alignment) noexcept {
  if (!uses_mimalloc(alignment)) return ::operator delete(memory, std::align_val_t(alignment));
  mimalloc().deallocate(memory);
}

const char* name() noexcept { return uses_mimalloc(1) ? "mimalloc" : "operator new"; }

}  // namespace jobs::inline JOBS_ABI::detail::heap
