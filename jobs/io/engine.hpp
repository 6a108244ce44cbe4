// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Engine: the I/O thread of the process and the way to it. Any worker or external thread sends
// requests to the engine's inbox. It then rings the bell, an eventfd, unless another thread has
// just rung it. Only the I/O thread talks to the kernel. It wakes the fibers through the inboxes of
// their homes.
#pragma once

#include <memory>
#include <stop_token>

#include "jobs/base/heap.hpp"
#include "jobs/io/driver.hpp"
#include "jobs/io/io.hpp"
#include "jobs/queue/inbox.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace engine_order {
// The bell rings once for all messages since the I/O thread last looked at the inbox.
// [io.1] Publishes the messages before it. Partner: kListen.
JOBS_ORDER(kRing, acq_rel);
// [io.1] The I/O thread clears the flag before it reads the inbox. Partner: kRing.
JOBS_ORDER(kListen, acq_rel);
}  // namespace engine_order

// The limits that end a wait early.
struct WaitLimit {
  os::Nanoseconds deadline;
  const std::stop_token& stop;
};

// The I/O thread, its inbox and its bell.
class Engine : public jobs::detail::HeapObject<Engine> {
 public:
  // Returns the engine of this process. The first call starts it.
  static Engine& instance();

  Backend backend() const noexcept { return backend_; }

  // Performs the request and suspends the calling fiber until it has completed; an external thread
  // parks. Returns the kernel's result, -ETIMEDOUT or -ECANCELED. Throws Error(kNoStack) before the
  // request has begun.
  int perform(Request& request, const WaitLimit& until);

 private:
  Engine();
  void send(Message& message) noexcept;
  void serve() noexcept;

  Backend backend_ = Backend::kIoUring;
  const OwnedDescriptor bell_;
  std::unique_ptr<Driver> driver_;
  jobs::detail::Inbox<Message> inbox_;
  jobs::detail::Atomic<bool> rung_{false};
};

}  // namespace jobs::inline JOBS_ABI::io::detail
