// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::io: input and output that suspends the calling fiber and never blocks its worker. An
// external thread parks. An optional component: CMake target jobs::io.
//
//   std::array<std::byte, 4096> buffer;
//   const jobs::io::Result got = jobs::io::read(socket, buffer, {.timeout = 5s});
//   if (got.timed_out()) ...
//
// **Kernel interface.** io_uring if the kernel allows it. Otherwise epoll for sockets, pipes and
// similar descriptors, and jobs::blocking() for files. Functions and results are the same;
// backend() returns the choice. Descriptors may be blocking or non-blocking. Under epoll, accept()
// makes its listener non-blocking, and connect() makes its socket non-blocking for a moment. One
// thread of the process serves all schedulers. It starts at the first use and stays. A wait costs
// two hand-overs, to this thread and back, about 10 us.
//
// **Limits.** Each wait ends at its timeout or stop request. The Result then says so, and nothing
// was read, written, accepted or connected. Exceptions: open(), close() and fsync() run to their
// end. Under epoll, so do operations on files, and the last step on descriptors without a
// non-blocking form (a terminal; a pipe before Linux 6.4).
//
// **Memory.** Buffers and addresses must live until the function returns. No function allocates
// anything except the first call of the process.
//
// **Threads.** Any number of fibers and threads may call all functions concurrently, also for one
// descriptor. Concurrent reads of a stream share its bytes in an unspecified order. A program must
// not close a descriptor with waiters: such a wait may never end, or may end for another file that
// is opened later under the same number. shutdown(2) of a socket ends its waits.
//
// **Errors.** Errors of the operation are in the Result. Each function throws Error(kNoStack),
// before anything has happened, if its worker needs one more fiber and cannot get it. The first
// call of the process also throws Error(kBadEnvironment) if the environment variable JOBS_IO is
// neither "io_uring" nor "epoll", or if this machine does not support its value. It throws
// std::system_error if a descriptor or the thread cannot be created; a later call tries again.
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

/// The result of an operation: a value of zero or more, or an error.
///
/// @snippet io.cpp read
///
/// @thread_safety a plain value: one thread at a time changes it
class [[nodiscard]] Result {
 public:
  /// Wraps a result in the form of the kernel.
  ///
  /// @param raw  a value of 0 or more, or -errno
  constexpr explicit Result(int raw) noexcept : raw_(raw) {}

  /// Returns true if the operation succeeded.
  ///
  /// @returns true for a value, false for an error
  constexpr bool ok() const noexcept { return raw_ >= 0; }
  /// Returns ok().
  ///
  /// @returns true for a value, false for an error
  constexpr explicit operator bool() const noexcept { return ok(); }
  /// Returns the value: a number of bytes, a descriptor, or events.
  ///
  /// @returns the value
  /// @throws std::system_error if the operation failed
  int value() const {
    if (!ok()) JOBS_THROW(std::system_error(error(), "jobs::io"));
    return raw_;
  }
  /// Returns the error.
  ///
  /// @returns an error of std::generic_category(), or no error if ok()
  std::error_code error() const noexcept { return {ok() ? 0 : -raw_, std::generic_category()}; }
  /// Returns true if the timeout ended the operation.
  ///
  /// @returns true for std::errc::timed_out
  bool timed_out() const noexcept { return error() == std::errc::timed_out; }
  /// Returns true if a stop request ended the operation.
  ///
  /// @returns true for std::errc::operation_canceled
  bool cancelled() const noexcept { return error() == std::errc::operation_canceled; }

 private:
  int raw_;
};

/// Limits of an operation. The default has no limits.
struct Limits {
  /// Time from the call on. Zero or less: only completes operations that are possible at once.
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();
  /// Ends the operation early when a stop is requested.
  std::stop_token stop = {};
};

/// Offset of streams, and of files at their own position.
inline constexpr std::int64_t kAtPosition = -1;

/// Reads at most buffer.size() bytes into a buffer.
///
/// May read fewer bytes than requested.
///
/// @snippet io.cpp read
///
/// @param fd  descriptor: a file, a pipe, a socket, a terminal
/// @param buffer  memory for the bytes, at most 2 GiB less a page per call
/// @param limits  timeout and stop token
/// @param offset  position in a file; kAtPosition to use the file's own position, and for streams,
///   which fail with ESPIPE otherwise
/// @returns the number of bytes, 0 at the end, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity about 10 us for the two hand-overs, plus the operation
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result read(int fd, std::span<std::byte> buffer, const Limits& limits = {},
                        std::int64_t offset = kAtPosition);
/// Writes at most buffer.size() bytes from a buffer.
///
/// May write fewer bytes than requested. Fails with EPIPE if the reading end is closed; the program
/// gets no SIGPIPE.
///
/// @snippet io.cpp file
///
/// @param fd  descriptor: a file, a pipe, a socket, a terminal
/// @param buffer  bytes to write, at most 2 GiB less a page per call
/// @param limits  timeout and stop token
/// @param offset  position in a file; kAtPosition to use the file's own position, and for streams,
///   which fail with ESPIPE otherwise
/// @returns the number of bytes, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity about 10 us for the two hand-overs, plus the operation
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result write(int fd, std::span<const std::byte> buffer, const Limits& limits = {},
                         std::int64_t offset = kAtPosition);
/// Reads until a buffer is full or the input ends.
///
/// The limits hold for the whole call. After an error, a part of the input may have been read.
///
/// @snippet io.cpp server
///
/// @param fd  descriptor: a file, a pipe, a socket, a terminal
/// @param buffer  memory for the bytes, at most 2 GiB less a page: otherwise EINVAL
/// @param limits  timeout and stop token
/// @param offset  position in a file; kAtPosition to use the file's own position, and for streams,
///   which fail with ESPIPE otherwise
/// @returns the number of bytes, less than the size of the buffer only at the end; or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity as read(), once for each part that arrives
/// @thread_safety any thread or fiber, concurrently; concurrent calls for a stream share its bytes
///   in an unspecified order
JOBS_EXPORT Result read_all(int fd, std::span<std::byte> buffer, const Limits& limits = {},
                            std::int64_t offset = kAtPosition);
/// Writes all bytes of a buffer.
///
/// The limits hold for the whole call. After an error, a part of the buffer may have been written.
/// Fails with EPIPE as write().
///
/// @snippet io.cpp server
///
/// @param fd  descriptor: a file, a pipe, a socket, a terminal
/// @param buffer  bytes to write, of any number
/// @param limits  timeout and stop token
/// @param offset  position in a file; kAtPosition to use the file's own position, and for streams,
///   which fail with ESPIPE otherwise
/// @returns 0 when all bytes are written, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity as write(), once for each part that the descriptor accepts
/// @thread_safety any thread or fiber, concurrently; the parts of concurrent calls for a stream mix
JOBS_EXPORT Result write_all(int fd, std::span<const std::byte> buffer, const Limits& limits = {},
                             std::int64_t offset = kAtPosition);
/// Creates a stream socket that listens at an address.
///
/// The descriptor is close-on-exec. The address can be used again as soon as the socket is closed
/// (SO_REUSEADDR). A port of 0 selects a free port, which getsockname(2) returns.
///
/// @snippet io.cpp server
///
/// @param address  address to listen at: IPv4, IPv6 or a Unix socket
/// @param size  size of the address in bytes
/// @param backlog  number of connections that wait to be accepted
/// @returns the descriptor of the listening socket, or an error
/// @complexity four system calls that do not block
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result listen(const sockaddr* address, socklen_t size, int backlog = SOMAXCONN);

/// The address of the other end of a connection.
struct Peer {
  /// Address of the family of the listening socket.
  sockaddr_storage address{};
  /// Size of the address in bytes.
  socklen_t size = 0;
};

/// Accepts the next connection of a listening socket, and returns the address of its peer.
///
/// The new descriptor is close-on-exec.
///
/// @snippet io.cpp server
///
/// @param listener  listening socket; becomes non-blocking under epoll
/// @param peer  receives the address if the call succeeds; must live until the call returns
/// @param limits  timeout and stop token
/// @returns the descriptor of the connection, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity about 10 us for the two hand-overs, plus the operation
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result accept(int listener, Peer& peer, const Limits& limits = {});
/// Accepts the next connection of a listening socket.
///
/// The new descriptor is close-on-exec.
///
/// @snippet io.cpp server
///
/// @param listener  listening socket; becomes non-blocking under epoll
/// @param limits  timeout and stop token
/// @returns the descriptor of the connection, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity about 10 us for the two hand-overs, plus the operation
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result accept(int listener, const Limits& limits = {});
/// Connects a socket to an address.
///
/// After a timeout or a stop request, the socket can only be closed.
///
/// @snippet io.cpp client
///
/// @param socket  socket that no other thread uses yet
/// @param address  address of the peer
/// @param size  size of the address in bytes
/// @param limits  timeout and stop token
/// @returns 0, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity about 10 us for the two hand-overs, plus the operation
/// @thread_safety any thread or fiber, concurrently for different sockets
JOBS_EXPORT Result connect(int socket, const sockaddr* address, socklen_t size,
                           const Limits& limits = {});
/// Waits until a descriptor is ready.
///
/// @snippet io.cpp poll
///
/// @param fd  descriptor
/// @param events  events to wait for: POLLIN, POLLOUT, ...
/// @param limits  timeout and stop token
/// @returns the events that have occurred, POLLERR and POLLHUP included, or an error
/// @throws Error(kNoStack), and at the first use Error(kBadEnvironment) or std::system_error
/// @complexity about 10 us for the two hand-overs
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result poll(int fd, short events, const Limits& limits = {});

/// Opens a file: open(2) by jobs::blocking(), with O_CLOEXEC.
///
/// @snippet io.cpp file
///
/// @param path  path of the file
/// @param flags  flags of open(2); O_CLOEXEC is added
/// @param mode  permissions of a new file
/// @returns the descriptor, or an error
/// @throws Error(kNoStack), or std::system_error if no thread can be started
/// @complexity one system call on a thread of jobs::blocking()
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result open(const char* path, int flags, mode_t mode = 0);
/// Closes a descriptor: close(2) by jobs::blocking().
///
/// @param fd  descriptor without waiters
/// @returns 0, or an error
/// @throws Error(kNoStack), or std::system_error if no thread can be started
/// @complexity one system call on a thread of jobs::blocking()
/// @thread_safety any thread or fiber, concurrently for different descriptors
JOBS_EXPORT Result close(int fd);
/// Writes a file's data to its device: fsync(2) by jobs::blocking().
///
/// @param fd  descriptor of a file
/// @returns 0, or an error
/// @throws Error(kNoStack), or std::system_error if no thread can be started
/// @complexity one system call on a thread of jobs::blocking()
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT Result fsync(int fd);

/// The kernel interfaces.
enum class Backend : std::uint8_t {
  kIoUring,  ///< io_uring, for all operations
  kEpoll     ///< epoll for descriptors that it supports, jobs::blocking() for files
};
/// Returns the kernel interface that this process uses.
///
/// The first use of jobs::io decides: the environment variable JOBS_IO, otherwise io_uring if the
/// kernel allows it.
///
/// @returns the kernel interface
/// @throws at the first use Error(kBadEnvironment) or std::system_error
/// @complexity one load after the first use
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT Backend backend();

}  // namespace jobs::inline JOBS_ABI::io
