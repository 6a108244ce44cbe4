// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// allocate by explicit heaps of mimalloc, loaded at run time.
#include "bench/allocate/mimalloc.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <new>
#include <type_traits>

#include "bench/allocate/workload.hpp"

namespace bench::allocate {
namespace {

struct Mimalloc {
  void* library;
  void* (*heap_new)();
  void (*heap_delete)(void* heap);
  void* (*heap_malloc_aligned)(void* heap, std::size_t bytes, std::size_t alignment);
  void (*free)(void* memory);
  bool (*is_in_heap_region)(const void* memory);
};

const Mimalloc& mimalloc() {
  static const Mimalloc loaded = [] {
    Mimalloc m{};
    m.library = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);
    if (m.library == nullptr) return m;
    const auto find = [&m](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(m.library, name));
      if (function == nullptr) std::abort();
    };
    find(m.heap_new, "mi_heap_new");
    find(m.heap_delete, "mi_heap_delete");
    find(m.heap_malloc_aligned, "mi_heap_malloc_aligned");
    find(m.free, "mi_free");
    find(m.is_in_heap_region, "mi_is_in_heap_region");
    return m;
  }();
  return loaded;
}

// Fails if malloc is not the system's, because the other rows measure the system's malloc.
void expect_own_malloc() {
  void* const memory = std::malloc(1);
  const bool replaced = mimalloc().is_in_heap_region(memory);
  std::free(memory);
  if (replaced) throw WrongResult("mimalloc has replaced malloc");
}

}  // namespace

bool has_mimalloc() { return mimalloc().library != nullptr; }

MimallocHeap::MimallocHeap() : heap_(mimalloc().heap_new()) {
  if (heap_ == nullptr) throw std::bad_alloc();
  expect_own_malloc();
}
MimallocHeap::~MimallocHeap() { mimalloc().heap_delete(heap_); }

void* MimallocHeap::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* const memory = mimalloc().heap_malloc_aligned(heap_, bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void MimallocHeap::do_deallocate(void* memory, std::size_t, std::size_t) {
  mimalloc().free(memory);
}

}  // namespace bench::allocate
