// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// std::execution::par of libstdc++ on the workers of a scheduler.
//
//   #include <jobs/interop/pstl.hpp>  // before <execution>
//   #include <algorithm>
//   #include <execution>
//
//   std::sort(std::execution::par, values.begin(), values.end());  // unchanged
//
// Optional: not part of `jobs/jobs.hpp`. A program needs neither the headers nor the library of
// oneTBB, which libstdc++ uses otherwise. Written for libstdc++ 12.
//
// **How.** The algorithms of libstdc++ call ten functions of a namespace, the parallel back-end.
// libstdc++ chooses between its back-ends in one header. This file takes the place of that header
// and supplies the functions by the loops, reductions, scans and sorts of jobs.
//
// **Which scheduler.** A call of a job runs on the scheduler of the job. An external thread takes
// part in its own call and uses its current scheduler. A call suspends its fiber while it waits;
// its worker continues with other jobs. The functions of a program therefore run on the stacks of
// jobs, may wait, and may call further parallel algorithms. A thread that holds a std::mutex must
// not call an algorithm that runs code which locks this mutex.
//
// **Exceptions.** An exception of a function of the program ends the program by std::terminate(),
// as the standard demands. So do Error(kNoStack) and Error(kStopped). std::bad_alloc, for memory of
// the algorithm, leaves the call.
//
// **Which calls are parallel.** All calls that libstdc++ makes parallel: the policy is `par` or
// `par_unseq`, and the iterators have random access. Sorts of elements without an address
// (std::vector<bool>) run on one thread.
//
// **Results.** Parts depend on the number of elements only. The order of the additions of
// std::reduce, and the order of equal elements after std::sort, are therefore the same at any
// number of workers. The exception is a scan of another type than a floating-point type: its
// grouping depends on timing, which the standard allows.
//
// **In place.** std::exclusive_scan of libstdc++ 12 overwrites its input when it is also the
// output, with each back-end and each policy.
//
// **All files or none.** A program should include this header in each file that includes
// <execution>. Otherwise two files may instantiate the same algorithm for the same types with
// different back-ends. The linker keeps one of both instances: results are correct, but either
// back-end may run.
#pragma once

#if defined(_PSTL_EXECUTION_POLICIES_DEFINED) || defined(_PSTL_PARALLEL_BACKEND_H)
#error "jobs/interop/pstl.hpp comes too late: include it before <execution>"
#endif

#include <cstddef>

#include "jobs/base/config.hpp"

#if !defined(__GLIBCXX__)
#error "jobs/interop/pstl.hpp needs libstdc++, the standard library of g++; this is another one"
#elif !defined(_PSTL_VERSION)
#error "jobs/interop/pstl.hpp needs libstdc++ with parallel algorithms"
#elif _PSTL_VERSION != 12000
#error "jobs/interop/pstl.hpp fits the parallel algorithms of libstdc++ 12; these are others"
#endif

// The header that this file replaces is now empty.
#define _PSTL_PARALLEL_BACKEND_H

#include <utility>

#include "jobs/fork_join.hpp"
#include "jobs/interop/pstl_loops.hpp"
#include "jobs/interop/pstl_scans.hpp"
#include "jobs/interop/pstl_sorts.hpp"

/// @cond internal
// The names, the order of arguments and the namespace are those that libstdc++ calls.
namespace __pstl::__par_backend {

template <class T>
using __buffer = ::jobs::interop::pstl::Buffer<T>;

// A hint. The algorithms check in each part whether they have finished.
inline void __cancel_execution() noexcept {}

template <class Policy, class Index, class F>
void __parallel_for(Policy&&, Index first, Index last, F f) {
  ::jobs::interop::pstl::for_parts(first, last, f);
}

template <class Policy, class T, class Index, class Fold, class Combine>
T __parallel_reduce(Policy&&, Index first, Index last, const T& identity, const Fold& fold,
                    const Combine& combine) {
  return ::jobs::interop::pstl::reduce(first, last, identity, fold, combine);
}

template <class Policy, class Index, class Unary, class T, class Combine, class Fold>
T __parallel_transform_reduce(Policy&&, Index first, Index last, Unary unary, T init,
                              Combine combine, Fold fold) {
  if (first == last) return init;
  return ::jobs::interop::pstl::transform_reduce(first, last, unary, std::move(init), combine,
                                                 fold);
}

template <class Policy, class Index, class T, class Reduce, class Combine, class Scan, class Apex>
void __parallel_strict_scan(Policy&&, Index n, T initial, Reduce reduce, Combine combine, Scan scan,
                            Apex apex) {
  ::jobs::interop::pstl::strict_scan(n, initial, reduce, combine, scan, apex);
}

template <class Policy, class Index, class Unary, class T, class Combine, class Fold, class Scan>
T __parallel_transform_scan(Policy&&, Index n, Unary unary, T init, Combine combine, Fold fold,
                            Scan scan) {
  return ::jobs::interop::pstl::transform_scan(n, unary, std::move(init), combine, fold, scan);
}

template <class Policy, class It, class Compare, class LeafSort>
void __parallel_stable_sort(Policy&&, It first, It last, Compare compare, LeafSort sort,
                            std::size_t head = 0) {
  ::jobs::interop::pstl::stable_sort(first, last, compare, sort, head);
}

template <class Policy, class A, class B, class Out, class Compare, class MergePart>
void __parallel_merge(Policy&&, A a, A a_end, B b, B b_end, Out out, Compare compare,
                      MergePart merge_part) {
  ::jobs::interop::pstl::merge(a, a_end - a, b, b_end - b, out, compare, merge_part);
}

template <class Policy, class First, class Second>
void __parallel_invoke(Policy&&, First&& first, Second&& second) {
  ::jobs::fork_join(first, second);
}

}  // namespace __pstl::__par_backend
/// @endcond
