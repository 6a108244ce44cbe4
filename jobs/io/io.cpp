// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of jobs::io. Any fiber or external thread calls them.
//
// Under io_uring, each call is one request. If the descriptor is non-blocking, the kernel may
// answer "not now" instead of waiting; then a poll request comes before the next attempt. Under
// epoll, each call is an attempt that cannot block, followed by a poll before the next attempt.
#include "jobs/io/io.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "jobs/base/deadline.hpp"
#include "jobs/blocking.hpp"
#include "jobs/io/engine.hpp"
#include "jobs/this_fiber.hpp"

namespace jobs::inline JOBS_ABI::io {

namespace {

using detail::Engine;
using detail::Request;
using detail::WaitLimit;

// The maximum that the kernel transfers by one call.
constexpr std::size_t kMaxBytes = 0x7ffff000;

// The result of a system call in the kernel's form: a value of 0 or more, or -errno.
int raw(ssize_t returned) noexcept { return returned < 0 ? -errno : static_cast<int>(returned); }
bool is_not_now(int result) noexcept {
  return result == -EAGAIN || result == -EWOULDBLOCK || result == -EINTR;
}

int wait_ready(int fd, short events, const WaitLimit& until) {
  Request request(Request::Kind::kPoll, fd);
  request.events = events;
  return Engine::instance().perform(request, until);
}

// Returns 0, or the error of an operation at its limits.
int check_limits(const WaitLimit& until) {
  if (until.stop.stop_requested()) return -ECANCELED;
  return until.deadline <= os::now() ? -ETIMEDOUT : 0;
}

// Sleeps between two attempts that no poll can separate. A stop request is seen after the pause.
void pause_before_attempt(const WaitLimit& until) {
  constexpr os::Nanoseconds kPause = 1'000'000;
  jobs::detail::sleep_until(std::min(os::now() + kPause, until.deadline));
}

// Repeats attempt() until its result differs from "not now". Waits for `events` before each further
// attempt.
//
// A poll also ends if the descriptor has an error, even if the attempt does not take the error: a
// socket with an entry in its error queue (IP_RECVERR) is always ready. Therefore each round checks
// the limits, and pauses after kPolls rounds. A reader that loses the data to other readers needs a
// few rounds.
template <class Attempt>
int persist(int fd, short events, const WaitLimit& until, Attempt&& attempt) {
  constexpr int kPolls = 10;
  for (int polls = 0;; ++polls) {
    const int result = attempt();
    if (!is_not_now(result)) return result;
    if (const int error = check_limits(until); error != 0) return error;
    if (polls >= kPolls) pause_before_attempt(until);
    const int ready = wait_ready(fd, events, until);
    if (ready < 0) return ready;
  }
}

// A write to a pipe without readers raises SIGPIPE on the calling thread, which may be a thread of
// the program. The guard keeps the signal from the thread, so that EPIPE alone reports the error,
// as io_uring does.
class PipeSignalGuard {
 public:
  PipeSignalGuard() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalGuard() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

  // The write has failed by EPIPE: takes its signal, which is pending on this thread.
  void take_signal() noexcept {
    const timespec at_once{};
    while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
};

// As `attempt()`, a write, in the kernel's form and without SIGPIPE.
template <class Attempt>
int raw_write(Attempt&& attempt) noexcept {
  PipeSignalGuard guard;
  const int result = raw(attempt());
  if (result == -EPIPE) guard.take_signal();
  return result;
}

// epoll treats files as always ready.
bool is_file(const struct stat& status) noexcept {
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode);
}
bool may_block(int fd) noexcept { return (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0; }

// `now(flags)` is one preadv2() or pwritev2(). `at_once()` is the non-blocking form for sockets.
// `plain()` is the call for descriptors without such a form. All return results in the kernel's
// form.
template <class Now, class AtOnce, class Plain>
int transfer_by_epoll(int fd, short events, const WaitLimit& until, Now&& now, AtOnce&& at_once,
                      Plain&& plain) {
  struct stat status;
  if (fstat(fd, &status) != 0) return -errno;
  if (is_file(status)) return blocking([&] { return now(0); });
  if (S_ISSOCK(status.st_mode)) return persist(fd, events, until, at_once);
  const int result = persist(fd, events, until, [&] { return now(RWF_NOWAIT); });
  if (result != -EOPNOTSUPP) return result;
  if (!may_block(fd)) return persist(fd, events, until, plain);
  const int ready = wait_ready(fd, events, until);
  return ready < 0 ? ready : blocking(plain);
}

// io_uring ignores the offset of a pipe, and of a socket if it is 0. The kernel refuses preadv() of
// a stream first, also if the descriptor is only for writing. Without bytes to read, the call never
// waits. Other errors are left to the operation.
bool is_stream(int fd) { return preadv(fd, nullptr, 0, 0) < 0 && errno == ESPIPE; }

int transfer(Request::Kind kind, int fd, std::byte* data, std::size_t size, std::int64_t offset,
             const WaitLimit& until) {
  size = std::min(size, kMaxBytes);
  const bool reads = kind == Request::Kind::kRead;
  const short events = reads ? POLLIN : POLLOUT;
  const bool has_offset = offset != kAtPosition;
  if (has_offset && is_stream(fd)) return -ESPIPE;
  Engine& engine = Engine::instance();
  if (engine.backend() == Backend::kIoUring) {
    return persist(fd, events, until, [&] {
      Request request(kind, fd);
      request.data = data;
      request.size = static_cast<std::uint32_t>(size);
      request.offset = offset;
      return engine.perform(request, until);
    });
  }
  const iovec part{.iov_base = data, .iov_len = size};
  return transfer_by_epoll(
      fd, events, until,
      [&](int flags) {
        return reads ? raw(preadv2(fd, &part, 1, offset, flags))
                     : raw_write([&] { return pwritev2(fd, &part, 1, offset, flags); });
      },
      [&] {
        return raw(reads ? recv(fd, data, size, MSG_DONTWAIT)
                         : send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL));
      },
      // A pipe that is ready accepts PIPE_BUF bytes without blocking.
      [&] {
        if (reads)
          return raw(has_offset ? ::pread(fd, data, size, offset) : ::read(fd, data, size));
        const std::size_t part_size = std::min<std::size_t>(size, PIPE_BUF);
        return raw_write([&] {
          return has_offset ? ::pwrite(fd, data, part_size, offset) : ::write(fd, data, part_size);
        });
      });
}

// Waits for the end of a non-blocking connect() and returns its result.
int finish_connect(int socket, const WaitLimit& until) {
  const int ready = wait_ready(socket, POLLOUT, until);
  if (ready < 0) return ready;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return -errno;
  return -error;
}

int connect_by_epoll(int socket, const sockaddr* address, socklen_t size) {
  // No flag makes a single connect() non-blocking, so the descriptor's flag changes for its
  // duration. No other thread uses the socket yet.
  const int flags = fcntl(socket, F_GETFL);
  if (flags < 0) return -errno;
  if ((flags & O_NONBLOCK) == 0) fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  const int result = raw(::connect(socket, address, size));
  if ((flags & O_NONBLOCK) == 0) fcntl(socket, F_SETFL, flags);
  return result;
}

int begin_connect(int socket, const sockaddr* address, socklen_t size, const WaitLimit& until) {
  Engine& engine = Engine::instance();
  if (engine.backend() != Backend::kIoUring) return connect_by_epoll(socket, address, size);
  Request request(Request::Kind::kConnect, socket);
  request.data = const_cast<sockaddr*>(address);  // only read
  request.size = size;
  return engine.perform(request, until);
}

// The position of the rest of a transfer.
std::int64_t offset_after(std::int64_t offset, std::size_t done) noexcept {
  return offset == kAtPosition ? kAtPosition : offset + static_cast<std::int64_t>(done);
}

// Fixes the deadline at the call, for all steps of the operation.
struct Fixed {
  explicit Fixed(const Limits& limits)
      : until{jobs::detail::to_deadline(limits.timeout), limits.stop} {}
  const WaitLimit until;
};

// Accepts a connection, and stores the address of the peer unless `peer` is null.
Result accept_from(int listener, sockaddr* peer, socklen_t* peer_size, const Limits& limits) {
  const Fixed at(limits);
  Engine& engine = Engine::instance();
  const auto plain = [&] { return raw(accept4(listener, peer, peer_size, SOCK_CLOEXEC)); };
  if (engine.backend() == Backend::kIoUring) {
    return Result(persist(listener, POLLIN, at.until, [&] {
      Request request(Request::Kind::kAccept, listener);
      request.data = peer;
      request.address_size = peer_size;
      return engine.perform(request, at.until);
    }));
  }
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) return Result(-errno);
  if (listens == 0) return Result(-EINVAL);
  // Another thread or process may take the connection between the poll and accept4(), which has no
  // flag for a single non-blocking call. The listener stays non-blocking: a thread that made it
  // blocking again would block the accept4() of another thread.
  int on = 1;
  if (may_block(listener) && ::ioctl(listener, FIONBIO, &on) != 0) return Result(-errno);
  return Result(persist(listener, POLLIN, at.until, plain));
}

}  // namespace

Result read(int fd, std::span<std::byte> buffer, const Limits& limits, std::int64_t offset) {
  const Fixed at(limits);
  return Result(transfer(Request::Kind::kRead, fd, buffer.data(), buffer.size(), offset, at.until));
}

Result write(int fd, std::span<const std::byte> buffer, const Limits& limits, std::int64_t offset) {
  const Fixed at(limits);
  // iovec needs a pointer to non-const; the buffer is only read.
  auto* const data = const_cast<std::byte*>(buffer.data());
  return Result(transfer(Request::Kind::kWrite, fd, data, buffer.size(), offset, at.until));
}

Result read_all(int fd, std::span<std::byte> buffer, const Limits& limits, std::int64_t offset) {
  if (buffer.size() > kMaxBytes) return Result(-EINVAL);
  const Fixed at(limits);
  std::size_t done = 0;
  while (done < buffer.size()) {
    const int got = transfer(Request::Kind::kRead, fd, buffer.data() + done, buffer.size() - done,
                             offset_after(offset, done), at.until);
    if (got < 0) return Result(got);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return Result(static_cast<int>(done));
}

Result write_all(int fd, std::span<const std::byte> buffer, const Limits& limits,
                 std::int64_t offset) {
  const Fixed at(limits);
  auto* const data = const_cast<std::byte*>(buffer.data());  // only read
  for (std::size_t done = 0; done < buffer.size();) {
    const int written = transfer(Request::Kind::kWrite, fd, data + done, buffer.size() - done,
                                 offset_after(offset, done), at.until);
    if (written <= 0) return Result(written < 0 ? written : -EIO);  // 0 would repeat for ever
    done += static_cast<std::size_t>(written);
  }
  return Result(0);
}

Result listen(const sockaddr* address, socklen_t size, int backlog) {
  const int listener = raw(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (listener < 0) return Result(listener);
  const int on = 1;
  if (::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      ::bind(listener, address, size) == 0 && ::listen(listener, backlog) == 0)
    return Result(listener);
  const int error = -errno;
  ::close(listener);
  return Result(error);
}

Result accept(int listener, const Limits& limits) {
  return accept_from(listener, nullptr, nullptr, limits);
}

Result accept(int listener, Peer& peer, const Limits& limits) {
  peer.size = sizeof peer.address;
  return accept_from(listener, reinterpret_cast<sockaddr*>(&peer.address), &peer.size, limits);
}

Result connect(int socket, const sockaddr* address, socklen_t size, const Limits& limits) {
  const Fixed at(limits);
  for (;;) {
    const int result = begin_connect(socket, address, size, at.until);
    if (result == -EINPROGRESS) return Result(finish_connect(socket, at.until));
    // The backlog of a Unix listener is full. No poll waits for a place in it.
    if (result != -EAGAIN || address->sa_family != AF_UNIX) return Result(result);
    if (const int error = check_limits(at.until); error != 0) return Result(error);
    pause_before_attempt(at.until);
  }
}

Result poll(int fd, short events, const Limits& limits) {
  const Fixed at(limits);
  return Result(wait_ready(fd, events, at.until));
}

Result open(const char* path, int flags, mode_t mode) {
  return Result(blocking([&] { return raw(::open(path, flags | O_CLOEXEC, mode)); }));
}
Result close(int fd) {
  return Result(blocking([fd] { return raw(::close(fd)); }));
}
Result fsync(int fd) {
  return Result(blocking([fd] { return raw(::fsync(fd)); }));
}

Backend backend() { return Engine::instance().backend(); }

}  // namespace jobs::inline JOBS_ABI::io
