// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// MessageQueue: the messages to one worker, and their dispatch by kind. Any thread pushes to the
// inbox. The worker drains it between two turns, and owns all other members. A message is one of:
//
//   Wakeup with a fiber  a signal for a fiber of this host, delivered at once
//   JobMessage           a job that only this worker may run; it goes to `affine`
//   signal kRequest      a WorkerRequest, or a message that the worker recognises by its address;
//   it
//                        goes to `requests`
//   the token            the wake-up of a parked worker (idle.hpp); drain() reports it to its
//                        caller
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/queue/inbox.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct MessageQueue {
  explicit MessageQueue(FiberHost& home) : host(home) {}

  // Signal of a message to the worker itself. It wakes no fiber.
  static constexpr unsigned kRequest = 1u << 31;

  // A question from a higher layer to a worker. The worker calls one of the two functions, and does
  // not access the object afterwards.
  struct WorkerRequest : Wakeup {
    WorkerRequest() : Wakeup(nullptr, kRequest) {}
    // Called by the worker, between two turns. `idle`: the worker has no work.
    virtual void answer(FiberHost& worker, bool idle) noexcept = 0;
    // Called if the worker ends before it has answered.
    virtual void refuse() noexcept = 0;

   protected:
    ~WorkerRequest() = default;
  };

  // Dispatches all messages, oldest first. Owner only.
  // post: returns true if the token was among them.
  // Not inlined: three callers, one call for all messages that have arrived.
  JOBS_NOINLINE bool drain(const Wakeup& token) noexcept {
    bool found = false;
    for (Wakeup* message = inbox.drain(); message != nullptr;) {
      Wakeup* const next = message->next;
      if (message == &token) {
        found = true;
      } else if (FiberCore* const fiber = message->fiber) {
        host.deliver(*fiber, message->signal);
      } else if (JobMessage::is_one(*message)) {
        affine.push(*static_cast<JobMessage*>(message));
      } else if (message->signal == kRequest) {
        message->next = requests;
        requests = message;
      }
      message = next;
    }
    return found;
  }

  FiberHost& host;
  Inbox<Wakeup> inbox;
  AffineJobs affine;
  Plain<Wakeup*> requests{nullptr};  // Not answered yet.
};

}  // namespace jobs::inline JOBS_ABI::detail
