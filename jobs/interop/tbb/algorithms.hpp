// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_invoke, parallel_for_each, parallel_sort, collaborative_call_once of oneTBB.
//
// Differs from oneTBB: if a function of parallel_invoke throws, the others run all the same; the elements of a range that can be walked
// only once are copied before the first call of a body; parallel_sort leaves equal elements in another order; who comes
// to a collaborative_call_once under way waits, and does not help.
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/algorithm/sort.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/parallel_for_each.hpp"
#include "jobs/sync/call_once.hpp"

namespace jobs::inline JOBS_ABI::tbb {

// Calls all its arguments, two or more.
template <class... F>
requires(sizeof...(F) >= 2 && (std::invocable<F&> && ...)) void parallel_invoke(F&&... f) {
  detail::in_arena([&] { fork_join(f...); });
}
template <class... F>
requires(sizeof...(F) >= 2 && (std::invocable<F&> && ...)) void parallel_invoke(task_group_context& context, F&&... f) {
  detail::in_arena([&] {
    detail::Call call(0, context);
    fork_join([&call, &f] { call.run(f); }...);
  });
}

// Where the body of parallel_for_each puts further items.
template <class Item>
class feeder {
 public:
  explicit feeder(Feeder<Item>& items) : items_(items) {}
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  void add(const Item& item) { items_.add(item); }
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
    std::vector<Item> items;
    for (auto&& item : range) items.push_back(std::forward<decltype(item)>(item));
    for_each(call, items, body);
  } else if constexpr (std::invocable<const Body&, Reference>) {
    jobs::parallel_for_each(range, [&](Reference item) { call.run([&] { body(std::forward<Reference>(item)); }); });
  } else {
    jobs::parallel_for_each(range, [&](auto&& item, Feeder<Item>& items) {
      feeder<Item> further(items);
      call.run([&] { body(std::forward<decltype(item)>(item), further); });
    });
  }
}

}  // namespace detail

// body(item) or body(item, feeder<Item>&) for each element, and for what it adds.
template <class It, class Body, detail::Option... Options>
requires std::input_iterator<It>
void parallel_for_each(It first, It last, const Body& body, Options&&... options) {
  detail::in_arena([&] {
    detail::Call call(0, options...);
    detail::for_each(call, std::ranges::subrange(first, last), body);
  });
}
template <std::ranges::range Range, class Body, detail::Option... Options>
void parallel_for_each(Range&& range, const Body& body, Options&&... options) {
  parallel_for_each(std::ranges::begin(range), std::ranges::end(range), body, options...);
}

template <std::random_access_iterator It, class Before = std::less<>>
requires std::invocable<const Before&, std::iter_reference_t<It>, std::iter_reference_t<It>>
void parallel_sort(It first, It last, const Before& before = {}) {
  detail::in_arena([&] { jobs::parallel_sort(std::ranges::subrange(first, last), before); });
}
template <std::ranges::random_access_range Range, class Before = std::less<>>
void parallel_sort(Range&& range, const Before& before = {}) {
  parallel_sort(std::ranges::begin(range), std::ranges::end(range), before);
}

using collaborative_once_flag = OnceFlag;

template <class F, class... Args>
void collaborative_call_once(collaborative_once_flag& flag, F&& function, Args&&... args) {
  call_once(flag, std::forward<F>(function), std::forward<Args>(args)...);
}

}  // namespace jobs::inline JOBS_ABI::tbb
