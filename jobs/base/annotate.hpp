// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Annotations of the order between two fibers of one worker, for ThreadSanitizer. Any thread may
// call them. They have an effect only in a build in which switches order nothing
// (JOBS_TSAN_NO_SYNC).
//
// Between workers an atomic operation carries the order, and ThreadSanitizer sees it. On one worker
// plain data carries the order, because one fiber runs after the other. Therefore code that passes
// data on annotates the order here. All writes before annotate_release(address) are visible after
// annotate_acquire() of the same address.
//
// Use the annotations only for an order that the library guarantees to users. The mere fact that a
// fiber runs after another one is no guarantee.
#pragma once

#include "jobs/base/config.hpp"

#if defined(JOBS_TSAN_NO_SYNC) && !defined(JOBS_MODEL) && !defined(JOBS_SIMULATED)
#define JOBS_ANNOTATE_SYNC 1
// Declared as in sanitizer/tsan_interface.h, which users may lack.
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
extern "C" void AnnotateIgnoreSyncBegin(const char* file, int line);
extern "C" void AnnotateIgnoreSyncEnd(const char* file, int line);
extern "C" void AnnotateIgnoreWritesBegin(const char* file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char* file, int line);
#endif

namespace jobs::inline JOBS_ABI::detail::sanitizer {

#if defined(JOBS_ANNOTATE_SYNC)

inline constexpr bool kSwitchesOrder = false;
inline void annotate_release(const void* address) noexcept {
  __tsan_release(const_cast<void*>(address));
}
inline void annotate_acquire(const void* address) noexcept {
  __tsan_acquire(const_cast<void*>(address));
}

// During the lifetime of this object, atomic operations of the calling fiber order nothing. For
// operations on queues, which would otherwise order all fibers that use the same queue.
struct IgnoreSync {
  IgnoreSync() noexcept { AnnotateIgnoreSyncBegin(__FILE__, __LINE__); }
  ~IgnoreSync() { AnnotateIgnoreSyncEnd(__FILE__, __LINE__); }
  IgnoreSync(const IgnoreSync&) = delete;
  IgnoreSync& operator=(const IgnoreSync&) = delete;
};

// During the lifetime of this object, TSan ignores writes of the calling fiber to plain data, and
// memory that it allocates counts as untouched. (TSan ignores the library's own code in any case,
// but not memmove() and operator new.)
struct IgnoreWrites {
  IgnoreWrites() noexcept { AnnotateIgnoreWritesBegin(__FILE__, __LINE__); }
  ~IgnoreWrites() { AnnotateIgnoreWritesEnd(__FILE__, __LINE__); }
  IgnoreWrites(const IgnoreWrites&) = delete;
  IgnoreWrites& operator=(const IgnoreWrites&) = delete;
};

#else

inline constexpr bool kSwitchesOrder = true;
inline void annotate_release(const void*) noexcept {}
inline void annotate_acquire(const void*) noexcept {}
struct IgnoreSync {};
struct IgnoreWrites {};

#endif

}  // namespace jobs::inline JOBS_ABI::detail::sanitizer
