// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The examples of jobs/io: reads, time-outs, a server and its client, files. Returns 0 if each has
// the expected result.
#include "jobs/io/io.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"

namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

bool read_with_timeout() {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const int input = ends[0];
  //! [read]
  std::array<std::byte, 4096> buffer;
  const jobs::io::Result got = jobs::io::read(input, buffer, {.timeout = 10ms});
  if (got.timed_out()) {
    std::puts("no input within 10 ms");
  } else if (got.ok()) {
    std::printf("%d bytes\n", got.value());
  }
  //! [read]
  close(ends[0]);
  close(ends[1]);
  return got.timed_out();
}

bool wait_for_readiness() {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const int input = ends[0];
  static_cast<void>(jobs::io::write(ends[1], bytes_of("x")));
  //! [poll]
  const jobs::io::Result ready = jobs::io::poll(input, POLLIN);
  const bool has_input = ready.ok() && (ready.value() & POLLIN) != 0;
  //! [poll]
  close(ends[0]);
  close(ends[1]);
  return has_input;
}

// A server that answers one client with the bytes that it has received.
bool serve_one_client() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any_address = reinterpret_cast<sockaddr*>(&address);

  jobs::Counter done;
  //! [server]
  const int listener = jobs::io::listen(any_address, size).value();
  jobs::spawn(done, [listener] {
    jobs::io::Peer peer;
    const int client = jobs::io::accept(listener, peer, {.timeout = 5s}).value();
    std::array<std::byte, 5> buffer;
    if (jobs::io::read_all(client, buffer).value() == 5)
      static_cast<void>(jobs::io::write_all(client, buffer).value());
    static_cast<void>(jobs::io::close(client).value());
  });
  //! [server]
  if (getsockname(listener, any_address, &size) != 0) return false;
  std::string answer(5, ' ');
  jobs::spawn(done, [&address, &answer] {
    //! [client]
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    jobs::io::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address,
                      {.timeout = 5s})
        .value();
    static_cast<void>(jobs::io::write_all(server, bytes_of("hello")).value());
    static_cast<void>(
        jobs::io::read_all(server, std::as_writable_bytes(std::span(answer))).value());
    //! [client]
    close(server);
  });
  done.wait();
  close(listener);
  return answer == "hello";
}

bool write_file() {
  char folder[] = "/tmp/jobs_io_XXXXXX";
  if (mkdtemp(folder) == nullptr) return false;
  const std::string path = std::string(folder) + "/log";
  //! [file]
  const int file = jobs::io::open(path.c_str(), O_WRONLY | O_CREAT, 0600).value();
  const int written = jobs::io::write(file, bytes_of("one line\n"), {}, 0).value();  // at offset 0
  const bool is_on_disk = jobs::io::fsync(file).ok();
  static_cast<void>(jobs::io::close(file).value());
  //! [file]
  unlink(path.c_str());
  rmdir(folder);
  return written == 9 && is_on_disk;
}

}  // namespace

int main() {
  std::puts(jobs::io::backend() == jobs::io::Backend::kIoUring ? "io_uring" : "epoll");
  const bool all_passed =
      read_with_timeout() && wait_for_readiness() && serve_one_client() && write_file();
  std::puts(all_passed ? "all examples passed" : "an example failed");
  return all_passed ? 0 : 1;
}
