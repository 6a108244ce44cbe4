// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sanitizers must be told about fibers and their stacks; every #ifdef of a sanitizer in the library stands here. Empty
// inline functions in an ordinary build. For jobs/fiber alone.
//
//   AddressSanitizer: where the current stack lies (else a throw on a fiber confuses it), and that the stack of a finished
//     fiber is clean again. LeakSanitizer, which comes with it: that stacks hold pointers to live memory.
//   ThreadSanitizer: which fiber runs, since each has a call stack and a vector clock of its own. A switch counts as
//     synchronisation, as it does in truth. In a build by the option JOBS_TSAN_NO_SYNC it does not: then a race between two fibers of
//     one worker, which only their turns hide, is reported, and base/hand_over.hpp says what orders them.
//   valgrind, which needs no build of its own: where each stack lies, else memcheck takes a switch for a frame that grows or shrinks; and
//     that it is used again.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"
#include "jobs/base/hand_over.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define JOBS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JOBS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define JOBS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define JOBS_TSAN 1
#endif
#endif

#if defined(JOBS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#if defined(JOBS_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
#if __has_include(<valgrind/memcheck.h>)
#define JOBS_VALGRIND 1
#include <valgrind/memcheck.h>
#endif
#if defined(JOBS_HAND_OVER)
#if !defined(JOBS_TSAN) || !defined(__clang__)
#error JOBS_TSAN_NO_SYNC needs the ThreadSanitizer of clang
#endif
extern "C" void AnnotateBenignRaceSized(const char* file, int line, const volatile void* memory, std::size_t size,
                                        const char* why);
#endif

// For a function whose frame must lie on the real stack, not in AddressSanitizer's heap of frames.
#define JOBS_REAL_FRAME [[gnu::no_sanitize_address]]
// For a function that jumps between stacks behind the sanitizers' backs.
#define JOBS_UNSANITIZED [[gnu::no_sanitize_address, gnu::no_sanitize_thread]]

namespace jobs::inline JOBS_ABI::detail::sanitizer {

// What a sanitizer wants to find again about a fiber, or about a thread that fibers are switched from.
struct FiberRecord {
#if defined(JOBS_ASAN)
  void* fake_stack = nullptr;
  const void* stack_base = nullptr;  // of a thread: learnt when it is left for the first time
  std::size_t stack_size = 0;
#endif
#if defined(JOBS_TSAN)
  void* fiber = nullptr;
#endif
};

inline void fiber_made([[maybe_unused]] FiberRecord& fiber, [[maybe_unused]] const std::byte* stack_base,
                       [[maybe_unused]] std::size_t stack_size) noexcept {
#if defined(JOBS_ASAN)
  fiber.stack_base = stack_base;
  fiber.stack_size = stack_size;
#endif
#if defined(JOBS_TSAN)
  [[maybe_unused]] const Unordered maker;  // who needs one more fiber has nothing to do with what will run on it
  fiber.fiber = __tsan_create_fiber(0);
#endif
}

// pre: it does not run, and never will again.
inline void fiber_gone([[maybe_unused]] FiberRecord& fiber) noexcept {
#if defined(JOBS_TSAN)
  take_over(&fiber);
  __tsan_destroy_fiber(fiber.fiber);
#endif
}

// Directly before the jump and in the same function as it: ThreadSanitizer pops a frame where a function returns.
// last_frames: nothing on the stack of `from` but frames marked JOBS_REAL_FRAME will be used again.
JOBS_SWITCH_INLINE void leave([[maybe_unused]] FiberRecord& from, [[maybe_unused]] FiberRecord& to,
                              [[maybe_unused]] bool last_frames) noexcept {
#if defined(JOBS_ASAN)
  __sanitizer_start_switch_fiber(last_frames ? nullptr : &from.fake_stack, to.stack_base, to.stack_size);
  if (last_frames) from.fake_stack = nullptr;
#endif
#if defined(JOBS_TSAN)
  from.fiber = __tsan_get_current_fiber();  // `from` may be a thread
#if defined(JOBS_HAND_OVER)
  if (last_frames) hand_over(&from);
  __tsan_switch_to_fiber(to.fiber, __tsan_switch_to_fiber_no_sync);
#else
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
#endif
}

// Directly after the jump, on the side that it has reached. `from` is the one that was left.
JOBS_SWITCH_INLINE void arrive([[maybe_unused]] FiberRecord& self, [[maybe_unused]] FiberRecord& from) noexcept {
#if defined(JOBS_ASAN)
  __sanitizer_finish_switch_fiber(self.fake_stack, &from.stack_base, &from.stack_size);
#endif
}

// A part of the calling thread's state that each of its fibers sees as its own, as switches carry it over.
inline void each_has_its_own([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_HAND_OVER)
  AnnotateBenignRaceSized(__FILE__, __LINE__, memory, size, "each fiber has its own");
#endif
}

// A stack is about to be used, for the first time or again after its fiber was abandoned.
inline void stack_taken([[maybe_unused]] const std::byte* base, [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ASAN)
  __asan_unpoison_memory_region(base, size);
  __lsan_register_root_region(base, size);
#endif
#if defined(JOBS_VALGRIND)
  // Below where the fiber before it has left off, there is no memory to memcheck.
  static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(base, size));
#endif
}

inline void stack_returned([[maybe_unused]] const std::byte* base, [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ASAN)
  __lsan_unregister_root_region(base, size);
#endif
  hand_over(base);
}

[[nodiscard]] inline bool on_valgrind() noexcept {
#if defined(JOBS_VALGRIND)
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

// The first time that memory becomes a stack. The number is for stack_gone(), once it is none any more; 0: nobody wants to know.
[[nodiscard]] inline unsigned stack_made([[maybe_unused]] const std::byte* base,
                                         [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_VALGRIND)
  if (RUNNING_ON_VALGRIND != 0) return VALGRIND_STACK_REGISTER(base, base + size) + 1;
#endif
  return 0;
}

inline void stack_gone([[maybe_unused]] unsigned number) noexcept {
#if defined(JOBS_VALGRIND)
  VALGRIND_STACK_DEREGISTER(number - 1);
#endif
}

}  // namespace jobs::inline JOBS_ABI::detail::sanitizer
