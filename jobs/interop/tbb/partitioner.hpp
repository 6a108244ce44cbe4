// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The partitioners of oneTBB, and how the algorithms here divide a range: by halves, to a depth that the partitioner says. That is
// fixed, not found out from thefts as oneTBB does, so which parts there are does not depend on timing.
//
//   simple_partitioner    until the range is not divisible
//   auto_partitioner      at most 256 parts, at any number of workers
//   static_partitioner    one part for each worker, rounded up to a power of two; any worker may run any of them
//   affinity_partitioner  over blocked_range and indices, parallel_for only: jobs::AffinityPartition; elsewhere as auto_partitioner
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

class simple_partitioner {};
class auto_partitioner {};
class static_partitioner {};

// One loop at a time, as oneTBB's; two at a time abort.
class affinity_partitioner {
 public:
  // For the loops here.
  AffinityPartition& partition() noexcept { return partition_; }

 private:
  AffinityPartition partition_;
};

namespace detail {

inline constexpr unsigned kAutoDepth = 8;
inline constexpr unsigned kAnyDepth = ~0u;

// What may follow the body: a partitioner, a task_group_context.
template <class T>
concept Option = std::same_as<std::remove_cvref_t<T>, simple_partitioner> ||
    std::same_as<std::remove_cvref_t<T>, auto_partitioner> ||
    std::same_as<std::remove_cvref_t<T>, static_partitioner> ||
    std::same_as<std::remove_cvref_t<T>, affinity_partitioner> ||
    std::same_as<std::remove_cvref_t<T>, task_group_context>;

// One call of an algorithm.
class Call {
 public:
  template <Option... Options>
  explicit Call(unsigned depth, Options&&... options) : depth_(depth) {
    (apply(options), ...);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  unsigned depth() const noexcept { return depth_; }
  affinity_partitioner* affinity() const noexcept { return affinity_; }
  bool is_cancelled() const { return context_->is_group_execution_cancelled(); }

  // f() unless the call is cancelled; an exception cancels it.
  template <class F>
  void run(const F& f) {
    if (is_cancelled()) return;
    JOBS_TRY { f(); }
    JOBS_CATCH_ALL {
      context_->cancel_group_execution();
      JOBS_RETHROW;
    }
  }

 private:
  void apply(const simple_partitioner&) { depth_ = kAnyDepth; }
  void apply(const auto_partitioner&) { depth_ = kAutoDepth; }
  void apply(const static_partitioner&) { depth_ = static_cast<unsigned>(std::bit_width(worker_count() - 1)); }
  void apply(affinity_partitioner& affinity) { affinity_ = &affinity; }
  void apply(task_group_context& context) { context_ = &context; }

  unsigned depth_;
  affinity_partitioner* affinity_ = nullptr;
  task_group_context own_;
  task_group_context* context_ = &own_;
};

// leaf(part) for all parts of the range, in parallel.
template <class Range, class F>
void divide(Call& call, Range& range, unsigned depth, const F& leaf) {
  if (depth == 0 || !range.is_divisible()) return call.run([&] { leaf(range); });
  if (call.is_cancelled()) return;
  Range right(range, split());
  fork_join([&] { divide(call, range, depth - 1, leaf); }, [&] { divide(call, right, depth - 1, leaf); });
}

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI::tbb
