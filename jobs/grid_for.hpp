// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for() over grids, by points or by tiles, and over indices with a step.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/repeated_for.hpp"
#include "jobs/stoppable_for.hpp"
#include "jobs/throttled_for.hpp"

namespace jobs::inline JOBS_ABI {

/// Grid of points in two or three dimensions.
///
/// It holds the points p with first[d] <= p[d] < last[d] in each dimension d. It is empty if it has
/// no point in one of the dimensions.
///
/// @snippet loops.cpp grid_for
///
/// Loops over grids and loops with a step take the options of loops over indices:
///
/// @snippet loops.cpp grid_options
///
/// @tparam I  integer type of the coordinates
/// @tparam kDimensions  2 or 3
template <std::integral I, std::size_t kDimensions>
  requires(kDimensions == 2 || kDimensions == 3)
struct Grid {
  /// Coordinates of a point; the last dimension runs fastest.
  using Point = std::array<I, kDimensions>;

  /// Creates the grid of the points from `begin` up to `end`, exclusively.
  ///
  /// @param begin  least coordinates
  /// @param end  coordinates after the greatest
  constexpr Grid(const Point& begin, const Point& end) : first(begin), last(end) {}
  /// Creates the grid [0, rows) x [0, columns).
  ///
  /// @param rows  extent of the first dimension
  /// @param columns  extent of the second dimension
  constexpr Grid(I rows, I columns)
    requires(kDimensions == 2)
      : first{}, last{rows, columns} {}
  /// Creates the grid [0, layers) x [0, rows) x [0, columns).
  ///
  /// @param layers  extent of the first dimension
  /// @param rows  extent of the second dimension
  /// @param columns  extent of the third dimension
  constexpr Grid(I layers, I rows, I columns)
    requires(kDimensions == 3)
      : first{}, last{layers, rows, columns} {}

  /// Least coordinates.
  Point first;
  /// Coordinates after the greatest.
  Point last;
};
/// Deduces a grid of two dimensions.
template <std::integral I>
Grid(I, I) -> Grid<I, 2>;
/// Deduces a grid of three dimensions.
template <std::integral I>
Grid(I, I, I) -> Grid<I, 3>;

namespace detail JOBS_OF_MODE {

// Returns the product of the extents. Throws std::length_error beyond 2^64: the iterations could
// not be counted.
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
  for (std::size_t d = 0; d < kDimensions; ++d)
    extents[d] = index_distance(grid.first[d], grid.last[d]);
  return extents;
}

// Returns the `index`-th point of a box; the last dimension runs fastest.
template <std::size_t kDimensions>
std::array<std::uint64_t, kDimensions> point_at(
    std::uint64_t index, const std::array<std::uint64_t, kDimensions>& extents) noexcept {
  std::array<std::uint64_t, kDimensions> point;
  for (std::size_t d = kDimensions; d-- > 0; index /= extents[d]) point[d] = index % extents[d];
  return point;
}

template <class F, class I, std::size_t kDimensions>
concept PointBody = (kDimensions == 2 && std::invocable<F&, I, I>) ||
                    (kDimensions == 3 && std::invocable<F&, I, I, I>);

// The arguments that may follow the body of a loop over indices.
template <class... Options>
concept LoopOptions =
    !Number<typename FirstOf<Options...>::Type> &&
    requires(void (*body)(std::uint64_t, std::uint64_t), Options&&... options) {
      parallel_for(std::uint64_t{0}, std::uint64_t{0}, body, std::forward<Options>(options)...);
    };

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls body(i, j) or body(i, j, k) for each point of a grid, in parallel.
///
/// A chunk is a run of consecutive points, row after row. The guarantees are those of
/// parallel_for() over indices with the same options.
///
/// @param grid  points; an empty grid causes no call
/// @param body  callable with one index per dimension; several workers call it concurrently
/// @param options  as for a loop over indices: nothing, a Grain in points, a stop token or a
///   LoopLimit, with or without a Grain, or a partition
/// @throws exception of the body, of the lowest point among the parts that threw
/// @throws Cancelled if a stop was requested before every part had begun
/// @throws std::length_error if the grid has more than 2^64 points
/// @throws std::bad_alloc if the first loop of a partition finds no memory for the shares
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as parallel_for() over indices, and one division per dimension and chunk
/// @thread_safety any thread or fiber, concurrently
template <std::integral I, std::size_t kDimensions, class F, class... Options>
  requires detail::PointBody<F, I, kDimensions> && detail::LoopOptions<Options...>
void parallel_for(const Grid<I, kDimensions>& grid, F&& body, Options&&... options) {
  const auto extents = detail::extents_of(grid);
  constexpr std::size_t kLast = kDimensions - 1;
  const auto run_row = [&](const std::array<std::uint64_t, kDimensions>& point,
                           std::uint64_t count) {
    std::array<I, kDimensions> at;
    for (std::size_t d = 0; d < kDimensions; ++d)
      at[d] = detail::advance_index(grid.first[d], point[d]);
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
      std::forward<Options>(options)...);
}

/// Calls body(tile) for each tile of a grid, in parallel.
///
/// The tiles are grids themselves and make up the grid. Tiles at the far edges may be smaller than
/// `tile`. The guarantees are those of parallel_for() over indices with the same options.
///
/// @param grid  points; an empty grid causes no call
/// @param tile  points per tile in each dimension, each at least 1
/// @param body  callable with a Grid; several workers call it concurrently
/// @param options  as for a loop over indices: nothing, a Grain in tiles, a stop token or a
///   LoopLimit, with or without a Grain, or a partition
/// @throws exception of the body, of the first tile among the parts that threw
/// @throws Cancelled if a stop was requested before every part had begun
/// @throws std::invalid_argument if a tile size is 0 or less
/// @throws std::length_error if the grid has more than 2^64 tiles
/// @throws std::bad_alloc if the first loop of a partition finds no memory for the shares
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as parallel_for() over indices, and one division per dimension and tile
/// @thread_safety any thread or fiber, concurrently
template <std::integral I, std::size_t kDimensions, class F, class... Options>
  requires std::invocable<F&, const Grid<I, kDimensions>&> && detail::LoopOptions<Options...>
void parallel_for(const Grid<I, kDimensions>& grid,
                  const std::type_identity_t<std::array<I, kDimensions>>& tile, F&& body,
                  Options&&... options) {
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
          part.last[d] =
              detail::advance_index(part.first[d], std::min(sizes[d], extents[d] - begin));
        }
        body(part);
      },
      std::forward<Options>(options)...);
}

/// Calls body(i) for i = first, first + step, and so on, in parallel.
///
/// The loop ends before the first i that is not less than `last`; with a negative step, before the
/// first i that is not greater. The guarantees are those of parallel_for() over indices with the
/// same options.
///
/// @param first  first index
/// @param last  bound of the indices, exclusive
/// @param step  distance of two indices; may be negative
/// @param body  callable as body(index); several workers call it concurrently
/// @param options  as for a loop without a step: nothing, a Grain in steps, a stop token or a
///   LoopLimit, with or without a Grain, or a partition
/// @throws exception of the body, of the earliest iteration among the parts that threw
/// @throws Cancelled if a stop was requested before every part had begun
/// @throws std::invalid_argument if `step` is 0
/// @throws std::bad_alloc if the first loop of a partition finds no memory for the shares
/// @throws std::out_of_range for a negative index of an unsigned type, see parallel_for()
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity as parallel_for() over indices
/// @thread_safety any thread or fiber, concurrently
template <std::integral A, std::integral B, class F, class... Options>
  requires std::invocable<F&, detail::IndexOf<A, B>> && detail::LoopOptions<Options...>
void parallel_for(A first, B last, std::type_identity_t<detail::IndexOf<A, B>> step, F&& body,
                  Options&&... options) {
  using I = detail::IndexOf<A, B>;
  if (step == 0) JOBS_THROW(std::invalid_argument("jobs::parallel_for: a step of 0"));
  // Correct also for the least number of the type, which has no opposite in the type.
  const std::uint64_t width = step > 0 ? static_cast<std::uint64_t>(step)
                                       : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  const std::uint64_t distance =
      step > 0 ? detail::index_range(first, last).count : detail::index_range(last, first).count;
  parallel_for(
      std::uint64_t{0}, distance / width + (distance % width != 0),
      [&](std::uint64_t i) {
        body(detail::advance_index(static_cast<I>(first), i * static_cast<std::uint64_t>(step)));
      },
      std::forward<Options>(options)...);
}

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp): without and with a tile size.
template <std::integral I, std::size_t kDimensions, class F, class... Rest>
  requires(!std::convertible_to<F, std::array<I, kDimensions>> &&
           (!detail::PointBody<F, I, kDimensions> ||
            detail::Number<typename detail::FirstOf<Rest...>::Type>))
auto parallel_for(const Grid<I, kDimensions>&, F&&, Rest&&...) {
  constexpr bool kHasBody = detail::PointBody<F, I, kDimensions>;
  static_assert(kHasBody || kDimensions != 2,
                "jobs::parallel_for: over a grid, body must be callable as f(row, column), or as "
                "f(tile) after a tile size");
  static_assert(kHasBody || kDimensions != 3,
                "jobs::parallel_for: over a grid, body must be callable as f(layer, row, column), "
                "or as f(tile) after a tile size");
  static_assert(!kHasBody, "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
template <std::integral I, std::size_t kDimensions, class F, class... Rest>
  requires(!std::invocable<F&, const Grid<I, kDimensions>&> ||
           detail::Number<typename detail::FirstOf<Rest...>::Type>)
auto parallel_for(const Grid<I, kDimensions>&,
                  const std::type_identity_t<std::array<I, kDimensions>>&, F&&, Rest&&...) {
  constexpr bool kHasBody = std::invocable<F&, const Grid<I, kDimensions>&>;
  static_assert(kHasBody,
                "jobs::parallel_for: with a tile size, body must be callable as f(tile), where a "
                "tile is a jobs::Grid");
  static_assert(!kHasBody, "jobs::parallel_for: a grain is written jobs::Grain(n), not n");
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
