// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Snapshot: the workers and waiting fibers of a scheduler at one time, for a report. Any thread
// may create one. The thread and the messages to the workers share it by reference counting.
//
// All data of a fiber belongs to its home worker, so no other thread reads it.
//   1. The creator sends each worker a message.
//   2. Each worker describes its own fibers between two turns.
//   3. The creator waits for all answers, or until its time limit has passed.
// Without a report, this costs nothing; it needs no lock and no atomic fields. A worker in a long
// job answers late, or only when it is requested to stop.
//
// If a worker does not answer, the registry provides the name of the Fiber that runs on it.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "jobs/base/thread.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/report_types.hpp"
#include "jobs/runtime/parking/message_queue.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;
class Worker;
class Snapshot;

// One fiber, as its home worker describes it.
struct FiberSnapshot {
  const void* fiber = nullptr;  // Its FiberCore, to find owners of locks.
  const void* owner = nullptr;
  FiberReport report;
};

// The part of one worker, and the question to it. The worker does not access it after its answer.
struct WorkerSnapshot final : MessageQueue::WorkerRequest {
  void answer(FiberHost& worker, bool worker_is_idle) noexcept override;
  void refuse() noexcept override;
  // Answers for a worker that has no thread.
  void answer_as_vacant() noexcept;

  std::shared_ptr<Snapshot> parent;  // Set from the question to the answer of the worker.
  // Guarded by the mutex of the whole. The mutex guards the members below after `answered` is set;
  // before that, they belong to the worker.
  bool answered = false;
  bool idle = false;
  bool has_timers = false;
  FiberId running{};
  const void* running_core = nullptr;  // To find owners of locks.
  std::vector<FiberSnapshot> fibers;
};

class Snapshot : public std::enable_shared_from_this<Snapshot> {
 public:
  // The timeout of reports that the library makes by itself.
  static constexpr std::chrono::milliseconds kTimeout{1000};

  // Sends the question to all workers, and waits for at most `timeout`. Any thread; a worker
  // answers its own part at once. pre: no worker ends meanwhile.
  JOBS_EXPORT static std::shared_ptr<Snapshot> make(Shared& shared,
                                                    std::chrono::milliseconds timeout);

  // Returns true if all workers have answered and are idle, no deadline is armed, and each fiber
  // waits for other fibers only.
  bool cannot_progress() const;
  JOBS_EXPORT bool all_answered() const;
  // Returns true if a fiber that is not a daemon waits.
  bool has_waiters() const;
  JOBS_EXPORT Report report(Report::Reason reason) const;

  // Describes the fiber and the job that run on a worker that does not answer. Any thread.
  JOBS_EXPORT static WorkerReport running_on(const Worker& worker);

 private:
  friend struct WorkerSnapshot;
  using Parts = std::vector<std::unique_ptr<WorkerSnapshot>>;

  static void describe(WorkerSnapshot& part, Worker& worker, bool idle);

  Shared* shared_ = nullptr;
  mutable ThreadMutex mutex_;
  ThreadCondition progress_;
  std::size_t missing_ = 0;
  Parts parts_;
};

}  // namespace jobs::inline JOBS_ABI::detail
