// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockingPool: the queue of calls, and the loop of its threads.
#include "jobs/runtime/scheduler/blocking_pool.hpp"

#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "jobs/error.hpp"
#include "jobs/runtime/job/trace_points.hpp"

namespace jobs::inline JOBS_ABI::detail {

BlockingPool::BlockingPool(Shared& shared, unsigned max_threads, std::chrono::nanoseconds idle_time)
    : shared_(shared), max_threads_(max_threads), idle_time_(idle_time) {
  if (max_threads == 0) throw Error(ErrorCode::kBadArgument, "max_blocking_threads: at least 1");
}

void BlockingPool::submit(Job& job) {
  std::unique_lock lock(mutex_);
  stop_ = [](BlockingPool& pool) { pool.stop_threads(); };
  // Each queued call claims one idle thread, as long as there are enough idle threads.
  if (queued_ < idle_) {
    wanted_.notify_one();
  } else if (running_.size() < max_threads_ && !start_thread() && running_.empty()) {
    refuse_thread(std::make_error_code(std::errc::resource_unavailable_try_again), "blocking()");
  }
  job.next = nullptr;
  if (first_ == nullptr) {
    first_ = &job;
  } else {
    last_->next = &job;
  }
  last_ = &job;
  ++queued_;
  calls.add(1);
}

void BlockingPool::run(Job& job) {
  // From here on join() cannot fail: the job refers to the frame of the caller.
  this_thread().host->prepare_wait();
  submit(job);
  job.join(WaitKind::kBlocking);
}

// Starts a thread. It first waits for the mutex, which the caller holds.
bool BlockingPool::start_thread() {
  ThreadIterator self;
  try {
    self = running_.emplace(running_.end());
  } catch (const std::bad_alloc&) {
    return false;
  }
  try {
    *self = Thread([this, self] { serve(self); });
  } catch (...) {  // No thread, or no memory for one.
    running_.erase(self);
    return false;
  }
  threads.add(1);
  return true;
}

Job* BlockingPool::pop() noexcept {
  Job* const job = first_;
  if (job == nullptr) return nullptr;
  first_ = job->next;
  --queued_;
  return job;
}

namespace {

// Makes a scheduler the current one of a thread of its pool, until the thread leaves the pool. Code
// of the user that runs later, in destructors of thread-local objects, finds the default scheduler.
class PoolThread {
 public:
  explicit PoolThread(Shared& shared) noexcept : scope_{.shared = shared, .outer = nullptr} {
    this_thread().scope = &scope_;
    this_thread().blocking_for = &shared;
  }
  ~PoolThread() {
    this_thread().scope = nullptr;
    this_thread().help_counter = nullptr;
    this_thread().blocking_for = nullptr;
  }
  PoolThread(const PoolThread&) = delete;
  PoolThread& operator=(const PoolThread&) = delete;

 private:
  ThreadScope scope_;
};

}  // namespace

void BlockingPool::serve(ThreadIterator self) {
  os::block_signals();
  os::set_thread_name("jobs blocking");
  const PoolThread pool_thread(shared_);
  std::unique_lock lock(mutex_);
  for (bool timed_out = false;;) {
    if (Job* const job = pop()) {
      lock.unlock();
      trace(trace_observer(), TraceEvent::kBlockingBegin,
            reinterpret_cast<std::uintptr_t>(job->entry()));
      job->run();
      trace(trace_observer(), TraceEvent::kBlockingEnd);
      // The pool finishes the job, and not the job itself: after finish() its caller may unload the
      // code of the job.
      job->finish();
      lock.lock();
      timed_out = false;
      continue;
    }
    if (stopping_ || timed_out) break;
    ++idle_;
    timed_out = !wanted_.wait_for(lock, idle_time_);
    --idle_;
  }
  threads.subtract(1);
  if (!stopping_) {
    // Detached, because no thread might join it for a long time. From here on, this thread accesses
    // only the mutex, for the last time.
    self->detach();
    running_.erase(self);
    return;
  }
  ended_.splice(ended_.end(), running_, self);
  if (running_.empty()) all_ended_.notify_all();
}

void BlockingPool::stop_threads() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wanted_.notify_all();
  all_ended_.wait(lock, [this] { return running_.empty(); });
  lock.unlock();
  for (Thread& thread : std::exchange(ended_, {})) thread.join();
}

}  // namespace jobs::inline JOBS_ABI::detail
