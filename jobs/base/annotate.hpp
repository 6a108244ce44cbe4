// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Annotations of the order between two fibers of one worker, for ThreadSanitizer. Any thread may
// call them. They have an effect only in a build in which switches order nothing
// (JOBS_TSAN_NO_SYNC).
//
// Between workers an atomic operation carries the order, and ThreadSanitizer sees it. On one worker
// plain data carries the order, because one fiber runs after the other. Therefore code that passes
// data on annotates the order here. All writes before hand_over(address) are visible after
// take_over() of the same address.
//
// Use the annotations only for an order that the library guarantees to users. The mere fact that a
// fiber runs after another one is no guarantee.
#pragma once

#include "jobs/base/config.hpp"

#if defined(JOBS_TSAN_NO_SYNC) && !defined(JOBS_MODEL) && !defined(JOBS_SIMULATED)
#define JOBS_HAND_OVER 1
// Declared as in sanitizer/tsan_interface.h, which users may lack.
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
extern "C" void AnnotateIgnoreSyncBegin(const char* file, int line);
extern "C" void AnnotateIgnoreSyncEnd(const char* file, int line);
extern "C" void AnnotateIgnoreWritesBegin(const char* file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char* file, int line);
#endif

namespace jobs::inline JOBS_ABI::detail::sanitizer {

#if defined(JOBS_HAND_OVER)

inline constexpr bool kSwitchesOrder = false;
inline void hand_over(const void* address) noexcept { __tsan_release(const_cast<void*>(address)); }
inline void take_over(const void* address) noexcept { __tsan_acquire(const_cast<void*>(address)); }

// During the lifetime of this object, atomic operations of the calling fiber order nothing. For
// operations on queues, which would otherwise order all fibers that use the same queue.
struct Unordered {
  Unordered() noexcept { AnnotateIgnoreSyncBegin(__FILE__, __LINE__); }
  ~Unordered() { AnnotateIgnoreSyncEnd(__FILE__, __LINE__); }
  Unordered(const Unordered&) = delete;
  Unordered& operator=(const Unordered&) = delete;
};

// During the lifetime of this object, TSan ignores writes of the calling fiber to plain data, and
// memory that it allocates counts as untouched. (TSan ignores the library's own code in any case,
// but not memmove() and operator new.)
struct Unwatched {
  Unwatched() noexcept { AnnotateIgnoreWritesBegin(__FILE__, __LINE__); }
  ~Unwatched() { AnnotateIgnoreWritesEnd(__FILE__, __LINE__); }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

#else

inline constexpr bool kSwitchesOrder = true;
inline void hand_over(const void*) noexcept {}
inline void take_over(const void*) noexcept {}
struct Unordered {};
struct Unwatched {};

#endif

}  // namespace jobs::inline JOBS_ABI::detail::sanitizer
