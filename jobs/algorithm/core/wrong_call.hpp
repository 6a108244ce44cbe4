// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Readable errors for wrong calls of the algorithms (jobs/base/wrong_call.hpp). Each macro follows
// the overloads of one name. Internal.
#pragma once

#include <functional>
#include <iterator>

#include "jobs/base/wrong_call.hpp"

// Refuses name(range, …) for a range without random access, such as std::list, and two iterators.
#define JOBS_REFUSE_OTHER_RANGES(name)                                                        \
  template <std::ranges::range R, class... Rest>                                              \
    requires(!std::ranges::random_access_range<R>)                                            \
  auto name(R&&, Rest&&...) {                                                                 \
    static_assert(detail::kNever<R>, "jobs::" #name ": the range must have random access");   \
    return detail::Anything();                                                                \
  }                                                                                           \
  template <std::input_or_output_iterator I, std::sentinel_for<I> S, class... Rest>           \
    requires(!std::ranges::range<I>)                                                          \
  auto name(I, S, Rest&&...) {                                                                \
    static_assert(detail::kNever<I>,                                                          \
                  "jobs::" #name                                                              \
                  ": takes a range, no iterators: write std::ranges::subrange(first, last)"); \
    return detail::Anything();                                                                \
  }

// Refuses sums of floating-point numbers in an integer. `what` decides the type T of the sums. A
// function that calls another one with this check has none of its own, so `names` has both names.
#define JOBS_KEEP_FRACTIONS(names, what, T, ...)                                                 \
  static_assert(!detail::kDropsFraction<T, __VA_ARGS__>,                                         \
                names ": the results have the type of the " what                                 \
                      ", an integer, so the fractions of floating-point numbers would be lost: " \
                      "write 0.0 instead of 0, or convert the numbers to integers")

// The end of a text for JOBS_REFUSE_OTHER_CALLS, of an algorithm that writes its results to `out`.
#define JOBS_WHERE_OUT ", where out is an iterator, such as v.begin()"

// Refuses name(range, predicate, projection) if the predicate is not callable as one.
#define JOBS_REFUSE_OTHER_PREDICATES(name)                                                         \
  template <std::ranges::random_access_range R, class Predicate, class Projection = std::identity> \
    requires(                                                                                      \
        !std::indirect_unary_predicate<Predicate,                                                  \
                                       std::projected<std::ranges::iterator_t<R>, Projection>>)    \
  auto name(R&&, Predicate, Projection = {}) {                                                     \
    static_assert(detail::kNever<R>,                                                               \
                  "jobs::" #name                                                                   \
                  ": predicate must be callable as predicate(element), for a bool");               \
    return detail::Anything();                                                                     \
  }

// Refuses name(range, compare, projection) if `compare` is not an order.
#define JOBS_REFUSE_OTHER_ORDERS(name)                                                           \
  template <std::ranges::random_access_range R, class Compare, class Projection = std::identity> \
    requires(!std::indirect_strict_weak_order<                                                   \
                 Compare, std::projected<std::ranges::iterator_t<R>, Projection>> &&             \
             !std::random_access_iterator<std::remove_cvref_t<R>>)                               \
  auto name(R&&, Compare, Projection = {}) {                                                     \
    static_assert(detail::kNever<R>,                                                             \
                  "jobs::" #name                                                                 \
                  ": compare must be callable as compare(element, element), for a bool");        \
    return detail::Anything();                                                                   \
  }
