// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Input and output that suspends the calling fiber and never holds its worker; an external thread parks. An optional component of
// its own: CMake target jobs::io.
//
//   std::array<std::byte, 4096> buffer;
//   const jobs::io::Result got = jobs::io::read(socket, buffer, {.timeout = 5s});
//   if (got.timed_out()) ...
//
// Through io_uring where the kernel allows it, else by epoll for sockets, pipes and the like and jobs::blocking() for files; the same
// functions and results (backend() says which). Descriptors may be blocking or not: it makes no difference. One thread of the
// process serves all schedulers; it starts at the first use and stays. A wait costs a hand-over to it and back, some 10 us.
//
// Every wait ends at its timeout or stop: Result says so, and nothing was read or written, accepted or connected. The exceptions:
// open(), close() and fsync(), and under epoll files, and the last step on descriptors that know no non-blocking form (a terminal; a
// pipe before Linux 6.4); they run to their end. Memory that is passed in must stay until the function returns.
//
// All may be called by any number of fibers and threads at a time, also for one descriptor (reads of a stream then share its bytes
// in no stated order). Closing a descriptor that somebody waits on is an error of the program: that wait may never end, or end for
// what is opened next under the same number; shutdown(2) of a socket ends its waits.
//
// Each throws Error(kNoStack), before anything has happened, if its worker needs one more fiber and cannot have it; the first call of
// the process also Error(kBadEnvironment) if JOBS_IO is neither "io_uring" nor "epoll" or asks for what this machine has not, and
// std::system_error if its thread cannot be started. Errors of the operation itself are in the Result. No other allocation.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <system_error>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"

namespace jobs::inline JOBS_ABI::io {

// What a call returned: a value of zero or more, or an error.
class [[nodiscard]] Result {
 public:
  // As the kernel says it: a value, or -errno.
  constexpr explicit Result(int raw) noexcept : raw_(raw) {}

  constexpr bool ok() const noexcept { return raw_ >= 0; }
  constexpr explicit operator bool() const noexcept { return ok(); }
  // Bytes, a descriptor, or events. Throws std::system_error if it failed.
  int value() const {
    if (!ok()) JOBS_THROW(std::system_error(error(), "jobs::io"));
    return raw_;
  }
  // Of std::generic_category(); no error if ok().
  std::error_code error() const noexcept { return {ok() ? 0 : -raw_, std::generic_category()}; }
  bool timed_out() const noexcept { return error() == std::errc::timed_out; }
  bool cancelled() const noexcept { return error() == std::errc::operation_canceled; }

 private:
  int raw_;
};

// When to give up. By default: never.
struct Limits {
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();  // zero or less: do what can be done at once
  std::stop_token stop = {};
};

// Of a stream, or of a file at its own position.
inline constexpr std::int64_t kAtPosition = -1;

// Up to buffer.size() bytes (at most 2 GiB less a page), from `offset` of a file. 0: the end. May be fewer than asked for.
JOBS_EXPORT Result read(int fd, std::span<std::byte> buffer, const Limits& limits = {},
                        std::int64_t offset = kAtPosition);
// Likewise. Fails with EPIPE if nobody reads any more; a program that writes to pipes should ignore SIGPIPE.
JOBS_EXPORT Result write(int fd, std::span<const std::byte> buffer, const Limits& limits = {},
                         std::int64_t offset = kAtPosition);
// The next connection of a listening socket; close-on-exec.
JOBS_EXPORT Result accept(int listener, const Limits& limits = {});
// Connects a socket. After a timeout or stop the socket is good for nothing but close().
JOBS_EXPORT Result connect(int socket, const sockaddr* address, socklen_t size, const Limits& limits = {});
// Waits for one of `events` (POLLIN, POLLOUT ...), POLLERR or POLLHUP; returns those that are there.
JOBS_EXPORT Result poll(int fd, short events, const Limits& limits = {});

// As the system calls of these names, by jobs::blocking(); open() adds O_CLOEXEC.
JOBS_EXPORT Result open(const char* path, int flags, mode_t mode = 0);
JOBS_EXPORT Result close(int fd);
JOBS_EXPORT Result fsync(int fd);

enum class Backend : std::uint8_t { kIoUring, kEpoll };
// What this process uses: JOBS_IO in the environment, else io_uring if the kernel allows it. Decided at the first use.
[[nodiscard]] JOBS_EXPORT Backend backend();

}  // namespace jobs::inline JOBS_ABI::io
