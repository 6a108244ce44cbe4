// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The heap of the library: every allocation of its own state goes through heap_allocate(), so that
// jobs::set_allocator() can replace the global operator new. Any thread may call the functions.
//
//   HeapObject<T>      a base: `new T` and `delete` of T use the heap of the library.
//   OnHeap<T>          an object of a foreign type T, with the operators of HeapObject.
//   HeapAllocator<T>   for the containers of the standard library (heap_vector.hpp).
//   HeapArray<T>       an owned array of fixed length; HeapBuffer<T> is one without initial values.
//
// Without a chosen allocator a call costs one load and one predicted branch more than operator new.
// Callers are slow paths: fast paths take blocks from a BlockPool or a BlockCache. The builds for
// the model checker and for simulations always use operator new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The alignment that every allocation has at least.
inline constexpr std::size_t kHeapAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

#if defined(JOBS_MODEL) || defined(JOBS_SIMULATED)

inline void* heap_allocate(std::size_t size) { return ::operator new(size); }
inline void* heap_allocate_unsized(std::size_t size) { return ::operator new(size); }
inline void* heap_allocate_aligned(std::size_t size, std::size_t alignment) {
  return ::operator new(size, std::align_val_t{alignment});
}
inline void heap_deallocate(void* memory, std::size_t) noexcept { ::operator delete(memory); }
inline void heap_deallocate_unsized(void* memory) noexcept { ::operator delete(memory); }
inline void heap_deallocate_aligned(void* memory, std::size_t alignment) noexcept {
  ::operator delete(memory, std::align_val_t{alignment});
}

#else

// Allocates `size` bytes with kHeapAlignment. Throws std::bad_alloc.
JOBS_EXPORT void* heap_allocate(std::size_t size);
// As heap_allocate(), for a caller that will not know the size at the end. With an allocator of the
// program, the block has a header with its size. Inline, through pointers that lead to operator new
// after the first allocation: spawn_after() allocates for each job.
struct UnsizedHeap {
  Atomic<void* (*)(std::size_t size)> allocate;
  Atomic<void (*)(void* memory) noexcept> deallocate;
};
JOBS_EXPORT extern constinit UnsizedHeap unsized_heap;
inline void* heap_allocate_unsized(std::size_t size) {
  return unsized_heap.allocate.load(std::memory_order_relaxed)(size);
}
inline void heap_deallocate_unsized(void* memory) noexcept {
  unsized_heap.deallocate.load(std::memory_order_relaxed)(memory);
}
// Allocates `size` bytes with a larger alignment; the block may have a header, too.
JOBS_EXPORT void* heap_allocate_aligned(std::size_t size, std::size_t alignment);
// Frees the memory of heap_allocate(size); null has no effect.
JOBS_EXPORT void heap_deallocate(void* memory, std::size_t size) noexcept;
// Frees the memory of heap_allocate_aligned().
JOBS_EXPORT void heap_deallocate_aligned(void* memory, std::size_t alignment) noexcept;

#endif

// As the functions above, for an alignment that is often known to the compiler.
inline void* heap_allocate(std::size_t size, std::size_t alignment) {
  return alignment <= kHeapAlignment ? heap_allocate(size) : heap_allocate_aligned(size, alignment);
}
inline void heap_deallocate(void* memory, std::size_t size, std::size_t alignment) noexcept {
  if (alignment <= kHeapAlignment) return heap_deallocate(memory, size);
  heap_deallocate_aligned(memory, alignment);
}

// The operators of a class. A class with a virtual destructor passes its dynamic size. With a
// larger alignment, the size is in front of the block: if a constructor throws, compilers call no
// operator delete with both a size and an alignment.
#define JOBS_HEAP_OPERATORS                                                                   \
  static void* operator new(std::size_t size) { return ::jobs::detail::heap_allocate(size); } \
  static void* operator new(std::size_t size, std::align_val_t alignment) {                   \
    return ::jobs::detail::heap_allocate_aligned(size, std::size_t(alignment));               \
  }                                                                                           \
  static void operator delete(void* memory, std::size_t size) noexcept {                      \
    ::jobs::detail::heap_deallocate(memory, size);                                            \
  }                                                                                           \
  static void operator delete(void* memory, std::align_val_t alignment) noexcept {            \
    ::jobs::detail::heap_deallocate_aligned(memory, std::size_t(alignment));                  \
  }

// The operators as a base. A parameter of its own for each class, because two bases of one type
// cannot share an address. A class with virtual functions declares the operators itself: another
// base would make its type information larger.
template <class T>
struct HeapObject {
  JOBS_HEAP_OPERATORS
};

template <class T>
struct OnHeap final : HeapObject<OnHeap<T>> {
  template <class... Arguments>
    requires std::is_constructible_v<T, Arguments...>
  explicit OnHeap(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}

  T value;
};

// Stateless. The containers check the number of elements.
template <class T>
struct HeapAllocator {
  using value_type = T;

  HeapAllocator() = default;
  template <class U>
  HeapAllocator(const HeapAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    return static_cast<T*>(heap_allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    heap_deallocate(memory, count * sizeof(T), alignof(T));
  }
  friend bool operator==(const HeapAllocator&, const HeapAllocator&) noexcept { return true; }
};

// Owns `count` value-initialised elements, or none.
template <class T>
class HeapArray {
 public:
  HeapArray() = default;
  // Throws std::bad_alloc. The constructor of an element must not throw.
  explicit HeapArray(std::size_t count) {
#if !defined(JOBS_MODEL)  // The atomics of the model throw.
    static_assert(std::is_nothrow_default_constructible_v<T>);
#endif
    if (count > PTRDIFF_MAX / sizeof(T)) JOBS_THROW(std::bad_alloc());
    first_ = static_cast<T*>(heap_allocate(count * sizeof(T), alignof(T)));
    for (; count_ < count; ++count_) ::new (static_cast<void*>(first_ + count_)) T();
  }
  HeapArray(HeapArray&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  HeapArray& operator=(HeapArray&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(count_, other.count_);
    return *this;
  }
  JOBS_ALWAYS_INLINE ~HeapArray() {
    if (first_ == nullptr) return;
    for (std::size_t i = count_; i-- > 0;) first_[i].~T();
    heap_deallocate(first_, count_ * sizeof(T), alignof(T));
  }

  explicit operator bool() const noexcept { return first_ != nullptr; }
  T* get() const noexcept { return first_; }
  T& operator[](std::size_t index) const noexcept { return first_[index]; }
  std::size_t size() const noexcept { return count_; }
  T* begin() const noexcept { return first_; }
  T* end() const noexcept { return first_ + count_; }

 private:
  T* first_ = nullptr;
  std::size_t count_ = 0;
};

// Owns memory for `count` trivial elements, which stay uninitialised.
template <class T>
class HeapBuffer {
 public:
  // Throws std::bad_alloc. pre: the size in bytes is representable.
  explicit HeapBuffer(std::size_t count)
      : count_(count), first_(HeapAllocator<T>().allocate(count)) {
    static_assert(std::is_trivially_copyable_v<T>);
  }
  ~HeapBuffer() { HeapAllocator<T>().deallocate(first_, count_); }
  HeapBuffer(const HeapBuffer&) = delete;
  HeapBuffer& operator=(const HeapBuffer&) = delete;

  T* get() const noexcept { return first_; }
  T& operator[](std::size_t index) const noexcept { return first_[index]; }

 private:
  const std::size_t count_;
  T* const first_;
};

}  // namespace jobs::inline JOBS_ABI::detail
