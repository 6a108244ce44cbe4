// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges that loops divide, under the names of oneTBB: split, proportional_split, blocked_range, blocked_range2d, blocked_range3d.
// Plain values.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::tbb {

// Tags a constructor that takes half of its argument.
class split {};

// Tags a constructor that takes right() of left() + right() parts of its argument.
class proportional_split {
 public:
  explicit proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {}
  std::size_t left() const { return left_; }
  std::size_t right() const { return right_; }
  explicit operator split() const { return {}; }

 private:
  std::size_t left_;
  std::size_t right_;
};

namespace detail {

// For integers, pointers and iterators.
template <class Value>
Value advance(Value from, std::size_t distance) {
  if constexpr (std::integral<Value>) {
    return static_cast<Value>(from + static_cast<Value>(distance));
  } else {
    return from + static_cast<std::ptrdiff_t>(distance);
  }
}

}  // namespace detail

// The values of [begin, end): integers, pointers or random-access iterators. Halves are not cut below grainsize / 2.
template <class Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  // pre: grainsize > 0.
  blocked_range(Value begin, Value end, size_type grainsize = 1) : end_(end), begin_(begin), grainsize_(grainsize) {}
  blocked_range(blocked_range& whole, split) : blocked_range(whole, whole.size() / 2) {}
  blocked_range(blocked_range& whole, const proportional_split& parts)
      : blocked_range(whole, left_share(whole.size(), parts)) {}

  const_iterator begin() const { return begin_; }
  const_iterator end() const { return end_; }
  size_type size() const { return empty() ? 0 : static_cast<size_type>(end_ - begin_); }
  size_type grainsize() const { return grainsize_; }
  bool empty() const { return !(begin_ < end_); }
  bool is_divisible() const { return grainsize_ < size(); }

 private:
  // The right part of a range whose left part keeps `left` values.
  blocked_range(blocked_range& whole, size_type left)
      : end_(whole.end_), begin_(detail::advance(whole.begin_, left)), grainsize_(whole.grainsize_) {
    whole.end_ = begin_;
  }
  static size_type left_share(size_type size, const proportional_split& parts) {
    const double share = static_cast<double>(parts.right()) / static_cast<double>(parts.left() + parts.right());
    return size - static_cast<size_type>(static_cast<double>(size) * share + 0.5);
  }
  Value end_;
  Value begin_;
  size_type grainsize_;
};

namespace detail {

// The dimension for which this is greatest is the one that is cut.
template <class Range>
double extent_in_grains(const Range& range) {
  return static_cast<double>(range.size()) / static_cast<double>(range.grainsize());
}

}  // namespace detail

template <class RowValue, class ColValue = RowValue>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;
  using size_type = std::size_t;

  blocked_range2d(RowValue row_begin, RowValue row_end, size_type row_grainsize, ColValue col_begin, ColValue col_end,
                  size_type col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  blocked_range2d(RowValue row_begin, RowValue row_end, ColValue col_begin, ColValue col_end)
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range2d(blocked_range2d& whole, split tag) : blocked_range2d(whole) { divide(whole, tag); }
  blocked_range2d(blocked_range2d& whole, const proportional_split& parts) : blocked_range2d(whole) {
    divide(whole, parts);
  }

  const row_range_type& rows() const { return rows_; }
  const col_range_type& cols() const { return cols_; }
  bool empty() const { return rows_.empty() || cols_.empty(); }
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

template <class PageValue, class RowValue = PageValue, class ColValue = RowValue>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<PageValue>;
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;
  using size_type = std::size_t;

  blocked_range3d(PageValue page_begin, PageValue page_end, size_type page_grainsize, RowValue row_begin,
                  RowValue row_end, size_type row_grainsize, ColValue col_begin, ColValue col_end,
                  size_type col_grainsize)
      : pages_(page_begin, page_end, page_grainsize),
        rows_(row_begin, row_end, row_grainsize),
        cols_(col_begin, col_end, col_grainsize) {}
  blocked_range3d(PageValue page_begin, PageValue page_end, RowValue row_begin, RowValue row_end, ColValue col_begin,
                  ColValue col_end)
      : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range3d(blocked_range3d& whole, split tag) : blocked_range3d(whole) { divide(whole, tag); }
  blocked_range3d(blocked_range3d& whole, const proportional_split& parts) : blocked_range3d(whole) {
    divide(whole, parts);
  }

  const page_range_type& pages() const { return pages_; }
  const row_range_type& rows() const { return rows_; }
  const col_range_type& cols() const { return cols_; }
  bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
  bool is_divisible() const { return pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible(); }

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
