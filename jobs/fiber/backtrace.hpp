// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The back-trace of a fiber, for reports. Only the home thread of the fiber may call these
// functions.
//
// The walk uses the unwind tables that every function has for exceptions. Therefore it needs
// neither frame pointers nor debug information, and it writes nothing to the fiber's stack.
#pragma once

#include <vector>

#include "jobs/fiber/stack_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Return addresses, innermost first; at most 64. Empty if the library does not use native contexts
// (context.hpp). pre: on the home thread; the fiber is suspended.
std::vector<const void*> frames_of(const StackFiber& fiber);
// Return addresses of the calling thread, in the same form.
std::vector<const void*> frames_here();

}  // namespace jobs::inline JOBS_ABI::detail
