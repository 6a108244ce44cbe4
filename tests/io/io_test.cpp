// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::io. The program runs once per backend: JOBS_IO.
#include "jobs/io/io.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/with_workers.hpp"

namespace {

namespace io = jobs::io;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Two connected descriptors.
struct Ends {
  ~Ends() {
    for (const int fd : fds) {
      if (fd >= 0) ::close(fd);
    }
  }
  void close_read() { ::close(std::exchange(fds[0], -1)); }
  void close_write() { ::close(std::exchange(fds[1], -1)); }
  int reads() const { return fds[0]; }
  int writes() const { return fds[1]; }
  int fds[2] = {-1, -1};
};
struct Pipe : Ends {
  explicit Pipe(int flags = 0) { EXPECT_EQ(::pipe2(fds, flags | O_CLOEXEC), 0); }
};
struct Sockets : Ends {
  explicit Sockets(int flags = 0) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, fds), 0);
  }
};

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

io::Result write_text(int fd, std::string_view text) { return io::write(fd, bytes(text)); }

// Returns the result of one read; "error ..." if the read fails.
std::string read_text(int fd, const io::Limits& limits = {},
                      std::int64_t offset = io::kAtPosition) {
  std::array<std::byte, 64> buffer;
  const io::Result got = io::read(fd, buffer, limits, offset);
  if (!got.ok()) return "error " + std::to_string(got.error().value());
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(got.value())};
}

class Io : public jobs::test::WithWorkers {
 protected:
  void SetUp() override {
    static_cast<void>(io::backend());  // starts its thread, which stays
    WithWorkers::SetUp();
  }
};
JOBS_TEST_IN_ALL_PLACES(Io);

TEST_P(Io, UsesTheBackendThatWasAskedFor) {
  const char* const wanted = std::getenv("JOBS_IO");
  if (wanted == nullptr) GTEST_SKIP() << "none was";
  EXPECT_EQ(io::backend() == io::Backend::kEpoll, std::string_view(wanted) == "epoll");
}

TEST_P(Io, CarriesBytesThroughPipesAndSockets) {
  run([] {
    Pipe pipe, nonblocking_pipe(O_NONBLOCK);
    Sockets sockets, nonblocking_sockets(SOCK_NONBLOCK);
    for (Ends* ends :
         std::initializer_list<Ends*>{&pipe, &nonblocking_pipe, &sockets, &nonblocking_sockets}) {
      jobs::Fiber<std::string> reader([ends] { return read_text(ends->reads()); });  // waits first
      jobs::this_fiber::sleep_for(1ms);
      EXPECT_EQ(write_text(ends->writes(), "hello").value(), 5);
      EXPECT_EQ(reader.join(), "hello");
      EXPECT_EQ(write_text(ends->writes(), "there").value(), 5);
      EXPECT_EQ(read_text(ends->reads()), "there");  // the data is there already
      jobs::Fiber<std::string> last([ends] { return read_text(ends->reads()); });
      jobs::this_fiber::sleep_for(1ms);
      ends->close_write();
      EXPECT_EQ(last.join(), "");
    }
  });
}

TEST_P(Io, CarriesMoreThanFitsIntoAPipe) {
  run([] {
    constexpr std::size_t kSize = 1'000'000;
    for (const int flags : {0, O_NONBLOCK}) {
      Pipe pipe(flags);
      const std::vector<std::byte> sent(kSize, std::byte{7});
      jobs::Fiber<> writer([&] {
        for (std::size_t done = 0; done < kSize;) {
          done += static_cast<std::size_t>(
              io::write(pipe.writes(), std::span(sent).subspan(done)).value());
        }
        pipe.close_write();
      });
      std::vector<std::byte> received, buffer(50'000);
      for (int got; (got = io::read(pipe.reads(), buffer).value()) > 0;) {
        received.insert(received.end(), buffer.begin(), buffer.begin() + got);
      }
      writer.join();
      EXPECT_EQ(received, sent);
    }
  });
}

TEST_P(Io, WritesAllAndReadsAll) {
  run([] {
    constexpr std::size_t kSize = 1'000'000;  // more than fits into a pipe or a socket
    std::vector<std::byte> sent(kSize);
    for (std::size_t i = 0; i < kSize; ++i) sent[i] = static_cast<std::byte>(i % 251);
    Pipe pipe, nonblocking_pipe(O_NONBLOCK);
    Sockets sockets, nonblocking_sockets(SOCK_NONBLOCK);
    for (Ends* ends :
         std::initializer_list<Ends*>{&pipe, &nonblocking_pipe, &sockets, &nonblocking_sockets}) {
      jobs::Fiber<> writer([&] { EXPECT_EQ(io::write_all(ends->writes(), sent).value(), 0); });
      std::vector<std::byte> received(kSize);
      EXPECT_EQ(io::read_all(ends->reads(), received).value(), static_cast<int>(kSize));
      writer.join();
      EXPECT_EQ(received, sent);
      EXPECT_TRUE(io::read_all(ends->reads(), received, {.timeout = 2ms}).timed_out());
      EXPECT_TRUE(write_text(ends->writes(), "the end"));
      ends->close_write();
      EXPECT_EQ(io::read_all(ends->reads(), received).value(), 7);
      EXPECT_EQ(io::read_all(ends->reads(), received).value(), 0);
    }
    Pipe full;
    EXPECT_TRUE(io::write_all(full.writes(), sent, {.timeout = 2ms}).timed_out());
    full.close_read();
    EXPECT_EQ(io::write_all(full.writes(), sent).error(), std::errc::broken_pipe);
  });
}

TEST_P(Io, WritesAllAndReadsAllAtAnOffset) {
  run([] {
    std::string path = testing::TempDir() + "jobs_io_XXXXXX";
    const int fd = ::mkstemp(path.data());
    EXPECT_TRUE(io::write_all(fd, bytes("one two"), {}, 4));
    std::array<std::byte, 20> buffer;
    EXPECT_EQ(io::read_all(fd, buffer, {}, 8).value(), 3);
    EXPECT_EQ(std::memcmp(buffer.data(), "two", 3), 0);
    EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), 0) << "the position of the file moved";
    ::close(fd);
    ::unlink(path.c_str());
    EXPECT_EQ(io::write_all(fd, bytes("x")).error(), std::errc::bad_file_descriptor);
    EXPECT_EQ(io::read_all(fd, buffer).error(), std::errc::bad_file_descriptor);
    EXPECT_EQ(io::write_all(fd, {}).value(), 0);
    EXPECT_EQ(io::read_all(fd, {buffer.data(), std::size_t{1} << 31}).error(),
              std::errc::invalid_argument);
  });
}

TEST_P(Io, RefusesAnOffsetOfAStream) {
  run([] {
    const io::Limits brief{.timeout = 10ms};
    Pipe pipe, nonblocking_pipe(O_NONBLOCK);
    Sockets sockets, nonblocking_sockets(SOCK_NONBLOCK);
    for (Ends* ends :
         std::initializer_list<Ends*>{&pipe, &nonblocking_pipe, &sockets, &nonblocking_sockets}) {
      EXPECT_TRUE(write_text(ends->writes(), "hello"));
      std::array<std::byte, 8> buffer;
      for (const int offset : {0, 3}) {
        EXPECT_EQ(io::read(ends->reads(), buffer, brief, offset).error(), std::errc::invalid_seek);
        EXPECT_EQ(io::read_all(ends->reads(), buffer, brief, offset).error(),
                  std::errc::invalid_seek);
        EXPECT_EQ(io::write(ends->writes(), bytes("x"), brief, offset).error(),
                  std::errc::invalid_seek);
        EXPECT_EQ(io::write_all(ends->writes(), bytes("x"), brief, offset).error(),
                  std::errc::invalid_seek);
      }
      if (HasFailure()) return;  // the next read may wait for ever
      EXPECT_EQ(read_text(ends->reads()), "hello") << "nothing was read or written";
    }
  });
}

TEST_P(Io, ReadsAndWritesFiles) {
  run([] {
    std::string path = testing::TempDir() + "jobs_io_XXXXXX";
    ::close(::mkstemp(path.data()));
    const int fd = io::open(path.c_str(), O_RDWR).value();
    EXPECT_EQ(write_text(fd, "one two").value(), 7);
    EXPECT_EQ(io::write(fd, bytes("TWO"), {}, 4).value(), 3);
    EXPECT_EQ(read_text(fd), "") << "its position is at the end";
    EXPECT_EQ(read_text(fd, {}, 0), "one TWO");
    EXPECT_EQ(read_text(fd, {}, 4), "TWO");
    EXPECT_EQ(read_text(fd, {.timeout = 1h}, 100), "");
    EXPECT_TRUE(io::fsync(fd));
    EXPECT_TRUE(io::poll(fd, POLLIN).value() & POLLIN) << "files are always ready";
    EXPECT_TRUE(io::close(fd));
    ::unlink(path.c_str());
    EXPECT_EQ(io::open(path.c_str(), O_RDWR).error(), std::errc::no_such_file_or_directory);
  });
}

TEST_P(Io, EndsWhenItsFiberIsAskedToStop) {
  run([] {
    Pipe empty;
    jobs::Fiber<> reader([&] {
      read_text(empty.reads());
      ADD_FAILURE() << "the wait did not end by an exception";
    });
    std::this_thread::sleep_for(1ms);
    reader.request_stop();
    EXPECT_THROW(reader.join(), jobs::Cancelled);
    EXPECT_THROW(jobs::cancel_after(2ms, [&] { read_text(empty.reads()); }), jobs::Cancelled);
    EXPECT_TRUE(write_text(empty.writes(), "later"));
    EXPECT_EQ(read_text(empty.reads()), "later") << "nobody reads any more";
  });
}

TEST_P(Io, WaitsForTheEndOfAProcess) {
  run([] {
    pid_t child = 0;
    const std::array<const char*, 3> command{"sleep", "0.01", nullptr};
    ASSERT_EQ(::posix_spawnp(&child, command[0], nullptr, nullptr,
                             const_cast<char**>(command.data()), environ),
              0);
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (process < 0) GTEST_SKIP() << "no pidfd_open() here";
    EXPECT_EQ(io::poll(process, POLLIN).value(), POLLIN);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, WNOHANG), child);
    EXPECT_EQ(status, 0);
    ::close(process);
  });
}

TEST_P(Io, AcceptsAndConnects) {
  run([] {
    static std::atomic<int> count{0};
    // A name that begins with 0 is no file.
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string name =
        "jobs_io_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    for (const int flags : {0, int{SOCK_NONBLOCK}}) {
      const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
      ASSERT_EQ(::bind(listener, generic, sizeof address), 0);
      ASSERT_EQ(::listen(listener, 5), 0);
      EXPECT_TRUE(io::accept(listener, {.timeout = 2ms}).timed_out());
      jobs::Fiber<std::string> server([listener] {
        const int connection = io::accept(listener).value();
        std::string text = read_text(connection);
        ::close(connection);
        return text;
      });
      const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
      EXPECT_TRUE(io::connect(client, generic, sizeof address));
      EXPECT_TRUE(write_text(client, "hello"));
      EXPECT_EQ(server.join(), "hello");
      ::close(client);
      ::close(listener);
      const int late = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
      EXPECT_EQ(io::connect(late, generic, sizeof address).error(), std::errc::connection_refused);
      ::close(late);
    }
  });
}

TEST_P(Io, ListensAndReturnsThePeersAddress) {
  run([] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const int listener = io::listen(generic, size).value();
    ASSERT_EQ(::getsockname(listener, generic, &size), 0);
    ASSERT_NE(address.sin_port, 0);
    EXPECT_EQ(io::listen(generic, size).error(), std::errc::address_in_use);

    for (const int flags : {0, int{SOCK_NONBLOCK}}) {
      ASSERT_EQ(::fcntl(listener, F_SETFL, flags), 0);
      io::Peer peer;
      EXPECT_TRUE(io::accept(listener, peer, {.timeout = 2ms}).timed_out());
      jobs::Fiber<int> server([&] { return io::accept(listener, peer).value(); });
      const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      EXPECT_TRUE(io::connect(client, generic, size));
      ::close(server.join());
      sockaddr_in own{};
      socklen_t own_size = sizeof own;
      ASSERT_EQ(::getsockname(client, reinterpret_cast<sockaddr*>(&own), &own_size), 0);
      EXPECT_EQ(peer.size, own_size);
      EXPECT_EQ(std::memcmp(&peer.address, &own, own_size), 0);
      ::close(client);
    }
    ::close(listener);
    // The connections of the closed listener do not keep the address from being used again.
    const int again = io::listen(generic, size).value();
    ::close(again);
    address.sin_addr.s_addr = htonl(0x01020304);  // not an address of this machine
    EXPECT_EQ(io::listen(generic, size).error(), std::errc::address_not_available);
  });
}

TEST_P(Io, GivesUpAtTheTimeoutAndLeavesTheData) {
  run([] {
    Pipe pipe;
    Sockets sockets;
    for (Ends* ends : std::initializer_list<Ends*>{&pipe, &sockets}) {
      const auto start = Clock::now();
      std::array<std::byte, 1> buffer;
      EXPECT_TRUE(io::read(ends->reads(), buffer, {.timeout = 5ms}).timed_out());
      EXPECT_GE(Clock::now() - start, 5ms);
      EXPECT_TRUE(io::poll(ends->reads(), POLLIN, {.timeout = 1ms}).timed_out());
      EXPECT_TRUE(io::read(ends->reads(), buffer, {.timeout = 0ms}).timed_out());
      EXPECT_TRUE(io::read(ends->reads(), buffer, {.timeout = -1h}).timed_out());
      EXPECT_TRUE(write_text(ends->writes(), "abc"));
      EXPECT_EQ(io::poll(ends->reads(), POLLIN, {.timeout = 0ms}).value(), POLLIN);
      EXPECT_EQ(read_text(ends->reads(), {.timeout = 1h}), "abc");
    }
  });
}

TEST_P(Io, EndsWhenItIsStopped) {
  run([] {
    Pipe pipe;
    std::array<std::byte, 1> buffer;
    std::stop_source source;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(2ms);
      source.request_stop();
    });
    EXPECT_TRUE(io::read(pipe.reads(), buffer, {.stop = source.get_token()}).cancelled());
    EXPECT_TRUE(io::read(pipe.reads(), buffer, {.stop = source.get_token()}).cancelled())
        << "stopped before";
    EXPECT_TRUE(
        io::poll(pipe.reads(), POLLIN, {.timeout = 1h, .stop = source.get_token()}).cancelled());
    jobs::Fiber<bool> fiber([&](std::stop_token stop) {
      try {
        return io::poll(pipe.reads(), POLLIN, {.stop = stop}).cancelled();
      } catch (const jobs::Cancelled&) {
        // A stop interrupts any wait of the fiber; the fiber may see it before its token does.
        return true;
      }
    });
    fiber.request_stop();
    EXPECT_TRUE(fiber.join());
  });
}

TEST_P(Io, RacesDataWithTimeouts) {
  run([] {
    Pipe pipe;
    int received = 0, sent = 0;
    std::atomic<bool> stop{false};
    std::jthread outside([&] {
      for (int i = 0; i < 300; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(i));
        sent += static_cast<int>(::write(pipe.writes(), "x", 1));
      }
      stop = true;
    });
    std::array<std::byte, 1> buffer;
    for (bool last = false; !last;) {
      last = stop;
      for (;;) {
        const io::Result got = io::read(pipe.reads(), buffer, {.timeout = 150us});
        if (got.timed_out()) break;
        received += got.value();
      }
    }
    EXPECT_EQ(received, sent) << "a byte was lost by a read that timed out";
  });
}

TEST_P(Io, SaysWhatIsWrong) {
  run([] {
    std::array<std::byte, 1> buffer;
    EXPECT_EQ(io::read(-1, buffer).error(), std::errc::bad_file_descriptor);
    EXPECT_EQ(io::write(-1, buffer).error(), std::errc::bad_file_descriptor);
    EXPECT_EQ(io::poll(1'000'000, POLLIN).error(), std::errc::bad_file_descriptor);
    EXPECT_THROW(io::accept(-1).value(), std::system_error);
    Pipe pipe;
    EXPECT_EQ(io::accept(pipe.reads(), {.timeout = 1ms}).error(), std::errc::not_a_socket);
    EXPECT_EQ(io::read(pipe.writes(), buffer, {.timeout = 1ms}).error(),
              std::errc::bad_file_descriptor);
  });
}

TEST_P(Io, ManyWaitAtOnce) {
  run([] {
    constexpr int kPipes = 200;
    std::vector<Pipe> pipes(kPipes);
    jobs::Counter done;
    std::atomic<int> sum{0};
    for (Pipe& pipe : pipes) {
      jobs::spawn(done, [&pipe, &sum] {
        std::array<std::byte, 1> byte;
        for (int i = 0; i < 5; ++i) sum += io::read(pipe.reads(), byte).value();
      });
    }
    for (int round = 0; round < 5; ++round) {
      for (auto pipe = pipes.rbegin(); pipe != pipes.rend(); ++pipe)
        EXPECT_TRUE(write_text(pipe->writes(), "x"));
    }
    done.wait();
    EXPECT_EQ(sum, 5 * kPipes);
  });
}

TEST_P(Io, ReadersAndWritersShareADescriptor) {
  run([] {
    Sockets sockets;
    jobs::Counter done;
    std::atomic<int> received{0};
    for (int i = 0; i < 5; ++i) {
      jobs::spawn(done, [&] {
        std::array<std::byte, 1> byte;
        for (int k = 0; k < 20; ++k) received += io::read(sockets.reads(), byte).value();
      });
    }
    EXPECT_TRUE(io::poll(sockets.reads(), POLLIN | POLLOUT).value() & POLLOUT)
        << "writable, while others wait to read";
    for (int k = 0; k < 100; ++k) EXPECT_TRUE(write_text(sockets.writes(), "x"));
    done.wait();
    EXPECT_EQ(received, 100);
  });
}

TEST_P(Io, TheWorkerNeverBlocks) {
  if (is_external() || GetParam().workers != 1 || jobs::test::kSanitized)
    GTEST_SKIP() << "of one worker, without sanitizers";
  // Each time a worker blocks in the kernel, the reason must be a lack of work.
  const auto sleeps = [] {
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  run([&] {
    Pipe there, back;
    jobs::Fiber<> echo([&] {
      for (std::string text; !(text = read_text(there.reads())).empty();)
        EXPECT_TRUE(write_text(back.writes(), text));
    });
    const auto parks_before = scheduler().stats().parks;
    const auto sleeps_before = sleeps();
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(write_text(there.writes(), "x"));
      EXPECT_EQ(read_text(back.reads()), "x");
    }
    const auto slept = sleeps() - sleeps_before;
    const auto parked = scheduler().stats().parks - parks_before;
    EXPECT_LE(slept, static_cast<long>(parked) + 2);
    there.close_write();
    echo.join();
  });
}

TEST_P(Io, ReportsAClosedPipeByAnErrorWithoutASignal) {
  run([] {
    // SIGPIPE has its default action, which would end the program.
    Pipe pipe, nonblocking_pipe(O_NONBLOCK);
    Sockets sockets;
    for (Ends* ends : std::initializer_list<Ends*>{&pipe, &nonblocking_pipe, &sockets}) {
      ends->close_read();
      EXPECT_EQ(write_text(ends->writes(), "x").error(), std::errc::broken_pipe);
    }
    sigset_t pending;
    EXPECT_EQ(::sigpending(&pending), 0);
    EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
  });
}

}  // namespace
