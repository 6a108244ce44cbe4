// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_scan() of oneTBB, with functions and with a body. Any thread may call it.
//
// Two passes over at most 64 parts; the first part needs one pass. One worker makes one pass over
// one part. With simple_partitioner, the range is divided down to its grain. Difference from
// oneTBB: before any part runs, the body is copied for all parts but the first and the last. oneTBB
// copies it when a part is stolen.
#pragma once

#include <deque>
#include <utility>

#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/parallel_for.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// Marks the first pass over a part: the body only adds up.
struct pre_scan_tag {
  static bool is_final_scan() { return false; }
  operator bool() const { return false; }
};
/// Marks the final pass over a part: the body produces the output.
struct final_scan_tag {
  static bool is_final_scan() { return true; }
  operator bool() const { return true; }
};

namespace detail {

inline constexpr unsigned kScanDepth = 6;

template <class Range>
void cut(Range& range, unsigned depth, std::deque<Range>& parts) {
  if (depth == 0 || !range.is_divisible()) {
    parts.push_back(range);
    return;
  }
  Range right(range, split());
  cut(range, depth - 1, parts);
  cut(right, depth - 1, parts);
}

// Scans the parts in three steps:
// 1. Pass 1 scans parts[0] by `body`, and adds up each other part[i] into sums[i - 1].
// 2. Each sum takes in the preceding one; it then covers everything up to the end of its part.
// 3. Pass 2 scans parts[1] by `body`, and each further part by the sum before it.
template <class Range, class Body>
void scan(Call& call, const Range& range, Body& body) {
  Range whole(range);
  std::deque<Range> parts;
  const unsigned depth = worker_count() == 1 ? 0 : kScanDepth;
  cut(whole, call.depth() == kAnyDepth ? kAnyDepth : depth, parts);
  std::deque<Body> sums;
  while (sums.size() + 2 < parts.size()) sums.emplace_back(body, split());

  jobs::parallel_for(
      std::size_t{0}, sums.size() + 1,
      [&](std::size_t i) {
        call.run([&] {
          i == 0 ? body(parts[0], final_scan_tag()) : sums[i - 1](parts[i], pre_scan_tag());
        });
      },
      Grain(1));
  call.run([&] {
    Body* before = &body;
    for (Body& sum : sums) {
      sum.reverse_join(*before);
      before = &sum;
    }
  });
  jobs::parallel_for(
      std::size_t{1}, parts.size(),
      [&](std::size_t i) {
        call.run([&] { (i == 1 ? body : sums[i - 2])(parts[i], final_scan_tag()); });
      },
      Grain(1));
  if (!sums.empty()) call.run([&] { body.assign(sums.back()); });
}

template <class Range, class T, class F, class Combine>
class ScanBody {
 public:
  ScanBody(const T& identity, const F& f, const Combine& combine)
      : sum_(identity), identity_(identity), f_(f), combine_(combine) {}
  ScanBody(ScanBody& other, split) : ScanBody(other.identity_, other.f_, other.combine_) {}

  template <class Tag>
  void operator()(const Range& range, Tag tag) {
    sum_ = f_(range, std::as_const(sum_), tag);
  }
  void reverse_join(ScanBody& left) {
    sum_ = combine_(std::as_const(left.sum_), std::as_const(sum_));
  }
  void assign(ScanBody& other) { sum_ = std::move(other.sum_); }
  T take() { return std::move(sum_); }

 private:
  T sum_;
  const T& identity_;
  const F& f_;
  const Combine& combine_;
};

}  // namespace detail

/// Computes prefix sums by a body. body(part, pre_scan_tag()) adds up a part; body(part,
/// final_scan_tag()) produces its output, after everything before it. Needs Body(body, split()),
/// body.reverse_join(left) and body.assign(other). At the end, `body` holds the sum of everything.
/// Exceptions as parallel_for().
template <class Range, class Body, detail::Option... Options>
void parallel_scan(const Range& range, Body& body, Options&&... options) {
  if (range.empty()) return;
  detail::in_arena([&] {
    detail::Call call(detail::kScanDepth, options...);
    detail::scan(call, range, body);
  });
}

/// Computes prefix sums by functions. f(part, sum before it, is_final) returns the sum including
/// the part; combine(left, right) adds two sums. Returns the sum of everything.
template <class Range, class T, class F, class Combine, detail::Option... Options>
  requires(!detail::Option<F> && !detail::Option<Combine>)
T parallel_scan(const Range& range, const T& identity, const F& f, const Combine& combine,
                Options&&... options) {
  detail::ScanBody<Range, T, F, Combine> body(identity, f, combine);
  tbb::parallel_scan(range, body, options...);
  return body.take();
}

}  // namespace jobs::inline JOBS_ABI::tbb
