// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The partitioners of oneTBB, and the division of a range by the algorithms of this folder: by
// halves, to a depth that the partitioner chooses. The depth is fixed, whereas oneTBB derives it
// from thefts. The set of parts therefore does not depend on timing.
//
// | partitioner | division |
// |---|---|
// | simple_partitioner | until the range is not divisible |
// | auto_partitioner | at most 256 parts, for any number of workers |
// | static_partitioner | one part per worker, rounded up to a power of two, on any worker |
// | affinity_partitioner | jobs::AffinityPartition for parallel_for(), otherwise auto_partitioner |
//
// With affinity_partitioner, parallel_for() takes blocked_range and indices.
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

#include "jobs/base/exceptions.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/interop/tbb/arena.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/range.hpp"
#include "jobs/repeated_for.hpp"

namespace jobs::inline JOBS_ABI::tbb {

/// Divides the range until it is not divisible.
class simple_partitioner {};
/// Divides the range into at most 256 parts. Unlike oneTBB's, the number does not depend on thefts.
class auto_partitioner {};
/// Divides the range into one part per worker. Unlike oneTBB's, any worker may run any part.
class static_partitioner {};

/// Remembers the distribution of a loop for its next run. As with oneTBB, one loop uses it at a
/// time; a second one aborts the program. Only parallel_for() uses it.
class affinity_partitioner {
 public:
  /// Returns the partition of jobs, for the loops of this folder. Not in oneTBB.
  AffinityPartition& partition() noexcept { return partition_; }

 private:
  AffinityPartition partition_;
};

namespace detail {

inline constexpr unsigned kAutoDepth = 8;
inline constexpr unsigned kAnyDepth = ~0u;

// An optional last argument: a partitioner or a task_group_context.
template <class T>
concept Option = std::same_as<std::remove_cvref_t<T>, simple_partitioner> ||
                 std::same_as<std::remove_cvref_t<T>, auto_partitioner> ||
                 std::same_as<std::remove_cvref_t<T>, static_partitioner> ||
                 std::same_as<std::remove_cvref_t<T>, affinity_partitioner> ||
                 std::same_as<std::remove_cvref_t<T>, task_group_context>;

// One call of an algorithm: its depth, its partitioner and its context. The calling function owns
// it; all parts use it concurrently.
class Call {
 public:
  template <Option... Options>
  explicit Call(unsigned depth, Options&&... options)
      : depth_(depth), scope_(context_of(own_, options...), Frame::current_scope()) {
    (apply(options), ...);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  unsigned depth() const noexcept { return depth_; }
  affinity_partitioner* affinity() const noexcept { return affinity_; }
  bool is_cancelled() { return scope_.is_cancelled(); }

  // Calls f() unless the call is cancelled. An exception cancels the call.
  template <class F>
  JOBS_NOINLINE void run(const F& f) {
    if (is_cancelled()) return;
    const Frame frame(scope_, __builtin_frame_address(0));
    JOBS_TRY { f(); }
    JOBS_CATCH_ALL {
      scope_.context().cancel_group_execution();
      JOBS_RETHROW;
    }
  }

 private:
  void apply(const simple_partitioner&) { depth_ = kAnyDepth; }
  void apply(const auto_partitioner&) { depth_ = kAutoDepth; }
  void apply(const static_partitioner&) {
    depth_ = static_cast<unsigned>(std::bit_width(worker_count() - 1));
  }
  void apply(affinity_partitioner& affinity) { affinity_ = &affinity; }
  void apply(task_group_context&) {}

  template <class First, class... Others>
  static task_group_context& context_of(task_group_context& own, First& first, Others&... others) {
    if constexpr (std::same_as<First, task_group_context>) {
      return first;
    } else {
      return context_of(own, others...);
    }
  }
  static task_group_context& context_of(task_group_context& own) { return own; }

  unsigned depth_;
  affinity_partitioner* affinity_ = nullptr;
  task_group_context own_;
  Scope scope_;
};

// Calls leaf(part) for all parts of the range, in parallel.
template <class Range, class F>
void divide(Call& call, Range& range, unsigned depth, const F& leaf) {
  if (depth == 0 || !range.is_divisible()) return call.run([&] { leaf(range); });
  if (call.is_cancelled()) return;
  Range right(range, split());
  fork_join([&] { divide(call, range, depth - 1, leaf); },
            [&] { divide(call, right, depth - 1, leaf); });
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI::tbb
