// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Result is the type of an element of the tuple that fork_join() returns.
#pragma once

#include <type_traits>
#include <variant>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Type of a function's result inside the tuple that fork_join() returns.
///
/// `void` becomes std::monostate. References stay references.
///
/// @tparam F  function
/// @tparam Arguments  types of its arguments
template <class F, class... Arguments>
using Result = std::conditional_t<std::is_void_v<std::invoke_result_t<F, Arguments...>>,
                                  std::monostate, std::invoke_result_t<F, Arguments...>>;

}  // namespace jobs::inline JOBS_ABI
