// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recipes of docs/cookbook.md: an echo server by jobs::io. The page shows the marked parts.
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "docs/examples/check.hpp"
#include "jobs/io/io.hpp"
#include "jobs/jobs.hpp"

namespace {

using example::check;
using namespace std::chrono_literals;

//! [echo_server]
struct Socket {
  ~Socket() { static_cast<void>(jobs::io::close(fd)); }
  const int fd;
};

void echo(const Socket& client) {
  std::array<std::byte, 4096> buffer;
  for (;;) {
    const jobs::io::Result got = jobs::io::read(client.fd, buffer, {.timeout = 30s});
    if (!got.ok() || got.value() == 0) return;  // an error, silence, or the client has closed
    const auto bytes = std::span(buffer).first(static_cast<std::size_t>(got.value()));
    if (!jobs::io::write_all(client.fd, bytes, {.timeout = 30s}).ok()) return;
  }
}

// Serves clients, each in a fiber of its own, until a stop is requested.
void serve(int listener, const std::stop_token& stop) {
  jobs::FiberGroup clients;
  for (;;) {
    const jobs::io::Result client = jobs::io::accept(listener, {.stop = stop});
    if (!client.ok()) break;
    clients.start([fd = client.value()] { echo(Socket{fd}); });
  }
  clients.wait();  // without it, the destructor of the group would stop the clients
}
//! [echo_server]

//! [echo_client]
std::string ask(const sockaddr_in& address, std::string_view question) {
  const Socket server{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto* const target = reinterpret_cast<const sockaddr*>(&address);
  jobs::io::connect(server.fd, target, sizeof address, {.timeout = 5s}).value();
  jobs::io::write_all(server.fd, std::as_bytes(std::span(question))).value();
  std::string answer(question.size(), ' ');
  jobs::io::read_all(server.fd, std::as_writable_bytes(std::span(answer)), {.timeout = 5s}).value();
  return answer;
}
//! [echo_client]

}  // namespace

int main() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any_address = reinterpret_cast<sockaddr*>(&address);
  const Socket listener{jobs::io::listen(any_address, size).value()};
  if (getsockname(listener.fd, any_address, &size) != 0) return 1;

  std::stop_source stop;
  jobs::Fiber server([&] { serve(listener.fd, stop.get_token()); });
  std::atomic<int> right{0};
  jobs::Counter clients;
  for (int i = 0; i < 20; ++i) {
    jobs::spawn(clients, [&, question = "question " + std::to_string(i)] {
      if (ask(address, question) == question) ++right;
    });
  }
  clients.wait();
  stop.request_stop();
  server.join();
  check(right == 20, "echo_server");
  return example::failures;
}
