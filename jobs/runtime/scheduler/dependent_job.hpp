// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DependentJob: a job that starts when a count of dependencies reaches zero. A waiting job needs
// neither a worker nor a stack: it is a node in the lists of the objects that it waits for.
//
// Owners: the job itself until its end, and each JobHandle. The last owner frees the memory, which
// comes from the heap, because a handle may outlive the scheduler. Any thread may call the
// functions, unless a comment restricts it. The closure ends with the job.
//
// State: `word_` contains the number of unmet dependencies. `successors_` is a Treiber list of
// entries; the end of the job closes it. An entry names a job that depends on this one.
//
// Protocol:
//   step 1  The creator makes a job with one dependency of its own, links one entry to each
//           predecessor, and counts the predecessors whose lists are closed.
//   step 2  It meets its own dependency together with those [dependent_job.1].
//   step 3  A predecessor ends: it exchanges its list for the closed mark [dependent_job.2], and
//           meets a dependency of each job in the list.
//   step 4  The thread that meets the last dependency submits the job.
//
// Proof. A link and the closing exchange act on one word. So an entry is either in the list that
// the exchange returns, or its link fails: each dependency is met exactly once. The creator's own
// dependency keeps the count above zero during step 1. The submission happens once, because one
// subtraction alone leaves zero, and add() never leaves zero. An entry lies in the memory of the
// waiting job, which owns itself until its end; a predecessor reads the entry before it meets the
// dependency, and not afterwards.
//
// A submission by a thread that is not a worker of the scheduler accesses the scheduler after the
// job is visible to the workers. The job then ends only after that submission [dependent_job.3],
// and a shutdown waits for the job.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/invoke.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/sync/core/countdown_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class DependentJob;
class JobFailure;
class Shared;

namespace dependent_order {
// [dependent_job.1] The job sees the effects that precede each met dependency. Partner: itself.
JOBS_ORDER(kMeet, acq_rel);
JOBS_ORDER(kGuess, relaxed);  // A compare-exchange confirms or corrects it.
// [dependent_job.2] The end sees the linked entries; a creator whose link fails sees the effects
// and the failure of the job.
JOBS_ORDER(kLink, release);       // partner: kClose
JOBS_ORDER(kClose, acq_rel);      // partners: kLink, kSeeClosed
JOBS_ORDER(kSeeClosed, acquire);  // partner: kClose
// [dependent_job.3] The scheduler outlives the submission.
JOBS_ORDER(kSubmitted, release);     // partner: kSeeSubmitted
JOBS_ORDER(kSeeSubmitted, acquire);  // partner: kSubmitted
// [dependent_job.4] The last owner sees the writes of the other owners. Partner: itself.
JOBS_ORDER(kDrop, acq_rel);
JOBS_ORDER(kAdd, relaxed);  // The caller owns a part already.
}  // namespace dependent_order

// What a job needs of its predecessor.
enum class Dependency : std::uint8_t {
  kResult,  // the effects: if the predecessor fails, the job is left out, and fails likewise
  kEnd,     // the end alone
};

// An entry in the list of the successors of a job. It lies behind the closure of the waiting job,
// or on the heap, and then belongs to the list.
class Successor : public HeapObject<Successor> {
 public:
  Successor(DependentJob& job, Dependency dependency, bool on_heap) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(&job) |
              (dependency == Dependency::kEnd ? kIsEnd : 0) | (on_heap ? kOnHeap : 0)) {}

  DependentJob& job() const noexcept {
    return *reinterpret_cast<DependentJob*>(bits_ & ~(kIsEnd | kOnHeap));
  }
  bool needs_result() const noexcept { return (bits_ & kIsEnd) == 0; }
  bool is_on_heap() const noexcept { return (bits_ & kOnHeap) != 0; }

  Plain<Successor*> next{nullptr};

 private:
  static constexpr std::uintptr_t kIsEnd = 1;
  static constexpr std::uintptr_t kOnHeap = 2;

  const Plain<std::uintptr_t> bits_;
};

class JOBS_EXPORT DependentJob : public Job {
 public:
  static constexpr std::uint32_t kMaxCount = (std::uint32_t{1} << 30) - 1;

  DependentJob(const DependentJob&) = delete;
  DependentJob& operator=(const DependentJob&) = delete;

  // Throws Error(kBadArgument): a handle names no job.
  [[noreturn]] static void refuse_empty();
  // Returns `count`. Throws Error(kBadArgument) if it is too large.
  static std::uint32_t checked_count(std::size_t count);

  // --- creator, before another thread knows the job ---
  // Counts the job as submitted. Throws Error(kStopped), Error(kForked).
  void admit();
  // Frees a job that was not admitted. pre: its closure is destroyed.
  void discard() noexcept { free(); }
  // Declares that `count` of the dependencies were added by a number.
  void note_added(std::uint32_t count) noexcept {
    added_or_runner_.fetch_add(kAdded * std::uintptr_t{count}, dependent_order::kGuess);
  }

  // --- any owner ---
  void add_owner() noexcept { owners_.fetch_add(1, dependent_order::kAdd); }
  void release() noexcept {
    if (owners_.fetch_sub(1, dependent_order::kDrop) == 1) free();
  }
  bool is_done() const noexcept { return ended_.is_open(); }
  // Waits for the end. Returns false if the limit came first. Throws the exception of the job,
  // Error(kBadArgument) if the job waits for itself, and as CountdownCore::wait().
  bool wait(WaitLimit limit);
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  // Adds dependencies. Throws Error(kBadArgument) if the job has no unmet dependency or too many.
  void add(std::uint64_t count);
  // Adds a dependency on a job. Throws as add(), and std::bad_alloc.
  void add(DependentJob& predecessor);
  // Meets dependencies that were added by a number. Throws Error(kBadArgument) if there are fewer.
  void remove(std::uint64_t count);

  // --- the creator and the objects that the job waits for ---
  // Makes this job depend on `predecessor` by an entry of this job, which belongs to the
  // predecessor then. Returns false if the predecessor has ended: the entry is destroyed, and the
  // caller meets the dependency.
  [[nodiscard]] bool follow(DependentJob& predecessor, Successor& entry) noexcept;
  // Meets dependencies. The last one submits the job.
  void meet(std::uint32_t count) noexcept {
    if (is_last(count)) submit();
  }
  // As meet(), on a thread that must not push to its own deque.
  void meet_from_outside(std::uint32_t count) noexcept {
    if (is_last(count)) submit_from_outside();
  }

 protected:
  // `count`: the number of dependencies.
  DependentJob(Run function, Shared& shared, std::uint32_t count) noexcept
      : Job(function), shared_(shared), word_(count) {}
  ~DependentJob();

  // --- the worker that runs the job ---
  // Returns false if the job is left out, because a predecessor has failed.
  bool begin() noexcept;
  void fail(std::exception_ptr exception) noexcept;
  // The last access of the worker. pre: the closure is destroyed.
  void end() noexcept;

  Shared& shared_;

 private:
  // Bits of word_ above the count.
  static constexpr std::uint32_t kFailed = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kBeingSubmitted = std::uint32_t{1} << 30;

  static constexpr std::uintptr_t kNoneAdded = 1;
  static constexpr std::uintptr_t kAdded = 2;
  static constexpr std::uintptr_t added_in(std::uintptr_t added_or_runner) noexcept {
    return (added_or_runner & kNoneAdded) != 0 ? added_or_runner / kAdded : 0;
  }

  void add_to_count(std::uint64_t count);

  static Successor* closed() noexcept { return reinterpret_cast<Successor*>(std::uintptr_t{1}); }

  bool is_last(std::uint32_t count) noexcept {
    return (word_.fetch_sub(count, dependent_order::kMeet) & kMaxCount) == count;
  }
  void submit() noexcept;
  JOBS_NOINLINE void submit_from_outside() noexcept;
  bool link(Successor& entry) noexcept;
  static void destroy(Successor& entry) noexcept;
  JOBS_COLD void take(JobFailure& failure) noexcept;
  JOBS_NOINLINE void free() noexcept;

  Atomic<Successor*> successors_{nullptr};
  Atomic<std::uint32_t> word_;
  Atomic<std::uint32_t> owners_{2};  // the job, and the handle of the creator
  CountdownCore ended_{1};
  // Written before the last dependency is met, or by the worker that runs the job.
  Plain<JobFailure*> failure_{nullptr};
  // Until the job begins: kNoneAdded + kAdded * the number of unmet dependencies that were added by
  // a number, for the check in remove(). Then the fiber that runs the job, for the check in wait().
  // Its address is even.
  Atomic<std::uintptr_t> added_or_runner_{kNoneAdded};
};

JOBS_OF_MODE_BEGIN

// A closure with a greater alignment than that of the heap.
template <class F>
class BoxedClosure {
 public:
  template <class G>
  explicit BoxedClosure(std::in_place_t, G&& function)
      : function_(std::make_unique<OnHeap<F>>(std::forward<G>(function))) {}
  void operator()() { detail::invoke(function_->value); }

 private:
  std::unique_ptr<OnHeap<F>> function_;
};

// A DependentJob with its closure. `Trailer`: the type of the objects behind it, in the same
// allocation, which link the job to the objects that it waits for.
template <class F, class Trailer>
class ClosureJob final : public DependentJob {
 public:
  template <class G>
  static ClosureJob* make(Shared& shared, std::uint32_t count, std::size_t trailers, G&& function) {
    void* const memory = heap_allocate_unsized(sizeof(ClosureJob) + trailers * sizeof(Trailer));
    JOBS_TRY { return ::new (memory) ClosureJob(shared, count, std::forward<G>(function)); }
    JOBS_CATCH_ALL {
      heap_deallocate_unsized(memory);
      JOBS_RETHROW;
    }
  }
  // The memory of the trailers.
  void* trailers() noexcept { return this + 1; }
  // Frees a job that was not admitted.
  void discard() noexcept {
    std::destroy_at(&function_);
    DependentJob::discard();
  }

 private:
  static constexpr bool kIsBoxed = alignof(F) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  using Stored = std::conditional_t<kIsBoxed, BoxedClosure<F>, F>;
  static_assert(alignof(Trailer) <= alignof(DependentJob));

  template <class G>
  ClosureJob(Shared& shared, std::uint32_t count, G&& function)
      : DependentJob(&execute, shared, count),
        function_(make_function(std::forward<G>(function))) {}
  ~ClosureJob() {}  // NOLINT: never called; the last owner frees the base

  template <class G>
  static Stored make_function(G&& function) {
    if constexpr (kIsBoxed) {
      return Stored(std::in_place, std::forward<G>(function));
    } else {
      return Stored(std::forward<G>(function));
    }
  }

  static void execute(Job& job) {
    auto& self = static_cast<ClosureJob&>(job);
    if (self.begin()) [[likely]] {
      run_guarded([&self] { detail::invoke(self.function_); },
                  [&self](std::exception_ptr exception) { self.fail(std::move(exception)); });
    }
    std::destroy_at(&self.function_);
    self.end();
  }

  union {
    Stored function_;
  };
};

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
