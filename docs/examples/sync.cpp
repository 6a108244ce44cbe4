// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One example for each class of jobs/sync. The reference quotes the marked parts by @snippet.
//
// Each function returns true if its result is right. main() runs all of them and returns 0 if all
// results are right.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <string>
#include <utility>

#include "jobs/jobs.hpp"
#include "jobs/sync/object_pool.hpp"
#include "jobs/sync/shared_spin_lock.hpp"
#include "jobs/sync/ticket_queue.hpp"

namespace {

using namespace std::chrono_literals;

bool counter() {
  //! [counter]
  std::array<std::size_t, 4> squares{};
  jobs::Counter done;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    jobs::spawn(done, [&squares, i] { squares[i] = i * i; });
  }
  done.wait();  // all four jobs have ended: their results are visible
  //! [counter]
  return squares == std::array<std::size_t, 4>{0, 1, 4, 9};
}

bool event() {
  //! [event]
  std::string level;
  std::string shown;
  jobs::Event loaded;
  jobs::Counter done;
  jobs::spawn(done, [&] {
    loaded.wait();  // suspends this job until the event is set
    shown = level;
  });
  level = "harbour";
  loaded.signal();
  done.wait();
  //! [event]
  return shown == "harbour";
}

bool latch() {
  //! [latch]
  std::array<int, 3> parts{};
  jobs::Latch ready(parts.size());
  jobs::Counter done;
  for (int& part : parts) {
    jobs::spawn(done, [&part, &ready] {
      part = 1;
      ready.count_down();
      // The job may continue after its step.
    });
  }
  ready.wait();  // every part is complete
  const int complete = parts[0] + parts[1] + parts[2];
  done.wait();
  //! [latch]
  return complete == 3;
}

bool object_pool() {
  std::atomic<int> lines{0};
  //! [object_pool]
  jobs::ObjectPool<std::string> buffers(4);
  jobs::parallel_for(0, 100, [&](int i) {
    const auto buffer = buffers.borrow();  // waits while four are on loan
    *buffer = "line " + std::to_string(i);
    lines += static_cast<int>(std::count(buffer->begin(), buffer->end(), ' '));
  });
  //! [object_pool]
  return lines == 100;
}

bool ticket_queue() {
  //! [ticket_queue]
  std::string text;
  jobs::TicketQueue order;
  jobs::Counter done;
  for (const char* word : {"one ", "after ", "another"}) {
    jobs::spawn(done, [&text, word, ticket = order.take()]() mutable {
      std::string result = word;  // in any order
      ticket.wait();
      text += result;  // in the order of the loop
    });
  }
  done.wait();
  //! [ticket_queue]
  return text == "one after another";
}

bool barrier() {
  //! [barrier]
  constexpr std::size_t kParties = 4;
  std::array<int, kParties> now{1, 1, 1, 1};
  std::array<int, kParties> next{};
  jobs::Barrier step(kParties, [&]() noexcept { std::swap(now, next); });

  jobs::Counter done;
  for (std::size_t i = 0; i < kParties; ++i) {
    jobs::spawn(done, [&, i] {
      for (int phase = 0; phase < 3; ++phase) {
        next[i] = now[i] + now[(i + 1) % kParties];
        step.arrive_and_wait();  // the last party to arrive swaps the two arrays
      }
    });
  }
  done.wait();
  //! [barrier]
  return now == std::array<int, kParties>{8, 8, 8, 8};
}

bool mutex() {
  //! [mutex]
  std::map<std::string, int> words;
  jobs::Mutex mutex;
  jobs::Counter done;
  for (const char* word : {"red", "blue", "red"}) {
    jobs::spawn(done, [&, word] {
      const std::scoped_lock lock(mutex);
      ++words[word];
    });
  }
  done.wait();
  //! [mutex]
  return words["red"] == 2 && words["blue"] == 1;
}

bool shared_mutex() {
  //! [shared_mutex]
  std::map<std::string, int> settings{{"volume", 3}};
  jobs::SharedMutex mutex;
  std::atomic<int> sum{0};
  jobs::Counter done;
  for (int reader = 0; reader < 4; ++reader) {
    jobs::spawn(done, [&] {
      const std::shared_lock lock(mutex);  // readers run at the same time
      sum += settings.at("volume");
    });
  }
  {
    const std::unique_lock lock(mutex);  // the writer is alone
    settings["brightness"] = 7;
  }
  done.wait();
  //! [shared_mutex]
  return sum == 12 && settings.size() == 2;
}

bool semaphore() {
  //! [semaphore]
  jobs::Semaphore connections(2);  // at most two jobs use a connection at the same time
  std::atomic<int> open{0};
  std::atomic<bool> exceeded{false};
  jobs::Counter done;
  for (int request = 0; request < 8; ++request) {
    jobs::spawn(done, [&] {
      connections.acquire();
      if (++open > 2) exceeded = true;
      jobs::yield();
      --open;
      connections.release();
    });
  }
  done.wait();
  //! [semaphore]
  return !exceeded;
}

bool condition_variable() {
  //! [condition_variable]
  std::queue<int> queue;
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  int received = 0;

  jobs::Counter done;
  jobs::spawn(done, [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !queue.empty(); });
    received = queue.front();
    queue.pop();
  });
  {
    const std::scoped_lock lock(mutex);
    queue.push(42);
  }
  changed.notify_one();
  done.wait();
  //! [condition_variable]
  return received == 42;
}

bool channel() {
  //! [channel]
  jobs::Channel<int> numbers(2);  // push() waits while two items are in the channel
  jobs::Counter done;
  jobs::spawn(done, [&] {
    for (int i = 1; i <= 5; ++i) {
      if (!numbers.push(i)) break;  // false: the channel is closed
    }
    numbers.close();
  });
  int sum = 0;
  for (const int number : numbers) sum += number;  // until the channel is closed and empty
  done.wait();
  //! [channel]
  return sum == 15;
}

bool select() {
  //! [select]
  jobs::Channel<int> orders(4);
  jobs::Event quit;
  int served = 0;

  jobs::Counter done;
  jobs::spawn(done, [&] {
    for (;;) {
      std::optional<int> order;
      switch (jobs::select(orders.on_pop(order), quit.on_signal())) {
        case 0:
          if (!order) return;  // the channel is closed and empty
          served += *order;
          break;
        case 1:
          return;
      }
    }
  });
  if (orders.push(20) && orders.push(22)) orders.close();
  done.wait();
  //! [select]
  return served == 42;
}

bool select_any_wait() {
  //! [select_any_wait]
  jobs::Semaphore permits(0);
  jobs::Counter exact(1);  // a job that takes too long
  jobs::Fiber<int> guess([] { return 41; });
  int answer = 0;
  switch (jobs::select(permits.on_acquire(), exact.on_zero(), guess.on_end())) {
    case 0:
      permits.release();  // the selection has acquired a permit
      break;
    case 1:
      exact.wait();  // does not block; rethrows the exception of a job
      answer = 42;
      break;
    case 2:
      answer = guess.join();  // does not block
      break;
  }
  //! [select_any_wait]
  exact.done();
  return answer == 41;
}

bool event_any() {
  //! [event_any]
  jobs::Event loaded;
  jobs::Event failed;
  jobs::Counter done;
  jobs::spawn(done, [&] { loaded.signal(); });
  const bool is_loaded = jobs::Event::any(loaded, failed) == 0;
  done.wait();
  //! [event_any]
  return is_loaded;
}

bool call_once() {
  //! [call_once]
  jobs::OnceFlag loaded;
  std::optional<std::string> font;
  jobs::Counter done;
  for (int job = 0; job < 4; ++job) {
    jobs::spawn(done, [&] {
      jobs::call_once(loaded, [&] { font = "serif"; });  // one call; the other jobs wait for it
    });
  }
  done.wait();
  //! [call_once]
  return font == "serif";
}

bool spin_lock() {
  //! [spin_lock]
  struct Totals {
    int count = 0;
    int sum = 0;
  } totals;
  jobs::SpinLock lock;
  jobs::Counter done;
  for (int i = 1; i <= 4; ++i) {
    jobs::spawn(done, [&, i] {
      const std::scoped_lock guard(lock);  // a few instructions, no wait
      ++totals.count;
      totals.sum += i;
    });
  }
  done.wait();
  //! [spin_lock]
  return totals.count == 4 && totals.sum == 10;
}

bool wait_until_at_most() {
  //! [wait_until_at_most]
  std::atomic<int> sum = 0;
  jobs::Counter done;
  for (int part = 1; part <= 100; ++part) {
    done.wait_until_at_most(7);  // at most 8 parts are in memory
    jobs::spawn(done, [&sum, part] { sum += part; });
  }
  done.wait();
  //! [wait_until_at_most]
  return sum == 5050;
}

bool shared_spin_lock() {
  //! [shared_spin_lock]
  struct Range {
    int low = 0;
    int high = 0;
  } range;
  jobs::SharedSpinLock lock;
  const auto width = [&] {
    const std::shared_lock guard(lock);  // beside other readers
    return range.high - range.low;
  };
  const auto extend = [&](int value) {
    const std::scoped_lock guard(lock);  // alone
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  //! [shared_spin_lock]
  jobs::parallel_for(-100, 101, [&](int i) { width() > 150 ? extend(0) : extend(i); });
  return width() > 150 && width() <= 200;
}

bool waiting() {
  //! [waiting]
  jobs::Event answer;
  const bool in_time = answer.wait_for(2ms);  // false: the event was not set in time
  //! [waiting]
  return !in_time;
}

}  // namespace

int main() {
  struct Example {
    const char* name;
    bool (*run)();
  };
  const Example examples[] = {
      {"counter", counter},
      {"event", event},
      {"latch", latch},
      {"barrier", barrier},
      {"mutex", mutex},
      {"shared_mutex", shared_mutex},
      {"semaphore", semaphore},
      {"condition_variable", condition_variable},
      {"channel", channel},
      {"select", select},
      {"select_any_wait", select_any_wait},
      {"event_any", event_any},
      {"call_once", call_once},
      {"wait_until_at_most", wait_until_at_most},
      {"spin_lock", spin_lock},
      {"shared_spin_lock", shared_spin_lock},
      {"waiting", waiting},
      {"object_pool", object_pool},
      {"ticket_queue", ticket_queue},
  };
  int failures = 0;
  for (const Example& example : examples) {
    if (example.run()) continue;
    std::cerr << "sync example '" << example.name << "' has a wrong result\n";
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
