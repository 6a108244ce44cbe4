// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_invoke(), parallel_for_each(), parallel_sort() and collaborative_call_once() of oneTBB.
//
// Differences from oneTBB:
// - parallel_for_each() copies the elements of a range that can be read only once before it calls
//   the body. The body takes each copy as T&, or else as T&&.
// - parallel_sort() leaves equal elements in another order.
// - A thread that reaches a collaborative_call_once() under way blocks and does not help.
//
// Any thread may call these functions.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/algorithm/sort.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/parallel_for_each.hpp"
#include "jobs/sync/call_once.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

template <class... Args>
using Last = std::tuple_element_t<sizeof...(Args) - 1, std::tuple<Args...>>;

template <class F>
auto task_of(Call& call, F& f) {
  return [&call, &f] { call.run([&f] { f(); }); };
}

// One more argument is the context.
template <std::size_t... I, class... Args>
void invoke_in_context(std::index_sequence<I...>, std::tuple<Args&...> args) {
  in_arena([&] {
    Call call(0, std::get<sizeof...(I)>(args));
    fork_join(task_of(call, std::get<I>(args))...);
  });
}

}  // namespace detail

/// Calls all its arguments, two or more, in parallel. An exception drops those that have not begun.
template <class... F>
  requires(sizeof...(F) >= 2 && (std::invocable<F&> && ...))
void parallel_invoke(F&&... f) {
  detail::in_arena([&] {
    detail::Call call(0);
    fork_join(detail::task_of(call, f)...);
  });
}
/// The same; the last argument is a task_group_context. If it is cancelled, functions that have not
/// begun are dropped.
template <class... Args>
  requires(sizeof...(Args) >= 3 &&
           std::same_as<std::remove_cvref_t<detail::Last<Args...>>, task_group_context>)
void parallel_invoke(Args&&... args) {
  detail::invoke_in_context(std::make_index_sequence<sizeof...(Args) - 1>(),
                            std::tuple<std::remove_reference_t<Args>&...>(args...));
}

/// Accepts further items from the body of parallel_for_each().
template <class Item>
class feeder {
 public:
  /// Wraps the feeder of jobs. Not in oneTBB.
  explicit feeder(Feeder<Item>& items) : items_(items) {}
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  /// Adds an item to the running loop. The body may be called for it at any time, on any worker.
  void add(const Item& item) { items_.add(item); }
  /// The same; moves the item.
  void add(Item&& item) { items_.add(std::move(item)); }

 private:
  Feeder<Item>& items_;
};

namespace detail {

template <class Range, class Body>
void for_each(Call& call, Range&& range, const Body& body) {
  using Item = std::ranges::range_value_t<Range>;
  using Reference = std::ranges::range_reference_t<Range>;
  if constexpr (!std::ranges::forward_range<Range>) {
    std::deque<Item> items;  // its growth moves no item
    for (auto&& item : range) items.push_back(std::forward<decltype(item)>(item));
    if constexpr (std::invocable<const Body&, Item&> ||
                  std::invocable<const Body&, Item&, feeder<Item>&>) {
      for_each(call, items, body);
    } else if constexpr (std::invocable<const Body&, Item&&>) {
      for_each(call, items, [&body](Item& item) { body(std::move(item)); });
    } else {
      for_each(call, items,
               [&body](Item& item, feeder<Item>& further) { body(std::move(item), further); });
    }
  } else if constexpr (std::invocable<const Body&, Reference>) {
    jobs::parallel_for_each(
        range, [&](Reference item) { call.run([&] { body(std::forward<Reference>(item)); }); });
  } else {
    jobs::parallel_for_each(range, [&](auto&& item, Feeder<Item>& items) {
      feeder<Item> further(items);
      call.run([&] { body(std::forward<decltype(item)>(item), further); });
    });
  }
}

}  // namespace detail

/// Calls body(item) or body(item, feeder<Item>&) for each element, and for each item that is added.
/// Unlike oneTBB's, it copies an input range that can be read only once.
template <class It, class Body, detail::Option... Options>
  requires std::input_iterator<It>
void parallel_for_each(It first, It last, const Body& body, Options&&... options) {
  detail::in_arena([&] {
    detail::Call call(0, options...);
    detail::for_each(call, std::ranges::subrange(first, last), body);
  });
}
/// The same for a range.
template <std::ranges::range Range, class Body, detail::Option... Options>
void parallel_for_each(Range&& range, const Body& body, Options&&... options) {
  tbb::parallel_for_each(std::ranges::begin(range), std::ranges::end(range), body, options...);
}

/// Sorts [first, last). Equal elements come in another order than with oneTBB, but always the same.
template <std::random_access_iterator It, class Before = std::less<>>
  requires std::invocable<const Before&, std::iter_reference_t<It>, std::iter_reference_t<It>>
void parallel_sort(It first, It last, const Before& before = {}) {
  detail::in_arena([&] { jobs::parallel_sort(std::ranges::subrange(first, last), before); });
}
/// The same for a range.
template <std::ranges::random_access_range Range, class Before = std::less<>>
void parallel_sort(Range&& range, const Before& before = {}) {
  tbb::parallel_sort(std::ranges::begin(range), std::ranges::end(range), before);
}

/// The state of a collaborative_call_once(): a jobs::OnceFlag.
using collaborative_once_flag = OnceFlag;

/// Calls `function` once per flag. Unlike oneTBB's, a later caller waits and does not help.
template <class F, class... Args>
void collaborative_call_once(collaborative_once_flag& flag, F&& function, Args&&... args) {
  call_once(flag, std::forward<F>(function), std::forward<Args>(args)...);
}

}  // namespace jobs::inline JOBS_ABI::tbb
