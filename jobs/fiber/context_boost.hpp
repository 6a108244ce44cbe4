// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context by Boost.Context: the reference, and the implementation for processors without a native
// context. Only context.hpp includes this file, and no other file uses Boost.Context.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/fiber/float_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline std::string context_name() {
  return "Boost.Context " + std::to_string(BOOST_VERSION / 100'000) + "." +
         std::to_string(BOOST_VERSION / 100 % 1000);
}

using Context = boost::context::detail::fcontext_t;

// The data that a jump brings to its target. fctx: the context that was left; data: the argument of
// the jump.
using Arrival = boost::context::detail::transfer_t;

#if defined(__x86_64__)

// Boost.Context saves the floating-point words and restores them together with the sticky flags of
// SSE. On some processors that takes 50 ns instead of 4 ns if the flags differ from the current
// ones. Therefore the target of each jump raises all flags in the context that was left. From then
// on, the flags do not differ.
//
// The words are the first eight bytes of a context; check_context_layout() proves it.
JOBS_ALWAYS_INLINE void raise_float_status(Context left) noexcept {
  static_cast<FloatControl*>(left)->mxcsr |= kMxcsrStatus;
}
// Aborts with an error message if this build of Boost.Context keeps the words elsewhere.
void check_context_layout() noexcept;

#else

JOBS_ALWAYS_INLINE void raise_float_status(Context) noexcept {}
inline void check_context_layout() noexcept {}

#endif

// Returns a context that calls `main` on the stack that ends at `top`. pre: `main` never returns.
inline Context make_context(std::byte* top, std::size_t size, void (*main)(Arrival)) noexcept {
  const Context context = boost::context::detail::make_fcontext(top, size, main);
#if defined(__x86_64__)
  *static_cast<FloatControl*>(context) = {};  // replaces the control words of the creating thread
#endif
  raise_float_status(context);
  return context;
}

JOBS_SWITCH_INLINE Arrival jump(Context to, void* data) {
  return boost::context::detail::jump_fcontext(to, data);
}

}  // namespace jobs::inline JOBS_ABI::detail
