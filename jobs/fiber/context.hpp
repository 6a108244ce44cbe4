// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context: the registers of something that does not run, saved on its own stack, and what belongs to a thread but must belong to a
// fiber: the exception state of the C++ runtime, errno, the floating-point control. Two fibers of one thread would share those.
// StackFiber builds on this; nobody else should.
//
// There are two, with one interface, and the whole suite passes with either: our own (context_x86_64.hpp, context_aarch64.hpp), and
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

#include "jobs/fiber/float_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The layout that the C++ ABI gives __cxa_eh_globals: the stack of exceptions being handled, and how many are in flight.
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

// What a fiber keeps of them while it does not run. The initial state is that of a fresh thread.
struct SavedRegisters {
  ExceptionGlobals exceptions;
  int error_number = 0;
  bool has_float_control = false;  // false: the default
  FloatControl float_control;
};

// Where this thread keeps them. Looked up once, on the thread itself; stays valid because fibers do not change threads.
class ThreadRegisters {
 public:
  ThreadRegisters() noexcept;

  // Leaves the default floating-point control behind, so that whoever comes next has to act only if it wants another.
  JOBS_ALWAYS_INLINE void save(SavedRegisters& saved) const noexcept {
    saved.exceptions = *exceptions_;
    saved.error_number = *error_number_;
    if (!is_float_control_default()) [[unlikely]]
      save_float_control(saved);
  }
  JOBS_ALWAYS_INLINE void restore(SavedRegisters& saved) const noexcept {
    *exceptions_ = saved.exceptions;
    *error_number_ = saved.error_number;
    if (saved.has_float_control) [[unlikely]]
      restore_float_control(saved);
  }

 private:
  JOBS_COLD static void save_float_control(SavedRegisters& saved) noexcept;
  JOBS_COLD static void restore_float_control(SavedRegisters& saved) noexcept;

  ExceptionGlobals* const exceptions_;
  int* const error_number_;
};

}  // namespace jobs::inline JOBS_ABI::detail
