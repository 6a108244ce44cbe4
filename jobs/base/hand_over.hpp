// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What orders two fibers of one worker, for ThreadSanitizer in a build in which switches do not (JOBS_TSAN_NO_SYNC). Between workers an
// atomic operation carries that order, and ThreadSanitizer sees it; on one worker plain data does, as one fiber runs after the other.
// So whoever passes something on says so here: what came before hand_over(address) is seen after take_over() of the same address.
// Nothing in any other build.
//
// Only for what is promised as an order to users. That one fiber happens to run after another is none.
#pragma once

#include "jobs/base/config.hpp"

#if defined(JOBS_TSAN_NO_SYNC) && !defined(JOBS_MODEL) && !defined(JOBS_SIMULATED)
#define JOBS_HAND_OVER 1
extern "C" void __tsan_acquire(void* address);  // as sanitizer/tsan_interface.h has them, which users need not have
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

// While one of these lives, atomic operations of the calling fiber order nothing: those of the queues, which would order all fibers that
// have to do with the same queue.
struct Unordered {
  Unordered() noexcept { AnnotateIgnoreSyncBegin(__FILE__, __LINE__); }
  ~Unordered() { AnnotateIgnoreSyncEnd(__FILE__, __LINE__); }
  Unordered(const Unordered&) = delete;
  Unordered& operator=(const Unordered&) = delete;
};

// While one of these lives, nobody looks at the plain data that the calling fiber touches, and memory that it obtains counts as touched by
// nobody. (What is ours is not looked at in any case; but memmove() and operator new are.)
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
