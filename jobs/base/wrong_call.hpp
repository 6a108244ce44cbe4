// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Readable errors for calls that no overload accepts. It has only compile-time definitions.
//
// A family of overloads (parallel_for, spawn, …) has one more function template. That template
// accepts exactly the calls that are wrong for a known reason, and states the reason in a
// static_assert. The user gets one line and not a note for each overload.
//
// Rules for such a template:
//   - Its constraint implies that no other overload is viable, so a valid call stays unchanged.
//   - It returns `auto`: the compiler instantiates the body at the call, so the static_assert is
//     the first error.
//   - It returns Anything where the result is used, so that no second error follows.
// JOBS_REFUSE_OTHER_CALLS makes such a template for all other wrong calls of a family.
#pragma once

#include <type_traits>

#include "jobs/base/config.hpp"

// Refuses the calls of jobs::name() that no declaration above accepts; `text` says how to call it.
// The qualified name finds the declarations above and no others. Other templates for wrong calls of
// the family stand below if they return `auto`, because the constraint would instantiate them; they
// are more specialised, so they win.
#define JOBS_REFUSE_OTHER_CALLS(name, text)                               \
  template <class... A>                                                   \
    requires(!requires(A&&... a) { jobs::name(static_cast<A&&>(a)...); }) \
  auto name(A&&...) {                                                     \
    static_assert(detail::kNever<A...>, "jobs::" #name ": " text);        \
    return detail::Anything();                                            \
  }

namespace jobs::inline JOBS_ABI::detail {

// For static_assert: false, but not before the template is instantiated.
template <class...>
inline constexpr bool kNever = false;

// The result of a wrong call.
struct Anything {
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): stands for a value of any type
  operator T() const noexcept;
};

// A number in the position of a Grain.
template <class T>
concept Number = std::is_arithmetic_v<std::remove_cvref_t<T>>;

// Whether a T that takes the place of one of these values loses its fraction. A bool does not:
// every value but 0 becomes true.
template <class T, class... Values>
inline constexpr bool kDropsFraction =
    std::is_integral_v<T> && !std::is_same_v<T, bool> &&
    (std::is_floating_point_v<std::remove_cvref_t<Values>> || ...);

// The type of the first of several arguments; void if there are none.
template <class... A>
struct FirstOf {
  using Type = void;
};
template <class A, class... Others>
struct FirstOf<A, Others...> {
  using Type = A;
};

}  // namespace jobs::inline JOBS_ABI::detail
