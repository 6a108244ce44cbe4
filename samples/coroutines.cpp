// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Coroutines on the workers: orders of customers pass through a small factory. Each order is a
// task, which waits for parts, for a machine and for its time without a stack. The program checks
// its result. docs/coroutines.md shows parts of this file.
//
//   coroutines [orders]
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <stop_token>

#include "jobs/coroutine.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;

struct Order {
  int number = 0;
  int parts = 0;
};

// One part after another; each takes its time.
jobs::Task<int> make_part(int number) {
  co_await jobs::this_task::sleep_for(100us);
  if (number % 1000 == 999) throw std::runtime_error("a part has broken");
  co_return number;
}

class Factory {
 public:
  // A customer: waits until the factory is open, and orders.
  jobs::Task<> order(int number) {
    co_await open_;  // no stack is needed meanwhile
    std::optional<Order> order = Order{number, number % 3 + 1};
    co_await orders_.on_push(order);
  }

  // A machine: takes orders until no more come.
  jobs::Task<> run_machine() {
    for (;;) {
      std::optional<Order> order;
      co_await orders_.on_pop(order);
      if (!order) co_return;  // the channel is closed
      try {
        for (int part = 0; part < order->parts; ++part)
          parts_ += co_await make_part(order->number) >= 0;
        ++finished_;
      } catch (const std::runtime_error&) {
        ++broken_;
      }
    }
  }

  // Waits for the customers and the machines, which run at the same time.
  jobs::Task<> day(int customers, int machines) {
    jobs::Counter ordering, working;
    for (int i = 0; i < customers; ++i) jobs::start(ordering, order(i));
    for (int i = 0; i < machines; ++i) jobs::start(working, run_machine());
    open_.signal();
    co_await ordering;
    orders_.close();
    co_await working;
  }

  int parts() const { return parts_; }
  int finished() const { return finished_; }
  int broken() const { return broken_; }

 private:
  jobs::Event open_;
  jobs::Channel<Order> orders_{16};
  std::atomic<int> parts_ = 0, finished_ = 0, broken_ = 0;
};

// Waits for an event, but not for ever.
jobs::Task<const char*> wait_a_while(jobs::Event& event, std::stop_token stop) {
  const auto done = co_await jobs::this_task::select_for(1ms, event.on_signal());
  if (done) co_return "the event was set";
  const bool slept = co_await jobs::this_task::sleep_for(1h, stop);
  co_return slept ? "an hour has passed" : "the time was up, and then a stop came";
}

int orders_of(int argc, char** argv) {
  int number = 0;
  if (argc < 2) return 2000;
  const char* const end = argv[1] + std::strlen(argv[1]);
  const auto [stopped, error] = std::from_chars(argv[1], end, number);
  return error == std::errc{} && stopped == end ? number : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int orders = orders_of(argc, argv);
  if (orders <= 0) {
    std::fputs("usage: coroutines [orders]\n", stderr);
    return 2;
  }
  Factory factory;
  jobs::sync_wait(factory.day(orders, 50));
  std::printf("%d orders: %d finished, %d broken, %d parts\n", orders, factory.finished(),
              factory.broken(), factory.parts());

  jobs::Event never;
  std::stop_source stop;
  jobs::Fiber stops([&] {
    jobs::this_fiber::sleep_for(5ms);
    stop.request_stop();
  });
  std::printf("%s\n", jobs::sync_wait(wait_a_while(never, stop.get_token())));

  int parts = 0, broken = 0;
  for (int i = 0; i < orders; ++i)
    (i % 1000 == 999 ? broken : parts) += i % 1000 == 999 ? 1 : i % 3 + 1;
  const bool holds = factory.finished() + factory.broken() == orders &&
                     factory.broken() == broken && factory.parts() == parts;
  return holds ? 0 : 1;
}
