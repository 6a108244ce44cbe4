// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context: the saved registers of a suspended execution, on its own stack. In addition, this file
// saves thread state that must belong to a fiber: the exception state of the C++ runtime, errno and
// the floating-point control. Without that, two fibers of one thread would share it.
//
// Only StackFiber uses this file. All functions act on the calling thread.
//
// Two implementations have one interface; context_name() returns the name of the one in use. The
// whole test suite passes with either.
// - Native contexts: context_x86_64.hpp, context_aarch64.hpp.
// - Boost.Context, the reference: context_boost.hpp. It serves other processors, and the build
//   option JOBS_BOOST_CONTEXT selects it.
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

// The layout of __cxa_eh_globals in the C++ ABI: the stack of the exceptions that are being
// handled, and the number of those in flight.
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

// Thread state of a suspended fiber. The initial state is the state of a fresh thread.
struct SavedRegisters {
  int error_number = 0;
  // Flags of the parts that differ from the default. Nearly all fibers have the defaults.
  bool has_exceptions = false;
  bool has_float_control = false;
  ExceptionGlobals exceptions;
  FloatControl float_control;
};

// Addresses of the thread state on this thread. The constructor looks them up once, on the thread
// itself. They stay valid because fibers do not change threads.
//
// A switch leaves the defaults behind, so the next fiber acts only if it needs other values. A
// switch writes thread state only if the value changes. Otherwise each switch would wait for the
// stores of the previous one (4.8 ns instead of 4.2 ns).
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
