// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sorting algorithms have in common: how two elements are compared, and how elements are reached.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Whether one element goes before another: comparator and projection as in std::ranges.
template <class Compare, class Projection>
struct Before {
  Compare& compare;
  Projection& projection;

  template <class A, class B>
  JOBS_ALWAYS_INLINE bool operator()(A&& a, B&& b) const {
    return static_cast<bool>(std::invoke(compare, std::invoke(projection, static_cast<A&&>(a)),
                                         std::invoke(projection, static_cast<B&&>(b))));
  }
};

// Elements that cost no more to copy than to decide whether to: algorithms move them by arithmetic instead of by branches, which
// nobody can predict when the input is random.
template <class T>
inline constexpr bool kCheap =
    std::is_trivially_copyable_v<T>&& std::is_copy_constructible_v<T>&& std::is_copy_assignable_v<T> && sizeof(T) <= 16;

// A pointer where there is one: every instance less is half a second of compilation.
template <std::random_access_iterator It>
constexpr auto unwrap(It it) noexcept {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else {
    return it;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
