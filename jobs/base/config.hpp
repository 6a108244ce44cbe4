// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiler and platform constants that every other file may use. Knows nothing of jobs, fibers or workers.
#pragma once

#if __cplusplus < 202002L
#error "jobs needs C++20: compile with -std=c++20 or later"
#include <jobs needs C++20>  // There is no such file: the compiler stops here, and prints no errors that follow from the first.
#endif

#include <cstddef>

// The inline namespace carries the ABI: `jobs::inline JOBS_ABI`. The library is built again with other atomics, as `jobs_model` for
// the model checker and as `jobs_testing` for simulations; a namespace of its own keeps each apart in one program.
#if defined(JOBS_MODEL)
#define JOBS_ABI v0_model
#elif defined(JOBS_SIMULATED)
#define JOBS_ABI v0_simulated
#else
#define JOBS_ABI v0
#endif

// What headers define is compiled with exceptions in one file of a program and without in another, and the linker would keep one copy
// for both. So functions, and classes that users do not name, have other names in files without exceptions: their namespace ends in
// JOBS_OF_MODE, or they stand between JOBS_OF_MODE_BEGIN and _END, or, as members of classes that users name, they are JOBS_TAG_OF_MODE.
// With exceptions all of these are empty, and so are the names in the compiled library.
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

// JOBS_STATIC: a source of the static library. The object that it is linked into, a program or a plugin, does not export its symbols.
#if defined(JOBS_STATIC)
#define JOBS_EXPORT [[gnu::visibility("hidden")]]
#else
#define JOBS_EXPORT [[gnu::visibility("default")]]
#endif
#define JOBS_NOINLINE [[gnu::noinline]]
#define JOBS_COLD [[gnu::noinline, gnu::cold]]
#if defined(JOBS_TSAN_NO_SYNC)
#define JOBS_ALWAYS_INLINE inline  // inlined into the program's functions, ours would be instrumented as those are
#else
#define JOBS_ALWAYS_INLINE [[gnu::always_inline]] inline
#endif
// For what must be a part of the function that calls it, in every build: around a switch.
#define JOBS_SWITCH_INLINE [[gnu::always_inline]] inline

// Set where fibers are switched by instructions of our own and not by Boost.Context (fiber/context.hpp).
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(JOBS_BOOST_CONTEXT)
#define JOBS_NATIVE_CONTEXT
#endif

namespace jobs::inline JOBS_ABI::detail {

// Two 64-byte lines: the adjacent-line prefetcher pulls pairs. std::hardware_destructive_interference_size would put a
// value that depends on the consumer's flags into our ABI.
inline constexpr std::size_t kDestructiveDistance = 128;

}  // namespace jobs::inline JOBS_ABI::detail
