// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context by Boost.Context: the reference, and what processors get that have none of our own. Only this file knows it. Included by
// context.hpp alone.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/fiber/float_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline std::string context_name() {
  return "Boost.Context " + std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
}

using Context = boost::context::detail::fcontext_t;

// What a jump brings to where it lands.
using Arrival = boost::context::detail::transfer_t;  // fctx: the context that was left; data: what it passed

#if defined(__x86_64__)

// It saves the floating-point words, and restores them with the sticky flags of SSE, which takes some processors 50 ns, not 4, if
// they differ from the current ones. So wherever a jump arrives, all flags are raised in the context that was left: from then on
// nothing differs.
// The words are the first eight bytes of a context; check_context_layout() proves it.
JOBS_ALWAYS_INLINE void raise_float_status(Context left) noexcept {
  static_cast<FloatControl*>(left)->mxcsr |= kMxcsrStatus;
}
// Aborts with one line if this build of Boost.Context keeps them elsewhere.
void check_context_layout() noexcept;

#else

JOBS_ALWAYS_INLINE void raise_float_status(Context) noexcept {}
inline void check_context_layout() noexcept {}

#endif

// A context that will call `main` on the stack that ends at `top`. pre: `main` never returns.
inline Context make_context(std::byte* top, std::size_t size, void (*main)(Arrival)) noexcept {
  const Context context = boost::context::detail::make_fcontext(top, size, main);
#if defined(__x86_64__)
  *static_cast<FloatControl*>(context) = {};  // it holds what its maker had
#endif
  raise_float_status(context);
  return context;
}

JOBS_SWITCH_INLINE Arrival jump(Context to, void* data) { return boost::context::detail::jump_fcontext(to, data); }

}  // namespace jobs::inline JOBS_ABI::detail
