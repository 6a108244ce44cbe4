// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Under io_uring every call is one request; if the descriptor does not block, the kernel may answer "not now" instead of waiting, and
// then a poll comes in between. Under epoll every call is an attempt that cannot block, and a poll for the next one.
#include "jobs/io/io.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "jobs/base/deadline.hpp"
#include "jobs/blocking.hpp"
#include "jobs/io/engine.hpp"

namespace jobs::inline JOBS_ABI::io {

namespace {

using detail::Engine;
using detail::Request;
using detail::Until;

// The kernel moves no more than that by one call.
constexpr std::size_t kMaxBytes = 0x7ffff000;

// What a system call returned, as the kernel said it.
int raw(ssize_t returned) noexcept { return returned < 0 ? -errno : static_cast<int>(returned); }
bool is_not_now(int result) noexcept { return result == -EAGAIN || result == -EWOULDBLOCK || result == -EINTR; }

int wait_ready(int fd, short events, const Until& until) {
  Request request(Request::Kind::kPoll, fd);
  request.events = events;
  return Engine::instance().perform(request, until);
}

// Repeats attempt() until it says something else than "not now", with a wait for `events` before the next one.
template <class Attempt>
int persist(int fd, short events, const Until& until, Attempt&& attempt) {
  for (;;) {
    const int result = attempt();
    if (!is_not_now(result)) return result;
    const int ready = wait_ready(fd, events, until);
    if (ready < 0) return ready;
  }
}

// Files are always ready, in the eyes of epoll.
bool is_file(const struct stat& status) noexcept {
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode);
}
bool may_block(int fd) noexcept { return (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0; }

// `now(flags)` is one preadv2() or pwritev2(), `at_once()` its form for sockets, which cannot block; `plain()` is for what has no such
// form.
template <class Now, class AtOnce, class Plain>
int transfer_by_epoll(int fd, short events, const Until& until, Now&& now, AtOnce&& at_once, Plain&& plain) {
  struct stat status;
  if (fstat(fd, &status) != 0) return -errno;
  if (is_file(status)) return blocking([&] { return raw(now(0)); });
  if (S_ISSOCK(status.st_mode)) return persist(fd, events, until, [&] { return raw(at_once()); });
  const int result = persist(fd, events, until, [&] { return raw(now(RWF_NOWAIT)); });
  if (result != -EOPNOTSUPP) return result;
  if (!may_block(fd)) return persist(fd, events, until, [&] { return raw(plain()); });
  const int ready = wait_ready(fd, events, until);
  return ready < 0 ? ready : blocking([&] { return raw(plain()); });
}

int transfer(Request::Kind kind, int fd, std::byte* data, std::size_t size, std::int64_t offset, const Until& until) {
  size = std::min(size, kMaxBytes);
  const bool reads = kind == Request::Kind::kRead;
  const short events = reads ? POLLIN : POLLOUT;
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
      [&](int flags) { return reads ? preadv2(fd, &part, 1, offset, flags) : pwritev2(fd, &part, 1, offset, flags); },
      [&] { return reads ? recv(fd, data, size, MSG_DONTWAIT) : send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL); },
      // So much a pipe takes without blocking once it is ready.
      [&] { return reads ? ::read(fd, data, size) : ::write(fd, data, std::min<std::size_t>(size, PIPE_BUF)); });
}

// The end of a connect() that did not wait.
int finish_connect(int socket, const Until& until) {
  const int ready = wait_ready(socket, POLLOUT, until);
  if (ready < 0) return ready;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return -errno;
  return -error;
}

int connect_by_epoll(int socket, const sockaddr* address, socklen_t size) {
  // There is no flag for a connect() that does not wait; nobody else uses the socket yet.
  const int flags = fcntl(socket, F_GETFL);
  if (flags < 0) return -errno;
  if ((flags & O_NONBLOCK) == 0) fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  const int result = raw(::connect(socket, address, size));
  if ((flags & O_NONBLOCK) == 0) fcntl(socket, F_SETFL, flags);
  return result;
}

// The deadline is fixed at the call, however many steps it takes.
struct Fixed {
  explicit Fixed(const Limits& limits) : until{jobs::detail::to_deadline(limits.timeout), limits.stop} {}
  const Until until;
};

}  // namespace

Result read(int fd, std::span<std::byte> buffer, const Limits& limits, std::int64_t offset) {
  const Fixed at(limits);
  return Result(transfer(Request::Kind::kRead, fd, buffer.data(), buffer.size(), offset, at.until));
}

Result write(int fd, std::span<const std::byte> buffer, const Limits& limits, std::int64_t offset) {
  const Fixed at(limits);
  auto* const data = const_cast<std::byte*>(buffer.data());  // as iovec wants it; only read
  return Result(transfer(Request::Kind::kWrite, fd, data, buffer.size(), offset, at.until));
}

Result accept(int listener, const Limits& limits) {
  const Fixed at(limits);
  Engine& engine = Engine::instance();
  const auto plain = [&] { return raw(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)); };
  if (engine.backend() == Backend::kIoUring) {
    return Result(persist(listener, POLLIN, at.until, [&] {
      Request request(Request::Kind::kAccept, listener);
      return engine.perform(request, at.until);
    }));
  }
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) return Result(-errno);
  if (listens == 0) return Result(-EINVAL);
  if (!may_block(listener)) return Result(persist(listener, POLLIN, at.until, plain));
  const int ready = wait_ready(listener, POLLIN, at.until);
  return Result(ready < 0 ? ready : blocking(plain));  // another may have taken the connection away
}

Result connect(int socket, const sockaddr* address, socklen_t size, const Limits& limits) {
  const Fixed at(limits);
  Engine& engine = Engine::instance();
  int result = 0;
  if (engine.backend() == Backend::kIoUring) {
    Request request(Request::Kind::kConnect, socket);
    request.data = const_cast<sockaddr*>(address);  // only read
    request.size = size;
    result = engine.perform(request, at.until);
  } else {
    result = connect_by_epoll(socket, address, size);
  }
  const bool under_way = result == -EINPROGRESS;
  return Result(under_way ? finish_connect(socket, at.until) : result);
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
