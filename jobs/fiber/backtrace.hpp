// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The back-trace of a fiber, for reports. By the unwind tables that every function has for exceptions, so that it
// needs neither frame pointers nor debug information; nothing is written to the fiber's stack.
#pragma once

#include <vector>

#include "jobs/fiber/stack_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Return addresses, innermost first; at most 64. Empty where contexts are not our own (context.hpp). pre: on the home thread; the
// fiber has been left and does not run.
std::vector<const void*> frames_of(const StackFiber& fiber);
// The same for the caller.
std::vector<const void*> frames_here();

}  // namespace jobs::inline JOBS_ABI::detail
