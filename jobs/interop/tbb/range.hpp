// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges that loops divide, under the names of oneTBB: split, proportional_split, blocked_range,
// blocked_range2d, blocked_range3d. They behave as in oneTBB. Plain values: one thread uses an
// object at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

// True for the tag of another library that means the same. Ranges of that library take part in the
// loops of this folder (jobs/interop/onetbb).
template <class T>
inline constexpr bool kIsForeignSplit = false;
template <class T>
concept ForeignSplit = kIsForeignSplit<T>;

}  // namespace detail

/// Tags a constructor that takes half of its argument.
class split {
 public:
  /// The tag.
  split() = default;
  /// From the tag of another library. Not in oneTBB.
  template <detail::ForeignSplit T>
  split(T) {}
  /// Converts to the tag of another library. Not in oneTBB.
  template <detail::ForeignSplit T>
  operator T() const {
    return {};
  }
};

/// Tags a constructor that takes right() of left() + right() parts of its argument.
class proportional_split {
 public:
  /// Creates the ratio left : right.
  explicit proportional_split(std::size_t left = 1, std::size_t right = 1)
      : left_(left), right_(right) {}
  /// Returns the share of the left part.
  std::size_t left() const { return left_; }
  /// Returns the share of the right part.
  std::size_t right() const { return right_; }
  /// Converts to a split in halves.
  explicit operator split() const { return {}; }
  /// Converts to the tag of another library. Not in oneTBB.
  template <detail::ForeignSplit T>
  explicit operator T() const {
    return {};
  }

 private:
  std::size_t left_;
  std::size_t right_;
};

namespace detail {

// Returns `from` plus `distance`, for integers, pointers and iterators.
template <class Value>
Value advance(Value from, std::size_t distance) {
  if constexpr (std::integral<Value>) {
    return static_cast<Value>(from + static_cast<Value>(distance));
  } else {
    return from + static_cast<std::ptrdiff_t>(distance);
  }
}

}  // namespace detail

/// The values of [begin, end): integers, pointers or random access iterators. A division leaves no
/// part below grainsize / 2.
template <class Value>
class blocked_range {
 public:
  /// The type of the values.
  using const_iterator = Value;
  /// The type of sizes.
  using size_type = std::size_t;

  /// Creates the range. pre: grainsize > 0.
  blocked_range(Value begin, Value end, size_type grainsize = 1)
      : end_(end), begin_(begin), grainsize_(grainsize) {}
  /// Takes the right half of `whole`.
  blocked_range(blocked_range& whole, split) : blocked_range(whole, whole.size() / 2) {}
  /// Takes the right share of `whole`.
  blocked_range(blocked_range& whole, const proportional_split& parts)
      : blocked_range(whole, left_share(whole.size(), parts)) {}

  /// Returns the first value.
  const_iterator begin() const { return begin_; }
  /// Returns the value behind the last one.
  const_iterator end() const { return end_; }
  /// Returns the number of values.
  size_type size() const { return empty() ? 0 : static_cast<size_type>(end_ - begin_); }
  /// Returns the size up to which the range is not divided.
  size_type grainsize() const { return grainsize_; }
  /// Returns true if the range has no values.
  bool empty() const { return !(begin_ < end_); }
  /// Returns true if the range is longer than its grain.
  bool is_divisible() const { return grainsize_ < size(); }

 private:
  // Takes the right part of a range and leaves it `left` values.
  blocked_range(blocked_range& whole, size_type left)
      : end_(whole.end_),
        begin_(detail::advance(whole.begin_, left)),
        grainsize_(whole.grainsize_) {
    whole.end_ = begin_;
  }
  static size_type left_share(size_type size, const proportional_split& parts) {
    const double share =
        static_cast<double>(parts.right()) / static_cast<double>(parts.left() + parts.right());
    return size - static_cast<size_type>(static_cast<double>(size) * share + 0.5);
  }
  Value end_;
  Value begin_;
  size_type grainsize_;
};

namespace detail {

// Returns the number of grains in one dimension. A division cuts the dimension with the most
// grains.
template <class Range>
double extent_in_grains(const Range& range) {
  return static_cast<double>(range.size()) / static_cast<double>(range.grainsize());
}

}  // namespace detail

/// A rectangle of rows and columns. A division cuts the dimension with more grains.
template <class RowValue, class ColValue = RowValue>
class blocked_range2d {
 public:
  /// The type of the rows.
  using row_range_type = blocked_range<RowValue>;
  /// The type of the columns.
  using col_range_type = blocked_range<ColValue>;
  /// The type of sizes.
  using size_type = std::size_t;

  /// Creates the range with grains.
  blocked_range2d(RowValue row_begin, RowValue row_end, size_type row_grainsize, ColValue col_begin,
                  ColValue col_end, size_type col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  /// Creates the range with grains of 1.
  blocked_range2d(RowValue row_begin, RowValue row_end, ColValue col_begin, ColValue col_end)
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  /// Takes half of `whole`.
  blocked_range2d(blocked_range2d& whole, split tag) : blocked_range2d(whole) {
    divide(whole, tag);
  }
  /// Takes the right share of `whole`.
  blocked_range2d(blocked_range2d& whole, const proportional_split& parts)
      : blocked_range2d(whole) {
    divide(whole, parts);
  }

  /// Returns the rows.
  const row_range_type& rows() const { return rows_; }
  /// Returns the columns.
  const col_range_type& cols() const { return cols_; }
  /// Returns true if a dimension is empty.
  bool empty() const { return rows_.empty() || cols_.empty(); }
  /// Returns true if a dimension is divisible.
  bool is_divisible() const { return rows_.is_divisible() || cols_.is_divisible(); }

 private:
  template <class Split>
  void divide(blocked_range2d& whole, const Split& how) {
    if (detail::extent_in_grains(rows_) < detail::extent_in_grains(cols_)) {
      cols_ = col_range_type(whole.cols_, how);
    } else {
      rows_ = row_range_type(whole.rows_, how);
    }
  }

  row_range_type rows_;
  col_range_type cols_;
};

/// A box of pages, rows and columns. A division cuts the dimension with the most grains.
template <class PageValue, class RowValue = PageValue, class ColValue = RowValue>
class blocked_range3d {
 public:
  /// The type of the pages.
  using page_range_type = blocked_range<PageValue>;
  /// The type of the rows.
  using row_range_type = blocked_range<RowValue>;
  /// The type of the columns.
  using col_range_type = blocked_range<ColValue>;
  /// The type of sizes.
  using size_type = std::size_t;

  /// Creates the range with grains.
  blocked_range3d(PageValue page_begin, PageValue page_end, size_type page_grainsize,
                  RowValue row_begin, RowValue row_end, size_type row_grainsize, ColValue col_begin,
                  ColValue col_end, size_type col_grainsize)
      : pages_(page_begin, page_end, page_grainsize),
        rows_(row_begin, row_end, row_grainsize),
        cols_(col_begin, col_end, col_grainsize) {}
  /// Creates the range with grains of 1.
  blocked_range3d(PageValue page_begin, PageValue page_end, RowValue row_begin, RowValue row_end,
                  ColValue col_begin, ColValue col_end)
      : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  /// Takes half of `whole`.
  blocked_range3d(blocked_range3d& whole, split tag) : blocked_range3d(whole) {
    divide(whole, tag);
  }
  /// Takes the right share of `whole`.
  blocked_range3d(blocked_range3d& whole, const proportional_split& parts)
      : blocked_range3d(whole) {
    divide(whole, parts);
  }

  /// Returns the pages.
  const page_range_type& pages() const { return pages_; }
  /// Returns the rows.
  const row_range_type& rows() const { return rows_; }
  /// Returns the columns.
  const col_range_type& cols() const { return cols_; }
  /// Returns true if a dimension is empty.
  bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
  /// Returns true if a dimension is divisible.
  bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible();
  }

 private:
  template <class Split>
  void divide(blocked_range3d& whole, const Split& how) {
    const double pages = detail::extent_in_grains(pages_);
    const double rows = detail::extent_in_grains(rows_);
    const double cols = detail::extent_in_grains(cols_);
    if (pages < rows ? rows < cols : pages < cols) {
      cols_ = col_range_type(whole.cols_, how);
    } else if (pages < rows) {
      rows_ = row_range_type(whole.rows_, how);
    } else {
      pages_ = page_range_type(whole.pages_, how);
    }
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
