// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for over grids of two or three dimensions, by points or by tiles, and with a step.
//
//   jobs::parallel_for(jobs::Grid(height, width), [&](int y, int x) { picture[y][x] = shade(y, x); });
//   jobs::parallel_for(jobs::Grid(n, n), {64, 64}, [&](const auto& tile) { transpose(tile.first, tile.last); });
//   jobs::parallel_for(0, n, 16, [&](int i) { block(i, std::min(i + 16, n)); });
//
// Any thread may call them, as parallel_for, of which they are forms: its promises are theirs, and so is the grain, counted in
// points, tiles or steps.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/parallel_for.hpp"

namespace jobs::inline JOBS_ABI {

// The points p with first[d] <= p[d] < last[d] in each dimension d; none if there are none in one of them.
template <std::integral I, std::size_t kDimensions>
requires(kDimensions == 2 || kDimensions == 3) struct Grid {
  using Point = std::array<I, kDimensions>;

  constexpr Grid(const Point& begin, const Point& end) : first(begin), last(end) {}
  // From 0 on.
  constexpr Grid(I rows, I columns) requires(kDimensions == 2) : first{}, last{rows, columns} {}
  constexpr Grid(I layers, I rows, I columns) requires(kDimensions == 3) : first{}, last{layers, rows, columns} {}

  Point first;
  Point last;
};
template <std::integral I>
Grid(I, I) -> Grid<I, 2>;
template <std::integral I>
Grid(I, I, I) -> Grid<I, 3>;

namespace detail JOBS_OF_MODE {

// The product of the extents. Throws std::length_error beyond 2^64: nobody could count the iterations.
template <std::size_t kDimensions>
std::uint64_t product(const std::array<std::uint64_t, kDimensions>& extents) {
  std::uint64_t all = 1;
  for (const std::uint64_t extent : extents) {
    if (extent == 0) return 0;
  }
  for (const std::uint64_t extent : extents) {
    if (__builtin_mul_overflow(all, extent, &all)) {
      JOBS_THROW(std::length_error("jobs::parallel_for: a grid of more than 2^64 points"));
    }
  }
  return all;
}

template <std::integral I, std::size_t kDimensions>
std::array<std::uint64_t, kDimensions> extents_of(const Grid<I, kDimensions>& grid) noexcept {
  std::array<std::uint64_t, kDimensions> extents;
  for (std::size_t d = 0; d < kDimensions; ++d) extents[d] = index_distance(grid.first[d], grid.last[d]);
  return extents;
}

// The `index`-th point of a box, the last dimension running fastest.
template <std::size_t kDimensions>
std::array<std::uint64_t, kDimensions> point_at(std::uint64_t index,
                                                const std::array<std::uint64_t, kDimensions>& extents) noexcept {
  std::array<std::uint64_t, kDimensions> point;
  for (std::size_t d = kDimensions; d-- > 0; index /= extents[d]) point[d] = index % extents[d];
  return point;
}

template <class F, class I, std::size_t kDimensions>
concept PointBody = (kDimensions == 2 && std::invocable<F&, I, I>) || (kDimensions == 3 && std::invocable<F&, I, I, I>);

}  // namespace detail

JOBS_OF_MODE_BEGIN

// body(i, j) or body(i, j, k) for each point. A chunk is a run of points, row after row. Beyond parallel_for it costs a division
// for each dimension and chunk.
template <std::integral I, std::size_t kDimensions, class F>
requires detail::PointBody<F, I, kDimensions>
void parallel_for(const Grid<I, kDimensions>& grid, F&& body, Grain grain = {}) {
  const auto extents = detail::extents_of(grid);
  constexpr std::size_t kLast = kDimensions - 1;
  const auto run_row = [&](const std::array<std::uint64_t, kDimensions>& point, std::uint64_t count) {
    std::array<I, kDimensions> at;
    for (std::size_t d = 0; d < kDimensions; ++d) at[d] = detail::advance_index(grid.first[d], point[d]);
    for (std::uint64_t i = 0; i < count; ++i) {
      const I last = detail::advance_index(at[kLast], i);
      if constexpr (kDimensions == 2) {
        body(at[0], last);
      } else {
        body(at[0], at[1], last);
      }
    }
  };
  parallel_for(
      std::uint64_t{0}, detail::product(extents),
      [&](std::uint64_t begin, std::uint64_t end) {
        auto point = detail::point_at(begin, extents);
        while (begin < end) {
          const std::uint64_t count = std::min(end - begin, extents[kLast] - point[kLast]);
          run_row(point, count);
          begin += count;
          point[kLast] = 0;
          for (std::size_t d = kLast; d-- > 0;) {
            if (++point[d] < extents[d]) break;
            point[d] = 0;
          }
        }
      },
      grain);
}

// body(tile) for tiles, themselves grids, that make up the grid: `tile` points wide in each dimension, less at the far edges.
// A tile size of 0 or less throws std::invalid_argument.
template <std::integral I, std::size_t kDimensions, class F>
requires std::invocable < F&, const Grid<I, kDimensions>
& > void parallel_for(const Grid<I, kDimensions>& grid, const std::type_identity_t<std::array<I, kDimensions>>& tile,
                      F&& body, Grain grain = {}) {
  const auto extents = detail::extents_of(grid);
  std::array<std::uint64_t, kDimensions> sizes;
  std::array<std::uint64_t, kDimensions> tiles;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    if (tile[d] <= 0) JOBS_THROW(std::invalid_argument("jobs::parallel_for: tiles without points"));
    sizes[d] = static_cast<std::uint64_t>(tile[d]);
    tiles[d] = extents[d] / sizes[d] + (extents[d] % sizes[d] != 0);
  }
  parallel_for(
      std::uint64_t{0}, detail::product(tiles),
      [&](std::uint64_t index) {
        const auto at = detail::point_at(index, tiles);
        Grid<I, kDimensions> part = grid;
        for (std::size_t d = 0; d < kDimensions; ++d) {
          const std::uint64_t begin = at[d] * sizes[d];
          part.first[d] = detail::advance_index(grid.first[d], begin);
          part.last[d] = detail::advance_index(part.first[d], std::min(sizes[d], extents[d] - begin));
        }
        body(part);
      },
      grain);
}

// body(i) for i = first, first + step, ... as long as i < last, or i > last if the step is negative. A step of 0 throws
// std::invalid_argument.
template <std::integral I, class F>
requires std::invocable<F&, I>
void parallel_for(I first, I last, std::type_identity_t<I> step, F&& body, Grain grain = {}) {
  if (step == 0) JOBS_THROW(std::invalid_argument("jobs::parallel_for: a step of 0"));
  // Of a negative step too, down to the least number, which has no opposite of its type.
  const std::uint64_t width =
      step > 0 ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  const std::uint64_t distance = step > 0 ? detail::index_distance(first, last) : detail::index_distance(last, first);
  parallel_for(
      std::uint64_t{0}, distance / width + (distance % width != 0),
      [&](std::uint64_t i) { body(detail::advance_index(first, i * static_cast<std::uint64_t>(step))); }, grain);
}

// Wrong calls (jobs/base/wrong_call.hpp): without and with a tile size.
template <std::integral I, std::size_t kDimensions, class F, class... Rest>
requires(!std::convertible_to<F, std::array<I, kDimensions>> &&
         (!detail::PointBody<F, I, kDimensions> || detail::StopToken<typename detail::FirstOf<Rest...>::Type> ||
          detail::Number<typename detail::FirstOf<Rest...>::Type>)) auto parallel_for(const Grid<I, kDimensions>&, F&&,
                                                                                      Rest&&...) {
  constexpr bool kHasBody = detail::PointBody<F, I, kDimensions>;
  static_assert(
      kHasBody || kDimensions != 2,
      "jobs::parallel_for: over a grid, body must be callable as f(row, column), or as f(tile) after a tile size");
  static_assert(kHasBody || kDimensions != 3,
                "jobs::parallel_for: over a grid, body must be callable as f(layer, row, column), or as f(tile) after "
                "a tile size");
  static_assert(!kHasBody || !detail::StopToken<typename detail::FirstOf<Rest...>::Type>,
                "jobs::parallel_for: a loop over a grid takes no stop token: ask stop.stop_requested() in the body");
  static_assert(!kHasBody || !detail::Number<typename detail::FirstOf<Rest...>::Type>,
                "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
template <std::integral I, std::size_t kDimensions, class F, class... Rest>
requires(!std::invocable<F&, const Grid<I, kDimensions>&> ||
         detail::StopToken<typename detail::FirstOf<Rest...>::Type> ||
         detail::Number<typename detail::FirstOf<Rest...>::Type>) auto parallel_for(const Grid<I, kDimensions>&,
                                                                                    const std::type_identity_t<
                                                                                        std::array<I, kDimensions>>&,
                                                                                    F&&, Rest&&...) {
  constexpr bool kHasBody = std::invocable<F&, const Grid<I, kDimensions>&>;
  static_assert(kHasBody,
                "jobs::parallel_for: with a tile size, body must be callable as f(tile), where a tile is a jobs::Grid");
  static_assert(!kHasBody || !detail::StopToken<typename detail::FirstOf<Rest...>::Type>,
                "jobs::parallel_for: a loop over a grid takes no stop token: ask stop.stop_requested() in the body");
  static_assert(!kHasBody || !detail::Number<typename detail::FirstOf<Rest...>::Type>,
                "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
