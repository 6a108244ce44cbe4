// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// invoke(): std::invoke without <functional>, which costs each file that includes it 0.06 s of
// compile time. The header <tuple> is cheap, and std::apply() calls pointers to members as
// std::invoke does. Write detail::invoke: the bare name also finds std::invoke. Any thread may call
// it.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

template <class F, class... Args>
JOBS_ALWAYS_INLINE constexpr std::invoke_result_t<F, Args...> invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) {
    return std::apply(f, std::forward_as_tuple(std::forward<Args>(args)...));
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
