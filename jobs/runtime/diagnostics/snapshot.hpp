// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inspection: how a report comes about. All that a fiber is belongs to its home, so nobody looks at it from elsewhere: the workers
// are asked, by a message in their inboxes, and each describes its own fibers between two turns. That costs nothing as long as
// nobody asks, and needs no lock and no atomics. A worker that is kept by a job answers late, or not before it is asked to stop.
//
// What is not a worker's, the name of the Fiber that runs on one that does not answer, comes from the registry.
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
class Inspection;

// One fiber as its home sees it.
struct Sighting {
  const void* fiber = nullptr;  // its FiberCore: to find owners of locks
  const void* holder = nullptr;
  FiberReport report;
};

// One worker's part, and the question to it. Its answer is the worker's last touch.
struct InspectionPart final : MessageQueue::Question {
  explicit InspectionPart(std::shared_ptr<Inspection> the_whole);
  void answer(FiberHost& worker, bool worker_is_idle) noexcept override;
  void refuse() noexcept override;

  std::shared_ptr<Inspection> whole;  // while it is under way
  bool answered = false;              // guarded by whole->mutex; what is below: by it too, or before it is set
  bool idle = false;
  bool has_timers = false;
  FiberId running{};
  const void* running_core = nullptr;  // to find owners of locks
  std::vector<Sighting> fibers;
};

class Inspection : public std::enable_shared_from_this<Inspection> {
 public:
  // Asks all workers, and waits for `patience` at most. Any thread; a worker's own part is taken on the spot. pre: no worker ends
  // meanwhile.
  static std::shared_ptr<Inspection> make(Shared& shared, std::chrono::milliseconds patience);

  // All workers have answered, and all are idle; no deadline is armed, and no fiber waits for anything but other fibers.
  bool nothing_can_happen() const;
  bool all_answered() const;
  // A fiber waits that nobody has told to stay until the end.
  bool somebody_waits() const;
  Report report(Report::Reason reason) const;

  // What keeps a worker that does not answer. Any thread.
  static WorkerReport running_on(const Worker& worker);

 private:
  friend struct InspectionPart;
  using Parts = std::vector<std::unique_ptr<InspectionPart>>;

  static void describe(InspectionPart& part, Worker& worker, bool idle);

  Shared* shared_ = nullptr;
  mutable ThreadMutex mutex_;
  ThreadCondition progress_;
  std::size_t missing_ = 0;
  Parts parts_;
};

}  // namespace jobs::inline JOBS_ABI::detail
