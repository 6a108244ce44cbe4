// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Part of pstl.hpp: scans for the parallel algorithms of libstdc++. Any thread may call them.
//
// A scan divides its range into tiles of equal size. Their bounds depend on the number of elements
// only.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/algorithm/core/blocks.hpp"
#include "jobs/algorithm/core/prefix_chain.hpp"
#include "jobs/parallel_for.hpp"

namespace jobs::inline JOBS_ABI::interop::pstl {

/// @cond internal
inline constexpr std::size_t kTiles = 128;
inline constexpr std::size_t kSmallestTile = 4;

// The scan of filters and of floating-point numbers. Calls reduce(begin, size) once per tile, then
// apex(sum of all), then scan(begin, size, sum before the tile) once per tile.
template <class Index, class T, class Reduce, class Combine, class Scan, class Apex>
void strict_scan(Index n, const T& initial, const Reduce& reduce, Combine combine, const Scan& scan,
                 const Apex& apex) {
  const detail::Blocks tiles(static_cast<std::size_t>(n), kTiles, kSmallestTile);
  const auto begin = [&](std::size_t tile) { return static_cast<Index>(tiles.begin(tile)); };
  const auto size = [&](std::size_t tile) {
    return static_cast<Index>(tiles.end(tile) - tiles.begin(tile));
  };
  std::vector<std::optional<T>> sums(tiles.count());
  jobs::parallel_for(std::size_t{0}, tiles.count(), [&](std::size_t tile) {
    sums[tile].emplace(reduce(begin(tile), size(tile)));
  });
  T total = initial;
  for (std::optional<T>& sum : sums) {
    // Afterwards: the sum before the tile.
    T up_to_end = static_cast<T>(combine(total, *std::move(sum)));
    sum.emplace(std::exchange(total, std::move(up_to_end)));
  }
  apex(total);
  jobs::parallel_for(std::size_t{0}, tiles.count(), [&](std::size_t tile) {
    scan(begin(tile), size(tile), *std::move(sums[tile]));
  });
}

// The scan of other types. scan(begin, end, sum before) writes the results of a part and returns
// the sum up to its end; fold(begin, end, value) continues a sum.
//
// If the sum before a tile is known, the tile is scanned at once, and each element is read once.
// Otherwise the tile is added up, and it is scanned by a second loop.
template <class T, class Index, class Unary, class Combine, class Fold, class Scan>
T transform_scan(Index n, const Unary& unary, T init, const Combine& combine, const Fold& fold,
                 const Scan& scan) {
  const detail::Blocks tiles(static_cast<std::size_t>(n), kTiles, kSmallestTile);
  if (tiles.count() < 2) return scan(Index{0}, n, std::move(init));
  const auto begin = [&](std::size_t tile) { return static_cast<Index>(tiles.begin(tile)); };
  const auto end = [&](std::size_t tile) { return static_cast<Index>(tiles.end(tile)); };
  const auto op = [&combine](auto&& left, auto&& right) -> T {
    Combine op_here = combine;
    return static_cast<T>(
        op_here(std::forward<decltype(left)>(left), std::forward<decltype(right)>(right)));
  };
  const std::size_t last = tiles.count() - 1;
  // In the heap: a T may be larger than the stack of a fiber.
  const auto chain = std::make_unique<detail::PrefixChain<T, kTiles>>(std::move(init));
  std::array<bool, kTiles> is_pending{};
  std::optional<T> total;

  const auto scan_tile = [&](std::size_t tile, const T& before) {
    T sum = scan(begin(tile), end(tile), before);
    if (tile == last) {
      total.emplace(std::move(sum));
    } else if (!is_pending[tile]) {
      chain->set_before(tile + 1, std::move(sum), op);
    }
  };
  jobs::parallel_for(std::size_t{0}, tiles.count(), [&](std::size_t tile) {
    if (const std::optional<T>* const before = chain->before(tile))
      return scan_tile(tile, **before);
    is_pending[tile] = true;
    if (tile == last) return;  // nothing follows that needs its sum
    Unary map = unary;
    T sum = op(map(begin(tile)), map(begin(tile) + 1));
    chain->add(tile, fold(begin(tile) + 2, end(tile), std::move(sum)), op);
  });
  jobs::parallel_for(std::size_t{0}, tiles.count(), [&](std::size_t tile) {
    if (is_pending[tile]) scan_tile(tile, **chain->before(tile));
  });
  return *std::move(total);
}
/// @endcond

}  // namespace jobs::inline JOBS_ABI::interop::pstl
