// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Engine: the I/O thread of the process and the way to it. Workers send requests to its inbox and ring its bell, an eventfd, unless
// somebody has just done so; it alone talks to the kernel, and wakes the fibers through the inboxes of their homes.
#pragma once

#include <memory>
#include <stop_token>

#include "jobs/io/driver.hpp"
#include "jobs/io/io.hpp"
#include "jobs/queue/inbox.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace engine_order {
// The bell rings once for all that was sent since the thread last looked.
JOBS_ORDER(kRing, acq_rel);    // sent, then rung; partner: kListen
JOBS_ORDER(kListen, acq_rel);  // unrung, then looked; partner: kRing
}  // namespace engine_order

// When a wait ends early.
struct Until {
  os::Nanoseconds deadline;
  const std::stop_token& stop;
};

class Engine {
 public:
  // The one of this process, started by the first call.
  static Engine& instance();

  Backend backend() const noexcept { return backend_; }

  // Performs the request and suspends the calling fiber (an external thread: parks it) until that is done. Returns what the kernel
  // says, -ETIMEDOUT or -ECANCELED. Throws Error(kNoStack), before it has begun.
  int perform(Request& request, const Until& until);

 private:
  Engine();
  void send(Message& message) noexcept;
  void serve() noexcept;

  Backend backend_ = Backend::kIoUring;
  const int bell_;
  std::unique_ptr<Driver> driver_;
  jobs::detail::Inbox<Message> inbox_;
  jobs::detail::Atomic<bool> rung_{false};
};

}  // namespace jobs::inline JOBS_ABI::io::detail
