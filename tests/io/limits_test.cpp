// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::io: limits of operations whose descriptor is ready, or looks so, and that cannot go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>

#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/io/io.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

namespace io = jobs::io;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class IoLimits : public jobs::test::WithWorkers {
 protected:
  void SetUp() override {
    static_cast<void>(io::backend());  // starts its thread, which stays
    WithWorkers::SetUp();
  }
};
JOBS_TEST_IN_ALL_PLACES(IoLimits);

// A socket at a free port of this machine.
class Socket {
 public:
  explicit Socket(int type) : fd_(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(fd_, generic(), size), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&address_); }
  void connect_to(const Socket& peer) const {
    EXPECT_EQ(::connect(fd_, peer.generic(), sizeof peer.address_), 0);
  }
  void send_to(const Socket& peer, const std::string& text) const {
    EXPECT_EQ(::sendto(fd_, text.data(), text.size(), 0, peer.generic(), sizeof peer.address_),
              static_cast<ssize_t>(text.size()));
  }

 private:
  sockaddr_in address_{};
  const int fd_;
};

// A datagram socket without data that poll() always reports by POLLERR: its error queue has an
// entry, and no read takes it.
struct Erroneous {
  explicit Erroneous(int flags) : socket(SOCK_DGRAM | flags), peer(SOCK_DGRAM) {
    const int on = 1;
    EXPECT_EQ(::setsockopt(socket.fd(), IPPROTO_IP, IP_RECVERR, &on, sizeof on), 0);
    // The peer accepts datagrams of its own only, so the kernel refuses the datagram.
    peer.connect_to(peer);
    socket.connect_to(peer);
    EXPECT_EQ(::send(socket.fd(), "x", 1, 0), 1);
    pollfd look{.fd = socket.fd(), .events = 0, .revents = 0};
    EXPECT_EQ(::poll(&look, 1, 60'000), 1);
    EXPECT_EQ(look.revents, POLLERR);
    // The next read would return the pending error.
    EXPECT_TRUE(jobs::test::is_true_in_time([this] { return take_error() == ECONNREFUSED; }));
  }
  int take_error() const {
    int error = 0;
    socklen_t size = sizeof error;
    EXPECT_EQ(::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size), 0);
    return error;
  }
  Socket socket;
  Socket peer;
};

TEST_P(IoLimits, EndAWaitForASocketWithErrorsThatNoReadTakes) {
  run([] {
    for (const int flags : {0, int{SOCK_NONBLOCK}}) {
      const Erroneous ends(flags);
      std::array<std::byte, 4> buffer;
      const auto start = Clock::now();
      EXPECT_TRUE(io::read(ends.socket.fd(), buffer, {.timeout = 5ms}).timed_out());
      EXPECT_GE(Clock::now() - start, 5ms);

      std::stop_source source;
      std::jthread stopper([&] {
        std::this_thread::sleep_for(2ms);
        source.request_stop();
      });
      EXPECT_TRUE(io::read(ends.socket.fd(), buffer, {.stop = source.get_token()}).cancelled());

      jobs::Fiber<> endless([&] { static_cast<void>(io::read(ends.socket.fd(), buffer)); });
      jobs::this_fiber::sleep_for(1ms);
      endless.request_stop();
      EXPECT_THROW(endless.join(), jobs::Cancelled);

      jobs::Fiber<int> reader([&] { return io::read(ends.socket.fd(), buffer).value(); });
      jobs::this_fiber::sleep_for(1ms);
      ends.peer.send_to(ends.socket, "abc");
      EXPECT_EQ(reader.join(), 3);
    }
  });
}

// Under io_uring, the kernel gets the request and its cancellation by one call. The socket looks
// ready, so the kernel puts the request aside for another attempt, and the cancellation misses it.
TEST_P(IoLimits, EndAnOperationThatTheKernelIsAboutToAttemptAgain) {
  run([] {
    for (const int flags : {0, int{SOCK_NONBLOCK}}) {
      const Erroneous ends(flags);
      std::array<std::byte, 4> buffer;
      for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(io::read(ends.socket.fd(), buffer, {.timeout = 0ms}).timed_out());
    }
  });
}

// The number of calls of write(2) by this process, or 0 if the system does not count them. Each
// step of a wait rings the bell of the I/O thread at most once, by a write.
std::uint64_t write_calls() {
  std::ifstream file("/proc/self/io");
  for (std::string name; file >> name;) {
    std::uint64_t value = 0;
    file >> value;
    if (name == "syscw:") return value;
  }
  return 0;
}

TEST_P(IoLimits, PausesBetweenAttemptsIfPollsWaitForNothing) {
  if (write_calls() == 0 || jobs::test::kSanitized)
    GTEST_SKIP() << "needs the kernel's count of writes, without those of a sanitizer";
  run([] {
    for (const int flags : {0, int{SOCK_NONBLOCK}}) {
      const Erroneous ends(flags);
      std::array<std::byte, 4> buffer;
      const auto start = Clock::now();
      const std::uint64_t before = write_calls();
      EXPECT_TRUE(io::read(ends.socket.fd(), buffer, {.timeout = 50ms}).timed_out());
      const std::uint64_t calls = write_calls() - before;
      // Ten rounds without a pause, then at most one per millisecond. A round rings twice.
      const std::chrono::milliseconds most =
          std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - start);
      EXPECT_LE(calls, 2 * (static_cast<std::uint64_t>(most.count()) + 20))
          << most.count() << " ms";
    }
  });
}

TEST_P(IoLimits, EndTheAcceptsThatLoseAConnectionToOneOfThem) {
  run([] {
    const Socket listener(SOCK_STREAM);
    ASSERT_EQ(::listen(listener.fd(), 5), 0);
    constexpr int kAcceptors = 4;
    jobs::Counter done;
    std::stop_source source;
    std::atomic<int> accepted{0}, cancelled{0};
    for (int i = 0; i < kAcceptors; ++i) {
      jobs::spawn(done, [&] {
        const io::Result got = io::accept(listener.fd(), {.stop = source.get_token()});
        cancelled += got.cancelled() ? 1 : 0;
        if (!got.ok()) return;
        ::close(got.value());
        ++accepted;
        source.request_stop();
      });
    }
    jobs::this_fiber::sleep_for(5ms);  // for a program with the fault, in which all must wait
    const Socket client(SOCK_STREAM);
    client.connect_to(listener);
    EXPECT_TRUE(done.wait_for(30s)) << "an accept() is beyond its limits";
    ::shutdown(listener.fd(), SHUT_RD);
    done.wait();
    EXPECT_EQ(accepted, 1);
    EXPECT_EQ(cancelled, kAcceptors - 1);
  });
}

TEST_P(IoLimits, OfAcceptUnderEpollNeedANonBlockingListener) {
  run([] {
    const Socket listener(SOCK_STREAM);
    ASSERT_EQ(::listen(listener.fd(), 5), 0);
    EXPECT_TRUE(io::accept(listener.fd(), {.timeout = 0ms}).timed_out());
    const int expected = io::backend() == io::Backend::kEpoll ? O_NONBLOCK : 0;
    EXPECT_EQ(::fcntl(listener.fd(), F_GETFL) & O_NONBLOCK, expected);
    // The connection itself stays blocking.
    const Socket client(SOCK_STREAM);
    client.connect_to(listener);
    const int connection = io::accept(listener.fd()).value();
    EXPECT_EQ(::fcntl(connection, F_GETFL) & O_NONBLOCK, 0);
    ::close(connection);
  });
}

// A listening Unix socket that accepts no further connection until one is taken from it.
class FullListener {
 public:
  FullListener() : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    // The kernel selects a name that is no file.
    address_.sun_family = AF_UNIX;
    EXPECT_EQ(::bind(fd_, generic(), sizeof address_.sun_family), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &size_), 0);
    EXPECT_EQ(::listen(fd_, 0), 0);
    EXPECT_EQ(::connect(first_, generic(), size_), 0);
    EXPECT_EQ(::connect(second_, generic(), size_), -1);
    EXPECT_EQ(errno, EAGAIN);
  }
  ~FullListener() {
    for (const int fd : {fd_, first_, second_}) ::close(fd);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  io::Result connect(int socket, const io::Limits& limits = {}) const {
    return io::connect(socket, generic(), size_, limits);
  }
  void take_one() const {
    const int connection = ::accept(fd_, nullptr, nullptr);
    EXPECT_GE(connection, 0);
    ::close(connection);
  }

 private:
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&address_); }

  sockaddr_un address_{};
  socklen_t size_ = sizeof address_;
  const int fd_;
  const int first_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int second_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
};

TEST_P(IoLimits, OfConnectHoldForAUnixSocketWhoseListenerIsFull) {
  run([] {
    for (const int flags : {0, int{SOCK_NONBLOCK}}) {
      const auto make = [flags] {
        return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
      };
      const FullListener listener;
      const int late = make(), stopped = make(), interrupted = make(), patient = make();
      const auto start = Clock::now();
      EXPECT_TRUE(listener.connect(late, {.timeout = 5ms}).timed_out());
      EXPECT_GE(Clock::now() - start, 5ms);

      std::stop_source source;
      std::jthread stopper([&] {
        std::this_thread::sleep_for(2ms);
        source.request_stop();
      });
      EXPECT_TRUE(listener.connect(stopped, {.stop = source.get_token()}).cancelled());

      jobs::Fiber<> endless([&] { static_cast<void>(listener.connect(interrupted)); });
      jobs::this_fiber::sleep_for(1ms);
      endless.request_stop();
      EXPECT_THROW(endless.join(), jobs::Cancelled);

      jobs::Fiber<int> client([&] { return listener.connect(patient).value(); });
      jobs::this_fiber::sleep_for(1ms);
      listener.take_one();
      EXPECT_EQ(client.join(), 0);
      EXPECT_EQ(::fcntl(patient, F_GETFL) & O_NONBLOCK, flags);
      for (const int fd : {late, stopped, interrupted, patient}) ::close(fd);
    }
  });
}

}  // namespace
