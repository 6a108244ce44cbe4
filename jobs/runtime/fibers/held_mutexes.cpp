// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// held_mutexes: the wrappers of the functions of pthread_mutex_t, the mutexes of each thread, and
// the report.
#include "jobs/runtime/fibers/held_mutexes.hpp"

#if defined(JOBS_CHECK_MUTEXES)

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "jobs/base/message.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/backtrace.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/fiber_label.hpp"

namespace jobs::inline JOBS_ABI::detail::held_mutexes {

namespace {

struct Held {
  const void* mutex;
  const FiberCore* fiber;
  const void* locked_at;
};

constexpr std::size_t kMaxHeld = 32;  // Per thread; further mutexes are not checked.
constexpr std::size_t kMaxCallSites =
    256;  // Waits that are reported; further waits are not reported.

constinit thread_local std::array<Held, kMaxHeld> held{};
constinit thread_local std::size_t held_count = 0;
constinit std::array<std::atomic<std::size_t>, kMaxCallSites> named{};

// Records a lock unless it failed with `error`, and returns `error`. Outside fibers a thread may
// own a mutex for any time.
int locked(int error, const void* mutex, const void* call_site) noexcept {
  const FiberHost* const host = this_thread().host;
  if (error == 0 && host != nullptr && held_count != kMaxHeld)
    held[held_count++] = {mutex, host->current_remote(), call_site};
  return error;
}

void unlocked(const void* mutex) noexcept {
  for (std::size_t i = held_count; i-- > 0;) {
    if (held[i].mutex != mutex) continue;
    for (--held_count; i < held_count; ++i) held[i] = held[i + 1];
    return;
  }
}

// Returns true if a wait with these frames, under a mutex that was locked at `locked_at`, occurs
// for the first time. The frames are a part of the key. Without inlining, all locks of std::mutex
// come from the same line of the standard library.
bool is_new(const std::vector<const void*>& frames, const void* locked_at) noexcept {
  auto call_site = reinterpret_cast<std::uintptr_t>(locked_at);
  for (const void* const frame : frames)
    call_site = call_site * 31 + reinterpret_cast<std::uintptr_t>(frame);
  for (std::size_t i = 0; i < kMaxCallSites; ++i) {
    std::size_t there = 0;
    if (named[(call_site + i) % kMaxCallSites].compare_exchange_strong(there, call_site,
                                                                       std::memory_order_relaxed))
      return true;
    if (there == call_site) return false;
  }
  return false;
}

// Returns the next function in the order of symbol look-up: the function of the system, or the
// function of a sanitizer, which calls that of the system.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void report(const FiberCore& fiber) {
  for (std::size_t i = 0; i < held_count; ++i) {
    const Held& lock = held[i];
    if (lock.fiber != &fiber) continue;
    const std::vector<const void*> frames = frames_here();
    if (!is_new(frames, lock.locked_at)) continue;
    char mutex[32];
    std::snprintf(mutex, sizeof mutex, "%p", lock.mutex);
    MessageLine label;
    append_label(label, fiber);
    std::string text = "jobs: ";
    text.append(label.text()).append(", ").append(fiber.home->describe());
    text.append(", waits or ends while it holds the system's mutex ").append(mutex);
    text += ", locked at " + os::describe_address(lock.locked_at) + "\n";
    int number = 0;
    for (const void* const frame : frames) {
      text += "jobs:     #" + std::to_string(number++) + " " + os::describe_address(frame) + "\n";
    }
    std::fputs(text.c_str(), stderr);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail::held_mutexes

// The linker finds these functions before those of the system.
namespace held = jobs::detail::held_mutexes;

// The static library exports them, too: they replace those of the C library.
extern "C" {

[[gnu::visibility("default")]] int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const lock = held::next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return held::locked(lock(mutex), mutex, __builtin_return_address(0));
}

[[gnu::visibility("default")]] int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static auto* const lock = held::next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return held::locked(lock(mutex), mutex, __builtin_return_address(0));
}

[[gnu::visibility("default")]] int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                                           const timespec* end) noexcept {
  static auto* const lock =
      held::next<int(pthread_mutex_t*, const timespec*)>("pthread_mutex_timedlock");
  return held::locked(lock(mutex, end), mutex, __builtin_return_address(0));
}

[[gnu::visibility("default")]] int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                                           const timespec* end) noexcept {
  static auto* const lock =
      held::next<int(pthread_mutex_t*, clockid_t, const timespec*)>("pthread_mutex_clocklock");
  return held::locked(lock(mutex, clock, end), mutex, __builtin_return_address(0));
}

[[gnu::visibility("default")]] int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static auto* const unlock = held::next<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  held::unlocked(mutex);
  return unlock(mutex);
}

}  // extern "C"

#endif
