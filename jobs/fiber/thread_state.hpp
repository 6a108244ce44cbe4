// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadState: state of the calling thread, the only thread_local of the library. Only its own
// thread accesses it. Fibers never change threads, so a value read before a wait is still valid
// after it.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberHost;

class ThreadContext;

// What a waiting external thread does inside of a structured algorithm; an upper layer defines it.
struct ParticipantActions {
  // Runs a job on which the wait for `awaited` depends. Returns false if the thread should not look
  // for another one at once.
  bool (*help)(ThreadContext& context, const void* awaited) noexcept;
  // The thread computes or spins (true), or is about to park (false).
  void (*hold_seat)(ThreadContext& context, bool held) noexcept;
};

// Base class of the data that upper layers keep for a thread that runs jobs. Pointers instead of
// virtual functions, so that programs without participants do not contain them.
class ThreadContext {
 public:
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;

  // Null for a worker.
  const ParticipantActions* const participant;

 protected:
  explicit ThreadContext(const ParticipantActions* actions = nullptr) noexcept
      : participant(actions) {}
  ~ThreadContext() = default;
};

// The scheduler of the functions that an external thread calls; a room above defines it.
struct ThreadScope;

struct ThreadState {
  FiberHost* host = nullptr;  // the worker, or the ThreadHost of an external thread during its wait
  // Where fork_join and the loops push: the context of the worker or of an external participant;
  // null: unbound thread.
  ThreadContext* context = nullptr;
  // Number of held spin locks (sync/spin_lock.hpp); if not 0, the fiber must not suspend.
  unsigned spin_locks = 0;
  // Nanoseconds for which a wait of an external thread spins before it parks (ActiveWait).
  int spin_limit = 20'000;
  // In a child process: fork() was called in a job or a loop. The frames below belong to the parent
  // process, and their waits never end.
  bool forked_inside = false;
  // The last job submitted from here since then: a wait for it is legal.
  const void* submitted = nullptr;
  // The innermost SchedulerScope of an external thread; null: the default scheduler.
  ThreadScope* scope = nullptr;
  // Runs the jobs of the counter for which the calling external thread is about to wait, unless
  // workers have taken them. Null: this thread has submitted no job with a counter.
  void (*help_counter)(const void* counter) noexcept = nullptr;
  // The scheduler (Shared) whose blocking calls this thread runs; null on other threads.
  const void* blocking_for = nullptr;
};

#if defined(JOBS_MODEL) || defined(JOBS_SIMULATED)
ThreadState& this_thread() noexcept;  // one for each thread of the model or of the simulation
#else

// The TLS model is initial-exec in every build, also in shared objects: a load of the offset from
// the GOT, without a call. In an executable the linker turns that load into a constant. A shared
// object that dlopen() loads takes its 64 bytes from the reserve of the C library.
//
// Assembler code names the variable, so its symbol is not mangled.
#define JOBS_TEXT_OF(name) #name
#define JOBS_TEXT(name) JOBS_TEXT_OF(name)
#define JOBS_THREAD_STATE "jobs_" JOBS_TEXT(JOBS_ABI) "_thread_state"

JOBS_EXPORT
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadState thread_state asm(
    JOBS_THREAD_STATE);

#if defined(__x86_64__) && !defined(__clang__)
// The load is written as asm because g++ 12 may emit an instruction for it that no linker can
// relax. With AVX-512 g++ keeps the offset in a vector register across a loop or a call and loads
// it by `vmovq`. The link of an executable then fails ("TLS transition"). The asm returns the
// offset in a general register. g++ folds the thread pointer into the address (%fs:8(%rax)), just
// like without the asm.
inline ThreadState& this_thread() noexcept {
  std::uintptr_t offset;
  asm inline("{movq\t" JOBS_THREAD_STATE
             "@gottpoff(%%rip), %0|mov\t%0, QWORD PTR " JOBS_THREAD_STATE "@gottpoff[rip]}"
             : "=r"(offset));
  return *reinterpret_cast<ThreadState*>(static_cast<char*>(__builtin_thread_pointer()) + offset);
}
#else
inline ThreadState& this_thread() noexcept { return thread_state; }
#endif
#endif

}  // namespace jobs::inline JOBS_ABI::detail
