// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Shared parts of the sorting algorithms: comparison by a projection, and access to elements.
// Internal; any thread may use them.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Returns true if one element comes before another one: comparator and projection as in
// std::ranges.
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

// True for elements that are as cheap to copy as a decision about the copy. Algorithms move them by
// arithmetic instead of branches, which no processor predicts for random input.
template <class T>
inline constexpr bool kCheap = std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> &&
                               std::is_copy_assignable_v<T> && sizeof(T) <= 16;

// Returns a pointer for a contiguous iterator. Each template instance that this saves is half a
// second of compilation.
template <std::random_access_iterator It>
constexpr auto unwrap(It it) noexcept {
  if constexpr (std::contiguous_iterator<It>) {
    return std::to_address(it);
  } else {
    return it;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
