// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EpollDriver: readiness by epoll, for kernels that deny io_uring. Only the I/O thread calls it.
//
// epoll accepts each descriptor once. All requests for the same descriptor are therefore on one
// list, and the driver registers the union of their events, for one answer at a time.
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <unordered_map>

#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/io/driver.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace {

class EpollDriver final : public Driver {
 public:
  explicit EpollDriver(int bell) : bell_(bell), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = bell}};
    if (epoll_.get() < 0 || epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, bell, &event) != 0) {
      refuse_descriptor("epoll");
    }
    waiting_.reserve(1'000);
  }

  void start(Request& request) override {
    // First a poll without waiting. Descriptors that are ready need no list; neither do descriptors
    // that epoll does not accept, such as files.
    pollfd look{.fd = request.fd, .events = request.events, .revents = 0};
    if (::poll(&look, 1, 0) > 0) {
      complete(request, (look.revents & POLLNVAL) != 0 ? -EBADF : look.revents);
      return;
    }
    try {
      Request*& first = waiting_[request.fd];
      request.next = first;
      first = &request;
    } catch (const std::bad_alloc&) {
      complete(request, -ENOMEM);
      return;
    }
    if (const int error = watch(request.fd, &request); error != 0) {
      remove(request);
      complete(request, -error);
    }
  }

  void cancel(Request& request) override {
    remove(request);
    complete(request, -ECANCELED);
  }

  void wait() override {
    std::array<epoll_event, 64> events;
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0 && errno != EINTR)
      os::fatal_error("jobs::io: the kernel refuses epoll_wait() (" +
                      std::generic_category().message(errno) + ")\n");
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == bell_) {
        std::uint64_t rings = 0;
        [[maybe_unused]] const ssize_t got = ::read(bell_, &rings, sizeof rings);
      } else {
        serve(event.data.fd, event.events);
      }
    }
  }

 private:
  // Returns 0 or the value of errno.
  int watch(int fd, const Request* first) {
    epoll_event event{.events = EPOLLONESHOT, .data = {.fd = fd}};
    for (; first != nullptr; first = first->next)
      event.events |= static_cast<std::uint32_t>(first->events);
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) return 0;
    if (errno != ENOENT) return errno;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
  }

  void serve(int fd, std::uint32_t ready) {
    const auto found = waiting_.find(fd);
    if (found == waiting_.end()) return;
    Request* remaining = found->second;
    Request* done = nullptr;
    found->second = nullptr;
    while (remaining != nullptr) {
      Request& request = *remaining;
      remaining = request.next;
      const std::uint32_t seen =
          ready & (static_cast<std::uint32_t>(request.events) | EPOLLERR | EPOLLHUP);
      Request*& list = seen != 0 ? done : found->second;
      request.result = static_cast<int>(seen);
      request.next = list;
      list = &request;
    }
    keep_or_forget(fd);
    while (done != nullptr) {
      Request& request = *done;
      done = request.next;
      complete(request, request.result);
    }
  }

  void remove(Request& request) {
    Request** link = &waiting_[request.fd];
    while (*link != &request) link = &(*link)->next;
    *link = request.next;
    keep_or_forget(request.fd);
  }

  void keep_or_forget(int fd) {
    const auto found = waiting_.find(fd);
    if (found->second != nullptr) {
      watch(fd, found->second);
      return;
    }
    waiting_.erase(found);
    // Fails if the descriptor was closed, which has the same effect.
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  }

  const int bell_;
  const OwnedDescriptor epoll_;
  // The first request that waits for each descriptor.
  std::unordered_map<int, Request*, std::hash<int>, std::equal_to<int>,
                     jobs::detail::HeapAllocator<std::pair<const int, Request*>>>
      waiting_;
};

}  // namespace

std::unique_ptr<Driver> make_epoll_driver(int bell) { return std::make_unique<EpollDriver>(bell); }

}  // namespace jobs::inline JOBS_ABI::io::detail
