// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Constants of the compiler and the platform. Every other file may use them. This file knows
// neither jobs, fibers nor workers.
#pragma once

#if __cplusplus < 202002L
#error "jobs needs C++20: compile with -std=c++20 or later"
// No such file exists: the compiler stops here and prints no further errors.
#include <jobs needs C++20>
#endif

#include <cstddef>

// The inline namespace carries the ABI: `jobs::inline JOBS_ABI`. The library is built again with
// other atomics, as `jobs_model` for the model checker and as `jobs_testing` for simulations. Each
// build has its own namespace, so that they stay separate in one program.
#if defined(JOBS_MODEL)
#define JOBS_ABI v0_model
#elif defined(JOBS_SIMULATED)
#define JOBS_ABI v0_simulated
#else
#define JOBS_ABI v0
#endif

// A program may compile a header with exceptions in one file and without in another, and the linker
// would keep one copy for both. Therefore functions, and classes that users do not name, have
// different names in files without exceptions. Three forms exist: their namespace ends in
// JOBS_OF_MODE; they stand between JOBS_OF_MODE_BEGIN and JOBS_OF_MODE_END; or, as members of
// classes that users name, they are JOBS_TAG_OF_MODE. With exceptions all of these macros are
// empty. The compiled library uses the names with exceptions.
#if defined(__cpp_exceptions)
#define JOBS_OF_MODE
#define JOBS_OF_MODE_BEGIN
#define JOBS_OF_MODE_END
#define JOBS_TAG_OF_MODE
#else
#define JOBS_OF_MODE ::inline no_exceptions
#define JOBS_OF_MODE_BEGIN inline namespace no_exceptions {
#define JOBS_OF_MODE_END }
#define JOBS_TAG_OF_MODE __attribute__((abi_tag("no_exceptions")))
#endif

// JOBS_STATIC: a source of the static library. The program or plugin that links the static library
// does not export its symbols.
#if defined(JOBS_STATIC)
#define JOBS_EXPORT [[gnu::visibility("hidden")]]
#else
#define JOBS_EXPORT [[gnu::visibility("default")]]
#endif
#define JOBS_NOINLINE [[gnu::noinline]]
#define JOBS_COLD [[gnu::noinline, gnu::cold]]
// For a function that stands for a type. The compiler must not merge it with another function that
// has the same code: the debug information has only one of them.
#if defined(__clang__)
#define JOBS_DISTINCT
#else
#define JOBS_DISTINCT [[gnu::no_icf]]
#endif
#if defined(JOBS_TSAN_NO_SYNC)
// If the compiler inlined our functions into functions of the program, TSan would instrument them.
#define JOBS_ALWAYS_INLINE inline
#else
#define JOBS_ALWAYS_INLINE [[gnu::always_inline]] inline
#endif
// For a function that must be inlined into its caller in every build: the code around a switch.
#define JOBS_SWITCH_INLINE [[gnu::always_inline]] inline

// Defined if native instructions switch fibers, and not Boost.Context (fiber/context.hpp).
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(JOBS_BOOST_CONTEXT)
#define JOBS_NATIVE_CONTEXT
#endif

namespace jobs::inline JOBS_ABI::detail {

// Two 64-byte lines: the adjacent-line prefetcher loads pairs.
// std::hardware_destructive_interference_size would put a value into our ABI that depends on the
// consumer's flags.
inline constexpr std::size_t kDestructiveDistance = 128;

// Empty base of a class with members of the user's types: an object has cache lines of its own.
// alignas() at the class itself is ill-formed if a member has a larger alignment.
struct alignas(kDestructiveDistance) OwnCacheLines {};

}  // namespace jobs::inline JOBS_ABI::detail
