// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context: the registers of something that does not run, saved on its own stack, and what belongs to a thread but must belong to a
// fiber: the exception state of the C++ runtime, errno, the floating-point control. Two fibers of one thread would share those.
// StackFiber builds on this; nobody else should.
//
// There are two, with one interface (context_name() says which), and the whole suite passes with either: our own (context_x86_64.hpp, context_aarch64.hpp), and
// Boost.Context, the reference (context_boost.hpp), for other processors and by the build option JOBS_BOOST_CONTEXT.
#pragma once

#include "jobs/base/config.hpp"

#if !defined(JOBS_NATIVE_CONTEXT)
#include "jobs/fiber/context_boost.hpp"
#elif defined(__x86_64__)
#include "jobs/fiber/context_x86_64.hpp"
#else
#include "jobs/fiber/context_aarch64.hpp"
#endif

#include <cerrno>
#include <cstdint>

#include "jobs/fiber/float_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The layout that the C++ ABI gives __cxa_eh_globals: the stack of exceptions being handled, and how many are in flight.
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

// What a fiber keeps of them while it does not run. The initial state is that of a fresh thread.
struct SavedRegisters {
  int error_number = 0;
  // Those that are not the default, which nearly all are.
  bool has_exceptions = false;
  bool has_float_control = false;
  ExceptionGlobals exceptions;
  FloatControl float_control;
};

// Where this thread keeps them. Looked up once, on the thread itself; stays valid because fibers do not change threads.
//
// A switch leaves the defaults behind, so that whoever comes next has to act only if it wants others; and it writes what is the thread's
// only if that changes: else each switch waits for the stores of the one before (4.8 ns instead of 4.2).
class ThreadRegisters {
 public:
  ThreadRegisters() noexcept;

  JOBS_ALWAYS_INLINE void save(SavedRegisters& saved) const noexcept {
    saved.error_number = *error_number_;
    if (has_exceptions()) [[unlikely]]
      save_exceptions(saved);
    if (!is_float_control_default()) [[unlikely]]
      save_float_control(saved);
  }
  JOBS_ALWAYS_INLINE void restore(SavedRegisters& saved) const noexcept {
    if (*error_number_ != saved.error_number) *error_number_ = saved.error_number;
    if (saved.has_exceptions) [[unlikely]]
      restore_exceptions(saved);
    if (saved.has_float_control) [[unlikely]]
      restore_float_control(saved);
  }

 private:
  bool has_exceptions() const noexcept {
    return (reinterpret_cast<std::uintptr_t>(exceptions_->caught) | exceptions_->uncaught) != 0;
  }
  JOBS_COLD void save_exceptions(SavedRegisters& saved) const noexcept;
  JOBS_COLD void restore_exceptions(SavedRegisters& saved) const noexcept;
  JOBS_COLD static void save_float_control(SavedRegisters& saved) noexcept;
  JOBS_COLD static void restore_float_control(SavedRegisters& saved) noexcept;

  ExceptionGlobals* const exceptions_;
  int* const error_number_;
};

}  // namespace jobs::inline JOBS_ABI::detail
