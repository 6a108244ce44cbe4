// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Driver: the interface between the I/O thread and the kernel. The engine owns the only driver of
// the process, and only the I/O thread calls it. A driver therefore shares no data.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>

#include "jobs/base/heap.hpp"
#include "jobs/io/request.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

// Closes a descriptor of the library at the end of its scope.
class OwnedDescriptor {
 public:
  // A negative value is no descriptor.
  explicit OwnedDescriptor(int fd) noexcept : fd_(fd) {}
  ~OwnedDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  int get() const noexcept { return fd_; }

 private:
  const int fd_;
};

// The kernel interface of the I/O thread: io_uring or epoll.
class Driver : public jobs::detail::HeapObject<Driver> {
 public:
  virtual ~Driver() = default;

  // Begins the request. complete(request) follows, perhaps before start() returns.
  virtual void start(Request& request) = 0;
  // Makes the request complete soon, with -ECANCELED unless it is too late. pre: begun, not
  // completed.
  virtual void cancel(Request& request) = 0;
  // Sleeps until a request has completed, or until a worker rings the bell, an eventfd.
  virtual void wait() = 0;
};

// Throws std::system_error with the reason in errno.
[[noreturn]] void refuse_descriptor(const char* purpose);

// Returns a request that the kernel has finished to its fiber. The caller must not access the
// request afterwards.
void complete(Request& request, int result) noexcept;

// Returns null if the kernel denies io_uring (a seccomp filter for any of its calls,
// kernel.io_uring_disabled, a kernel before Linux 5.6).
std::unique_ptr<Driver> make_uring_driver(int bell);
// Supports kPoll only. Throws std::system_error.
std::unique_ptr<Driver> make_epoll_driver(int bell);

}  // namespace jobs::inline JOBS_ABI::io::detail
