// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Exceptions in headers: macros for programs built with -fno-exceptions. The compiled library
// always has exceptions, but a user's file may be built without. Public headers use these macros in
// place of try, catch and throw. With exceptions the macros are those keywords, so the generated
// code is the same.
//
// Without exceptions:
// - JOBS_TRY runs its block alone.
// - JOBS_THROW ends the program with one line that contains the text of the exception.
// - An exception of the compiled library or of the standard library finds no handler in such a
//   file. std::terminate() ends the program with the type and the text of the exception.
// - Between the library and a callable of such a file lies a noexcept function of the library. It
//   stops the library's own handlers from unwinding through frames without clean-up code. For jobs,
//   the worker has this function. For callables behind a virtual function, it is run_contained().
#pragma once

#include <exception>

#include "jobs/base/config.hpp"

#if defined(__cpp_exceptions)
#define JOBS_TRY try
#define JOBS_CATCH(Type) catch (const Type&)
#define JOBS_CATCH_ALL catch (...)
#define JOBS_RETHROW throw
#define JOBS_THROW(...) throw __VA_ARGS__
#else
#define JOBS_TRY if constexpr (true)
#define JOBS_CATCH(Type) else
#define JOBS_CATCH_ALL else
#define JOBS_RETHROW static_cast<void>(0)
#define JOBS_THROW(...) ::jobs::detail::abort_on_exception(__VA_ARGS__)
#endif

namespace jobs::inline JOBS_ABI::detail {

#if defined(__cpp_exceptions)
inline constexpr bool kExceptions = true;
#else
inline constexpr bool kExceptions = false;
#endif

// For a static_assert in a template that requires exceptions.
template <class>
inline constexpr bool kHasExceptions = kExceptions;

// Prints one line with the exception's what(), and aborts.
[[noreturn]] JOBS_EXPORT void abort_on_exception(const std::exception& exception) noexcept;

// Returns function(argument). An exception that leaves the function ends the program by
// std::terminate().
JOBS_EXPORT int call_contained(int (*function)(void* argument), void* argument) noexcept;

// Returns f(), which is an int or a bool. In a file without exceptions no exception leaves it.
template <class F>
JOBS_ALWAYS_INLINE auto run_contained(F f) {
  if constexpr (kExceptions) {
    return f();
  } else {
    return static_cast<decltype(f())>(
        call_contained([](void* closure) -> int { return (*static_cast<F*>(closure))(); }, &f));
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
