// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// task_group_context: the cancellation flag of algorithms and task groups, and what nested ones
// inherit from it. Any thread may set it.
//
// Each algorithm and each task group is a scope. A body that runs in a scope is a frame: the
// algorithms and local task groups of the body are cancelled with the scope.
//
// Differences from oneTBB:
// - A nested context learns of the cancel of an outer one when a part or task of it is about to
//   begin.
// - A task_group inherits only if it is a local variable of the body, because it must end before
//   the body does.
// - Traits have no effect.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/observed.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

// Cancellation only cuts work short; the joins publish exceptions and results.
JOBS_ORDER(kCancel, relaxed);
// A thread that sees the number of a cancel sees its flag. Partner: kLookForCancel.
JOBS_ORDER(kCountCancel, release);
// Partner: kCountCancel.
JOBS_ORDER(kLookForCancel, acquire);

// The number of cancels of the process. While it is unchanged, no scope looks at its outer ones.
inline jobs::detail::Atomic<std::uint64_t> cancels{0};

}  // namespace detail

/// A flag that cancels the algorithms and task groups that use it, and those nested in them.
class task_group_context {
 public:
  /// An isolated context is not cancelled with the outer ones.
  enum kind_type { isolated, bound };
  /// Traits of oneTBB, without effect.
  enum traits_type { fp_settings = 1 << 1, concurrent_wait = 1 << 2, default_traits = 0 };

  /// Creates a context that is not cancelled.
  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits)
      : is_bound_(kind == bound),
        traits_(static_cast<std::uint8_t>(traits & (fp_settings | concurrent_wait))) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;

  /// Cancels work that has not begun. Any thread may call it. Returns true if the context was not
  /// cancelled before.
  bool cancel_group_execution() {
    if (cancelled_.exchange(true, detail::kCancel)) return false;
    detail::cancels.fetch_add(1, detail::kCountCancel);
    return true;
  }
  /// Returns true if the context is cancelled.
  bool is_group_execution_cancelled() const { return cancelled_.load(detail::kCancel); }
  /// Clears the flag. No algorithm or group may be using the context.
  void reset() { cancelled_.store(false, detail::kCancel); }
  /// Returns the traits of the constructor.
  std::uintptr_t traits() const { return traits_; }
  /// Has no effect: jobs run with the floating-point settings of their threads.
  void capture_fp_settings() {}

  /// Returns false for an isolated context. Not in oneTBB.
  bool is_bound() const { return is_bound_; }

 private:
  jobs::detail::Atomic<bool> cancelled_{false};
  const bool is_bound_;
  const std::uint8_t traits_;
};

namespace detail {

// An algorithm or task group that can be cancelled. `outer` outlives it. All parts use it
// concurrently.
class Scope {
 public:
  Scope(task_group_context& context, Scope* outer) noexcept
      : context_(context), outer_(context.is_bound() ? outer : nullptr) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Also sets the flag of the context if an outer scope is cancelled.
  bool is_cancelled() {
    if (context_.is_group_execution_cancelled()) return true;
    if (outer_ == nullptr) return false;
    const std::uint64_t now = cancels.load(kLookForCancel);
    if (now == seen_.load(kCancel)) return false;
    if (outer_->is_cancelled()) {
      context_.cancel_group_execution();
      return true;
    }
    seen_.store(now, kCancel);
    return false;
  }
  task_group_context& context() const noexcept { return context_; }

 private:
  task_group_context& context_;
  Scope* const outer_;
  // The number of cancels up to which no outer scope was cancelled.
  jobs::detail::Atomic<std::uint64_t> seen_{0};
};

// Whether a thread outside of all arenas has called an algorithm: oneTBB gives it the index 0 then.
inline bool& has_called() noexcept {
  static thread_local bool called = false;
  return called;
}

// The arena of which the calling thread has the seat (caller_seat.hpp), the innermost one; null:
// none.
inline ArenaScheduler*& seat_of_thread() noexcept {
  static thread_local ArenaScheduler* arena = nullptr;
  return arena;
}

JOBS_TAG_OF_MODE inline EnteredArenas& entered_arenas() noexcept {
  static thread_local EnteredArenas arenas;
  return arenas;
}

// Calls the observers of the arena before the thread runs a body. Without observers it takes one
// load. With observers, a lack of memory ends the program, because Frame must not throw.
JOBS_TAG_OF_MODE inline void enter_arena() noexcept {
  if (Observers::count.load(kLookForObservers) == 0) [[likely]]
    return;
  entered_arenas().enter(seat_of_thread());
}
// The thread leaves the seat of an arena, and with it the arena.
JOBS_TAG_OF_MODE inline void leave_arena(const jobs::detail::Shared& arena) noexcept {
  entered_arenas().leave(arena);
}

// A body that runs in a scope. It lies on the stack of the body, and only its thread uses it.
// Fibers of one worker run by turns, so the frames of a thread belong to several fibers.
class Frame {
 public:
  // `base`: the frame address of the function that calls the body; it must not be inlined. `group`:
  // of a task, an address that identifies its group; otherwise null.
  JOBS_TAG_OF_MODE Frame(Scope& scope, const void* base, const void* group = nullptr) noexcept
      : scope_(scope), base_(base), group_(group), runner_(runner()), below_(top()) {
    enter_arena();
    top() = this;
  }
  ~Frame() {
    Frame** at = &top();
    while (*at != this) at = &(*at)->below_;
    *at = below_;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  Scope& scope() const noexcept { return scope_; }
  const void* group() const noexcept { return group_; }
  // Returns true for a local variable of the body, and for a part of it. Stacks grow downwards.
  // AddressSanitizer may keep variables elsewhere (detect_stack_use_after_return). Then a cancel
  // does not reach a task group of the body.
  JOBS_NOINLINE bool has_local(const void* object) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < address &&
           address < reinterpret_cast<std::uintptr_t>(base_);
  }

  // The innermost body that the caller runs in; null outside of all bodies.
  static const Frame* current() noexcept {
    const Frame* frame = top();
    if (frame == nullptr) return nullptr;
    const void* const caller = runner();
    while (frame != nullptr && frame->runner_ != caller) frame = frame->below_;
    return frame;
  }
  static Scope* current_scope() noexcept {
    const Frame* const frame = current();
    return frame != nullptr ? &frame->scope_ : nullptr;
  }
  // Identifies the fiber of a worker, or the calling external thread.
  static const void* runner() noexcept {
    const jobs::detail::ThreadState& thread = jobs::detail::this_thread();
    const bool is_worker = thread.context != nullptr && thread.context->participant == nullptr;
    if (is_worker) return &thread.host->current();
    return &thread;
  }

 private:
  static Frame*& top() noexcept {
    static thread_local Frame* newest = nullptr;
    return newest;
  }

  Scope& scope_;
  const void* const base_;
  const void* const group_;
  const void* const runner_;
  Frame* below_;
};

}  // namespace detail

/// Returns true if the algorithm or task group whose body runs the caller is cancelled.
inline bool is_current_task_group_canceling() {
  detail::Scope* const scope = detail::Frame::current_scope();
  return scope != nullptr && scope->is_cancelled();
}

}  // namespace jobs::inline JOBS_ABI::tbb
