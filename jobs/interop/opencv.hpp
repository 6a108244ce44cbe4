// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// OpenCvBackend: the workers of a scheduler run the parallel loops of OpenCV.
//
//   jobs::interop::use_opencv_backend();  // in main(), before other calls of OpenCV
//   cv::cvtColor(source, target, cv::COLOR_BGR2GRAY);  // unchanged, from any thread
//
// Optional: not part of `jobs/jobs.hpp`. A program that includes it links libopencv_core. Written
// for OpenCV 4.5.2 and later, which can exchange their back-end.
//
// **Which scheduler.** A call in a job runs on the scheduler of the job; the fiber is suspended
// meanwhile. A call from another thread uses the thread's current scheduler, and the thread takes
// part. OpenCV runs one parallel loop at a time: a loop that begins while another one runs, inside
// of it or on another thread, runs on its own thread alone.
//
// **Stacks.** The bodies of loops run on the stacks of jobs, which have 256 KiB by default.
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/core/parallel/parallel_backend.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "jobs/base/atomic.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/throttled_for.hpp"

namespace jobs::inline JOBS_ABI::interop {

/// Back-end of cv::parallel_for_() that runs loops on the workers of a scheduler.
///
/// OpenCV calls the members. Exceptions of a loop's body reach the caller of the loop, as with
/// other back-ends.
///
/// @thread_safety any thread or fiber, concurrently
class OpenCvBackend final : public cv::parallel::ParallelForAPI {
 public:
  /// Runs a loop.
  ///
  /// @param tasks  number of iterations
  /// @param body  function for the iterations [start, end)
  /// @param data  argument of `body`
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kNoStack) or Cancelled after the end of the loop, see \ref waiting
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    const auto part = [&](int begin, int end) { body(begin, end, data); };
    const int most = most_threads_.load(std::memory_order_relaxed);
    if (most > 0) {
      jobs::parallel_for(0, tasks, part, LoopLimit(static_cast<std::size_t>(most)));
    } else {
      jobs::parallel_for(0, tasks, part);
    }
  }

  /// Returns the index of the calling worker.
  ///
  /// @returns index from 0; 0 on another thread
  int getThreadNum() const override { return static_cast<int>(worker_index().value_or(0)); }

  /// Returns the number of threads of a loop.
  ///
  /// @returns number of workers, or the limit that cv::setNumThreads() has set
  int getNumThreads() const override {
    const int workers = static_cast<int>(worker_count());
    const int most = most_threads_.load(std::memory_order_relaxed);
    return most > 0 ? std::min(most, workers) : workers;
  }

  /// Limits the parts of a loop that run at the same time.
  ///
  /// @param threads  limit; 0 or less removes it
  /// @returns previous limit
  int setNumThreads(int threads) override {
    return most_threads_.exchange(std::max(threads, 0), std::memory_order_relaxed);
  }

  /// Returns the name of the back-end.
  ///
  /// @returns "jobs"
  const char* getName() const override { return "jobs"; }

 private:
  // Publishes nothing.
  detail::Atomic<int> most_threads_{0};
};

/// Makes OpenCV run its parallel loops on the workers.
///
/// As cv::parallel::setParallelForBackend(): the call belongs into main(), before other calls of
/// OpenCV. The back-end lasts until another one is set. An earlier cv::setNumThreads() has no
/// effect.
///
/// @thread_safety no other thread calls OpenCV meanwhile
inline void use_opencv_backend() {
  cv::parallel::setParallelForBackend(std::make_shared<OpenCvBackend>(), false);
}

}  // namespace jobs::inline JOBS_ABI::interop
