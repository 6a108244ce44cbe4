// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EigenThreadPool: the workers of a scheduler evaluate tensors of Eigen.
//
//   #include <jobs/interop/eigen.hpp>  // before <unsupported/Eigen/CXX11/Tensor>
//   #include <unsupported/Eigen/CXX11/Tensor>
//
//   jobs::interop::EigenThreadPool pool;
//   Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
//   c.device(device) = a.contract(b, pairs);  // unchanged
//
// Optional: not part of `jobs/jobs.hpp`. Written for Eigen 3.4, which consists of headers.
//
// **How.** Eigen's device divides an evaluation into blocks, and passes them to a pool, each as a
// function. This class makes each of them a job. The caller of the evaluation then waits in an
// Eigen::Barrier, which blocks its thread. A worker that blocks runs no jobs, so an evaluation in a
// job of a scheduler with one worker would never end. This file therefore takes the place of the
// header of Eigen::Barrier: a wait suspends the fiber, and parks an external thread.
//
// **Products of matrices.** Eigen 3.4 divides the products of its dense matrices by OpenMP only,
// and no program can supply another back-end. The contraction of two tensors of rank 2 is the same
// product, and runs on workers. The stacks of jobs have 256 KiB, and a product of matrices without
// OpenMP may take 2 x EIGEN_STACK_ALLOCATION_LIMIT (128 KiB) of it. A program that multiplies
// matrices in jobs sets SchedulerOptions::stack_size to 512 KiB, or defines a lower limit.
//
// **All files or none.** A program should include this header in each file that includes
// <unsupported/Eigen/CXX11/Tensor> or ThreadPool. Otherwise two definitions of Eigen::Barrier are
// in one program, which breaks the rule of one definition.
#pragma once

// The headers of tensors and of thread pools.
#if defined(EIGEN_CXX11_TENSOR_TENSOR_H) || defined(EIGEN_CXX11_THREADPOOL_BARRIER_H)
#error "jobs/interop/eigen.hpp comes too late: include it before <unsupported/Eigen/CXX11/Tensor>"
#endif

#include <Eigen/Core>

#if EIGEN_WORLD_VERSION != 3 || EIGEN_MAJOR_VERSION != 4 || EIGEN_MINOR_VERSION >= 90
#error "jobs/interop/eigen.hpp fits the thread pools of Eigen 3.4; these are others"
#endif

// The header that this file replaces is now empty.
#define EIGEN_CXX11_THREADPOOL_BARRIER_H
// The devices with threads.
#ifndef EIGEN_USE_THREADS
#define EIGEN_USE_THREADS
#endif

#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "jobs/sync/latch.hpp"

/// @cond internal
// The names, and what they promise, are those of Eigen.
namespace Eigen {

class Barrier {
 public:
  explicit Barrier(unsigned count) : left_(count) {}

  void Notify() { left_.count_down(); }
  // Blocks refer to the frame of the caller, so nothing may end the wait early.
  void Wait() {
    if (left_.try_wait()) return;
    const jobs::detail::WaitingThread here;
    const jobs::detail::InterruptShield shield(here.host().current());
    left_.wait();
  }

 private:
  jobs::Latch left_;
};

struct Notification : Barrier {
  Notification() : Barrier(1) {}
};

}  // namespace Eigen
/// @endcond

#include <unsupported/Eigen/CXX11/ThreadPool>

namespace jobs::inline JOBS_ABI::interop {

/// Pool of threads for Eigen::ThreadPoolDevice: the workers of a scheduler.
///
/// An evaluation in a job runs on the scheduler of the job; its fiber is suspended meanwhile. An
/// evaluation by another thread runs on the current scheduler of the thread. The functions of an
/// evaluation run on the stacks of jobs, and may evaluate further tensors. If the scheduler is shut
/// down or has no memory for a job, the calling thread runs the function itself.
///
/// @thread_safety any thread or fiber, concurrently
class EigenThreadPool final : public Eigen::ThreadPoolInterface {
 public:
  /// Creates a pool; starts the default scheduler if the calling thread has no scheduler.
  ///
  /// @throws std::system_error if a thread cannot be started
  EigenThreadPool() : threads_(static_cast<int>(jobs::worker_count())) {}

  /// Runs a function as a job. Eigen calls it.
  ///
  /// @param function  function without a result; an exception ends the program
  void Schedule(std::function<void()> function) override {
    Block* block = nullptr;
    JOBS_TRY {
      block = new Block(std::move(function));
      detail::submit(detail::current_shared(), *block);
    }
    JOBS_CATCH_ALL {
      if (block == nullptr) return function();
      block->call();
      delete block;
    }
  }

  /// Returns the number of workers.
  ///
  /// @returns number of workers of the scheduler that was the current one of the constructing
  /// thread
  int NumThreads() const override { return threads_; }

  /// Returns the index of the calling worker.
  ///
  /// @returns index from 0, or -1 on another thread
  int CurrentThreadId() const override {
    const auto index = jobs::worker_index();
    return index && static_cast<int>(*index) < threads_ ? static_cast<int>(*index) : -1;
  }

 private:
  // A function of Eigen as a job, which deletes itself.
  class Block final : public detail::Job, public detail::HeapObject<Block> {
   public:
    explicit Block(std::function<void()>&& function) noexcept
        : Job(&run), function_(std::move(function)) {}

    void call() noexcept { function_(); }

   private:
    static void run(Job& job) {
      const std::unique_ptr<Block> self(static_cast<Block*>(&job));
      self->call();
      detail::this_context()->finished.add(1);
    }

    std::function<void()> function_;
  };

  const int threads_;
};

}  // namespace jobs::inline JOBS_ABI::interop
