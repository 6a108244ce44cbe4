// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Notifications of the sanitizers about fibers and their stacks. All #ifdefs of a sanitizer in the
// library are in this file. In an ordinary build the functions are empty and inline. Only
// jobs/fiber calls them, on the thread that runs the fibers. Any room may call data_allocated() and
// data_released().
//
// - AddressSanitizer: the bounds of the current stack (otherwise a throw on a fiber confuses it),
//   and that the stack of an ended fiber is clean again. LeakSanitizer, which comes with it: stacks
//   hold pointers to live memory.
// - ThreadSanitizer: the running fiber, because each fiber has its own call stack and vector clock.
//   A switch counts as synchronisation, which it is. In a build with the option JOBS_TSAN_NO_SYNC
//   it does not count: TSan then reports a race between two fibers of one worker, which only their
//   turns hide. base/annotate.hpp annotates the order of such fibers.
// - valgrind, which needs no special build: the bounds of each stack, and that a stack is used
//   again. Otherwise memcheck takes a switch for a frame that grows or shrinks.
#pragma once

#include <cstddef>

#include "jobs/base/annotate.hpp"
#include "jobs/base/config.hpp"

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
#if defined(JOBS_ANNOTATE_SYNC)
#if !defined(JOBS_TSAN) || !defined(__clang__)
#error JOBS_TSAN_NO_SYNC needs the ThreadSanitizer of clang
#endif
extern "C" void AnnotateBenignRaceSized(const char* file, int line, const volatile void* memory,
                                        std::size_t size, const char* why);
#endif

// For a function that needs its frame on the real stack, not in AddressSanitizer's heap of frames.
#define JOBS_REAL_FRAME [[gnu::no_sanitize_address]]
// For a function that jumps between stacks without a notification of the sanitizers.
#define JOBS_UNSANITIZED [[gnu::no_sanitize_address, gnu::no_sanitize_thread]]

namespace jobs::inline JOBS_ABI::detail::sanitizer {

// Data of a sanitizer about a fiber, or about a thread that switches to fibers.
struct FiberRecord {
#if defined(JOBS_ASAN)
  void* fake_stack = nullptr;
  const void* stack_base = nullptr;  // of a thread: set when the thread is first left
  std::size_t stack_size = 0;
#endif
#if defined(JOBS_TSAN)
  void* fiber = nullptr;
#endif
};

inline void fiber_created([[maybe_unused]] FiberRecord& fiber,
                          [[maybe_unused]] const std::byte* stack_base,
                          [[maybe_unused]] std::size_t stack_size) noexcept {
#if defined(JOBS_ASAN)
  fiber.stack_base = stack_base;
  fiber.stack_size = stack_size;
#endif
#if defined(JOBS_TSAN)
  // The caller has no relation to the code that will run on the fiber.
  [[maybe_unused]] const IgnoreSync maker;
  fiber.fiber = __tsan_create_fiber(0);
#endif
}

// pre: the fiber does not run and never will again.
inline void fiber_destroyed([[maybe_unused]] FiberRecord& fiber) noexcept {
#if defined(JOBS_TSAN)
  annotate_acquire(&fiber);
  __tsan_destroy_fiber(fiber.fiber);
#endif
}

// Call it directly before the jump and in the same function: ThreadSanitizer pops a frame where a
// function returns. last_frames: of the stack of `from`, only frames marked JOBS_REAL_FRAME will be
// used again.
JOBS_SWITCH_INLINE void before_switch([[maybe_unused]] FiberRecord& from,
                                      [[maybe_unused]] FiberRecord& to,
                                      [[maybe_unused]] bool last_frames) noexcept {
#if defined(JOBS_ASAN)
  __sanitizer_start_switch_fiber(last_frames ? nullptr : &from.fake_stack, to.stack_base,
                                 to.stack_size);
  if (last_frames) from.fake_stack = nullptr;
#endif
#if defined(JOBS_TSAN)
  from.fiber = __tsan_get_current_fiber();  // `from` may be a thread
#if defined(JOBS_ANNOTATE_SYNC)
  if (last_frames) annotate_release(&from);
  __tsan_switch_to_fiber(to.fiber, __tsan_switch_to_fiber_no_sync);
#else
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
#endif
}

// Call it directly after the jump, in the fiber that the jump has reached. `from` is the fiber that
// was left.
JOBS_SWITCH_INLINE void after_switch([[maybe_unused]] FiberRecord& self,
                                     [[maybe_unused]] FiberRecord& from) noexcept {
#if defined(JOBS_ASAN)
  __sanitizer_finish_switch_fiber(self.fake_stack, &from.stack_base, &from.stack_size);
#endif
}

// Declares a part of the thread's state as private to each fiber, because switches save and restore
// it.
inline void annotate_fiber_local([[maybe_unused]] const void* memory,
                                 [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ANNOTATE_SYNC)
  AnnotateBenignRaceSized(__FILE__, __LINE__, memory, size, "each fiber has its own");
#endif
}

// A stack will be used, for the first time or again after its fiber was abandoned.
inline void stack_allocated([[maybe_unused]] const std::byte* base,
                            [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ASAN)
  __asan_unpoison_memory_region(base, size);
  __lsan_register_root_region(base, size);
#endif
#if defined(JOBS_VALGRIND)
  // To memcheck, the memory below the last frame of the previous fiber is not accessible.
  static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(base, size));
#endif
}

inline void stack_released([[maybe_unused]] const std::byte* base,
                           [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ASAN)
  __asan_unpoison_memory_region(base, size);  // the marks of abandoned frames
  __lsan_unregister_root_region(base, size);
#endif
  annotate_release(base);
}

// Pages of data that hold pointers to live memory. A stack that was unmapped may have left marks of
// its frames at this address: AddressSanitizer of g++ does not clear them.
inline void data_allocated([[maybe_unused]] const std::byte* base,
                           [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ASAN)
  __asan_unpoison_memory_region(base, size);
  __lsan_register_root_region(base, size);
#endif
}

inline void data_released([[maybe_unused]] const std::byte* base,
                          [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_ASAN)
  __lsan_unregister_root_region(base, size);
#endif
}

[[nodiscard]] inline bool on_valgrind() noexcept {
#if defined(JOBS_VALGRIND)
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

// Registers memory that becomes a stack for the first time. Returns a number for
// stack_unregistered(); 0: no tool is active.
[[nodiscard]] inline unsigned stack_registered([[maybe_unused]] const std::byte* base,
                                               [[maybe_unused]] std::size_t size) noexcept {
#if defined(JOBS_VALGRIND)
  if (RUNNING_ON_VALGRIND != 0) return VALGRIND_STACK_REGISTER(base, base + size) + 1;
#endif
  return 0;
}

inline void stack_unregistered([[maybe_unused]] unsigned number) noexcept {
#if defined(JOBS_VALGRIND)
  VALGRIND_STACK_DEREGISTER(number - 1);
#endif
}

}  // namespace jobs::inline JOBS_ABI::detail::sanitizer
