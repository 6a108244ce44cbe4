// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recipes of docs/cookbook.md: code that waits for something outside: time-outs, retries, limits,
// other libraries. The page shows the marked parts.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"
#include "jobs/sync/object_pool.hpp"

namespace {

using example::check;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A server that answers after a time.
struct Mirror {
  std::string name;
  std::chrono::milliseconds delay;
  bool is_down = false;
  std::string fetch() const {
    jobs::this_fiber::sleep_for(delay);
    if (is_down) throw std::runtime_error("no connection");
    return "page of " + name;
  }
};

//! [time_out]
std::string fetch_in_time(const Mirror& mirror, std::chrono::milliseconds limit) {
  return jobs::move_on_after(limit, [&] { return mirror.fetch(); }, "too late");
}
//! [time_out]

//! [first_result]
std::string fetch_from_fastest(const std::vector<Mirror>& mirrors) {
  jobs::Channel<std::optional<std::string>> answers(mirrors.size());
  jobs::FiberGroup fetches;  // its destructor stops the fetches, and waits for them
  for (const Mirror& mirror : mirrors) {
    fetches.start([&answers, &mirror] {
      std::optional<std::string> page;
      try {
        page = mirror.fetch();
      } catch (const std::runtime_error&) {  // empty: this mirror has failed
      }
      static_cast<void>(answers.push(std::move(page)));
    });
  }
  for (std::size_t i = 0; i < mirrors.size(); ++i) {
    if (const std::optional<std::string> page = *answers.pop()) return *page;
  }
  throw std::runtime_error("no mirror has answered");
}
//! [first_result]

//! [rate_limit]
// Lets one caller pass per interval, in the order of the calls.
class RateLimit {
 public:
  explicit RateLimit(std::chrono::nanoseconds interval) : interval_(interval) {}
  void pass() {
    Clock::time_point turn;
    {
      const std::scoped_lock lock(mutex_);
      turn = std::max(next_, Clock::now());
      next_ = turn + interval_;
    }
    jobs::this_fiber::sleep_until(turn);
  }

 private:
  const std::chrono::nanoseconds interval_;
  jobs::Mutex mutex_;
  Clock::time_point next_{};
};
//! [rate_limit]

//! [retry]
template <class F>
auto retry(int attempts, std::chrono::milliseconds delay, F function) {
  for (;; delay *= 2) {
    try {
      return function();
    } catch (const std::runtime_error&) {
      if (--attempts == 0) throw;
    }
    jobs::this_fiber::sleep_for(delay);
  }
}
//! [retry]

//! [supervision]
// Starts a service again when it fails, up to 5 times. Returns the number of failures.
int keep_running(const std::function<void(std::stop_token)>& service) {
  std::atomic<int> failed{0};
  jobs::FiberGroup group;
  group.supervise(service, {.most = 5, .delay = 1ms, .on_restart = [&](const std::exception_ptr&) {
                              ++failed;
                            }});
  group.wait();  // throws the sixth exception
  return failed;
}
//! [supervision]

// A library whose calls block their thread.
struct Connection {
  std::string query(const std::string& what) {
    std::this_thread::sleep_for(1ms);
    return "rows of " + what;
  }
};

//! [blocking_library]
// At most four queries at a time; the workers compute meanwhile.
std::vector<std::string> query_all(const std::vector<std::string>& tables) {
  jobs::ObjectPool<Connection> connections(4);
  std::vector<std::string> rows(tables.size());
  jobs::Counter done;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    jobs::spawn(done, [&, i] {
      const auto connection = connections.borrow();
      rows[i] = jobs::blocking([&] { return connection->query(tables[i]); });
    });
  }
  done.wait();
  return rows;
}
//! [blocking_library]

// A library with threads of its own, which calls back.
class Downloader {
 public:
  void start(std::string url, std::function<void(std::string)> when_done) {
    threads_.emplace_back([url = std::move(url), when_done = std::move(when_done)] {
      when_done("content of " + url);
    });
  }

 private:
  std::vector<std::jthread> threads_;
};

//! [callback]
std::string download(Downloader& downloader, const std::string& url) {
  struct Answer {
    std::string content;
    jobs::Event arrived;
  };
  const auto answer = std::make_shared<Answer>();       // lives until the callback has run
  downloader.start(url, [answer](std::string result) {  // on a thread of the library
    answer->content = std::move(result);
    answer->arrived.signal();
  });
  answer->arrived.wait();  // a stop or a time limit may end it before the callback
  return std::move(answer->content);
}
//! [callback]

//! [periodic]
// Saves after each interval until the stop, and once more after it.
void keep_saving(const std::function<void()>& save, std::chrono::milliseconds interval,
                 std::stop_token stop) {
  jobs::every(interval, save, std::move(stop));
  save();
}
//! [periodic]

void check_rate() {
  RateLimit limit(2ms);
  const auto start = Clock::now();
  jobs::Counter done;
  for (int i = 0; i < 6; ++i) jobs::spawn(done, [&] { limit.pass(); });
  done.wait();
  check(Clock::now() - start >= 10ms, "rate_limit");
}

void check_retries() {
  int calls = 0;
  const auto flaky = [&] {
    if (++calls < 3) throw std::runtime_error("busy");
    return calls;
  };
  check(retry(5, 1ms, flaky) == 3, "retry");
  std::string error;
  try {
    retry(2, 1ms, [&]() -> int { throw std::runtime_error("down"); });
  } catch (const std::runtime_error& failure) {
    error = failure.what();
  }
  check(error == "down", "retry, failure");
  int starts = 0;
  check(keep_running([&](const std::stop_token&) {
          if (++starts < 4) throw std::runtime_error("crash");
        }) == 3,
        "supervision");
}

void check_download() {
  Downloader downloader;
  jobs::Fiber fiber([&] { return download(downloader, "a"); });
  check(fiber.join() == "content of a", "callback");
  check(download(downloader, "b") == "content of b", "callback, external thread");
}

void check_periodic() {
  int saved = 0;
  jobs::Event saved_twice;
  const auto save = [&] {
    if (++saved == 2) saved_twice.signal();
  };
  std::stop_source stop;
  jobs::Fiber<> saver([&] { keep_saving(save, 1ms, stop.get_token()); });
  saved_twice.wait();
  stop.request_stop();
  saver.join();
  check(saved >= 3, "periodic");
}

}  // namespace

int main() {
  check(fetch_in_time({"slow", 10s}, 5ms) == "too late", "time_out");
  check(fetch_in_time({"fast", 0ms}, 10s) == "page of fast", "time_out, in time");
  check(fetch_from_fastest({{"slow", 60s}, {"down", 0ms, true}, {"fast", 1ms}}) == "page of fast",
        "first_result");
  check_rate();
  check_retries();
  check(query_all({"a", "b", "c", "d", "e", "f"})[5] == "rows of f", "blocking_library");
  check_download();
  check_periodic();
  return example::failures;
}
