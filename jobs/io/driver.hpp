// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Driver: what the I/O thread talks to the kernel with. Used by that thread alone, so nothing in a driver is shared.
#pragma once

#include <cstdint>
#include <memory>

#include "jobs/io/request.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

class Driver {
 public:
  virtual ~Driver() = default;

  // Begins the request; complete(request) follows, perhaps from here.
  virtual void start(Request& request) = 0;
  // Makes it complete soon, with -ECANCELED unless it is too late. pre: begun, not completed.
  virtual void cancel(Request& request) = 0;
  // Sleeps until something has completed, or until the bell (an eventfd) rings.
  virtual void wait() = 0;
};

// The kernel has done with it: hands it back to its fiber. The caller's last touch of it.
void complete(Request& request, int result) noexcept;

// Null if the kernel denies it (a seccomp filter, kernel.io_uring_disabled, before Linux 5.6).
std::unique_ptr<Driver> make_uring_driver(int bell);
// Knows kPoll only. Throws std::system_error.
std::unique_ptr<Driver> make_epoll_driver(int bell);

}  // namespace jobs::inline JOBS_ABI::io::detail
