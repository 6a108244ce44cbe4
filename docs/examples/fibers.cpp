// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Examples of the API reference: fibers, time limits, blocking calls.
// The headers show the marked parts.
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/generator.hpp"
#include "jobs/jobs.hpp"
#include "jobs/thread_fiber.hpp"

namespace {

using example::check;

using namespace std::chrono_literals;

std::vector<int> load() { return {1, 2, 3}; }
std::string fetch(const std::string& url) { return "page of " + url; }

//! [fiber]
int consume_and_produce() {
  std::vector<int> data;
  jobs::Event ready;
  jobs::Fiber<int> consumer([&] {
    ready.wait();
    return std::accumulate(data.begin(), data.end(), 0);
  });
  jobs::Fiber<> producer([&] {
    data = load();
    ready.signal();
  });
  return consumer.join();  // producer is joined by its destructor
}
//! [fiber]

//! [fiber_priority]
// A Fiber that reads input starts before other Fibers, and runs before them when it wakes up.
int read_input(int events) {
  jobs::Channel<int> input(16);
  jobs::Fiber<int> reader(
      [&] {
        int sum = 0;
        while (const auto event = input.pop()) sum += *event;
        return sum;
      },
      {.name = "input", .priority = jobs::Priority::kHigh});
  for (int event = 1; event <= events; ++event) static_cast<void>(input.push(event));
  input.close();
  return reader.join();
}
//! [fiber_priority]

//! [async]
std::size_t size_of_both(const std::string& url_a, const std::string& url_b) {
  auto a = jobs::async([&] { return fetch(url_a); });  // a jobs::Fiber<std::string>
  const std::string b = fetch(url_b);                  // meanwhile
  return a.join().size() + b.size();
}
//! [async]

//! [fiber_group]
std::vector<std::string> fetch_all(const std::vector<std::string>& urls) {
  std::vector<std::string> pages(urls.size());
  jobs::FiberGroup group;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    group.start([&, i] { pages[i] = fetch(urls[i]); });
  }
  group.wait();  // throws the first exception after all fibers have ended
  return pages;
}
//! [fiber_group]

//! [supervise]
int read_all_pages() {
  int attempts = 0;
  int pages = 0;
  jobs::FiberGroup group;
  group.supervise(
      [&] {
        if (++attempts < 3) throw std::runtime_error("the server is not ready");
        pages = 10;
      },
      {.most = 5, .delay = 1ms});
  group.wait();  // would throw the sixth exception
  return pages;
}
//! [supervise]

//! [fiber_local]
jobs::FiberLocal<std::string> last_error;

std::string visit(const std::string& url) {
  if (url.empty()) *last_error = "no such page";
  jobs::yield();  // other fibers run on this worker, and set their own value
  return *last_error;
}
//! [fiber_local]

//! [fiber_ref]
int serve(int requests) {
  std::atomic<int> sum = 0;
  jobs::Fiber<> server(
      [&] {
        for (int i = 0; i < requests; ++i) sum += jobs::this_fiber::suspend<int>();
      },
      {.name = "server"});
  for (int i = 1; i <= requests; ++i) {
    while (!server.schedule(i)) jobs::yield();  // false: kMaxValues values wait already
  }
  for (const jobs::FiberRef& fiber : jobs::live_fibers()) {
    std::cout << fiber.name() << " on worker " << fiber.info().worker << '\n';
  }
  server.join();
  return sum;
}
//! [fiber_ref]

//! [schedule_values]
// Values wait in the order of the calls until the fiber reads them.
std::string order_meal() {
  jobs::Fiber cook([] {
    std::string meal;
    for (int course = 0; course < 3; ++course) meal += jobs::this_fiber::suspend<std::string>();
    return meal;
  });
  for (const char* course : {"soup ", "fish ", "cake"}) cook.schedule(std::string(course));
  return cook.join();  // "soup fish cake"
}
//! [schedule_values]

//! [thread_fiber]
// This thread hands work to a Fiber, and is resumed with the result.
std::string have_work_done() {
  const jobs::ThreadFiber manager("manager");
  jobs::Fiber<> worker([back = jobs::FiberRef(manager)] {
    for (int i = 0; i < 2; ++i) back.schedule(jobs::this_fiber::suspend<std::string>() + " done, ");
  });
  std::string log;
  for (const char* work : {"reading", "writing"}) {
    worker.schedule(std::string(work));
    log += jobs::this_fiber::suspend<std::string>();
  }
  worker.join();
  return log;  // "reading done, writing done, "
}
//! [thread_fiber]

//! [stop_and_join]
// The best answer so far, when the time is over.
std::optional<int> improve_for(std::chrono::milliseconds time) {
  jobs::Fiber search([](std::stop_token stop) {
    int best = 0;
    while (!stop.stop_requested()) {
      ++best;
      jobs::yield();
    }
    return best;
  });
  jobs::this_fiber::sleep_for(time);
  return search.stop_and_join();  // empty if a wait of the fiber threw Cancelled
}
//! [stop_and_join]

//! [this_fiber]
long count_slowly() {
  jobs::this_fiber::set_name("counter");
  long count = 0;
  for (int i = 0; i < 3; ++i) {
    jobs::this_fiber::sleep_for(1ms);
    for (int k = 0; k < 1000; ++k) ++count;
    jobs::this_fiber::check_cancelled();  // between waits
  }
  return count;
}
//! [this_fiber]

//! [wait_any]
std::string fetch_from_fastest(const std::string& mirror_a, const std::string& mirror_b) {
  jobs::Fiber<std::string> a([&] { return fetch(mirror_a); });
  jobs::Fiber<std::string> b([&] { return fetch(mirror_b); });
  return (jobs::wait_any({a, b}) == 0 ? a : b).join();  // the destructor stops the other fiber
}
//! [wait_any]

//! [blocking]
std::string read_file(const std::string& path) {
  return jobs::blocking([&] {
    std::ifstream file(path);  // blocks a thread of the pool; the worker runs other jobs
    std::string text;
    std::getline(file, text);
    return text;
  });
}
//! [blocking]

//! [cancel_after]
bool wait_at_most(jobs::Event& event, std::chrono::milliseconds limit) {
  try {
    jobs::cancel_after(limit, [&] { event.wait(); });
    return true;
  } catch (const jobs::Cancelled&) {
    return false;
  }
}
//! [cancel_after]

//! [move_on_after]
int answer_or_default(jobs::Fiber<int>& question) {
  return jobs::move_on_after(5ms, [&] { return question.join(); }, 42);
}
//! [move_on_after]

//! [cancel_shield]
class Connection {
 public:
  ~Connection() {
    const jobs::CancelShield shield;  // the wait below ends even if the fiber was stopped
    jobs::this_fiber::sleep_for(1ms);
    closed = true;
  }
  static inline bool closed = false;
};
//! [cancel_shield]

//! [every]
int save_three_times() {
  int saved = 0;
  jobs::every(1ms, [&] { return ++saved < 3; });  // false ends the loop
  return saved;
}
//! [every]

//! [generator]
jobs::Generator<int> squares(int n) {
  for (int i = 0; i < n; ++i) co_yield i* i;
}

int sum_of_squares(int n) {
  int sum = 0;
  for (const int square : squares(n)) sum += square;
  return sum;
}
//! [generator]

}  // namespace

int main() {
  check(consume_and_produce() == 6, "fiber");
  check(read_input(4) == 10, "fiber_priority");
  check(read_all_pages() == 10, "supervise");
  check(improve_for(1ms).has_value(), "stop_and_join");
  check(size_of_both("a", "b") == 18, "async");
  check(fetch_all({"a", "b"})[1] == "page of b", "fiber_group");
  check(jobs::Fiber<std::string>([] { return visit(""); }).join() == "no such page", "fiber_local");
  check(serve(10) == 55, "fiber_ref");
  check(have_work_done() == "reading done, writing done, ", "thread_fiber");
  check(order_meal() == "soup fish cake", "schedule_values");
  check(jobs::Fiber<long>(count_slowly).join() == 3000, "this_fiber");
  check(!fetch_from_fastest("a", "b").empty(), "wait_any");
  check(read_file("/nowhere").empty(), "blocking");
  jobs::Event never;
  check(!wait_at_most(never, 1ms), "cancel_after");
  jobs::Fiber<int> question([&] {
    never.wait();
    return 0;
  });
  check(answer_or_default(question) == 42, "move_on_after");
  jobs::Fiber<> stopped([&] {
    const Connection connection;
    never.wait();
  });
  stopped.request_stop();
  while (stopped.state() != jobs::FiberState::kDead) jobs::yield();
  check(Connection::closed, "cancel_shield");
  check(save_three_times() == 3, "every");
  check(sum_of_squares(4) == 14, "generator");
  return example::failures;
}
