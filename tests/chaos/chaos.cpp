// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// All kinds of work at once, repeatedly, on a scheduler that is disturbed wherever threads meet
// (jobs/base/chaos.hpp). Without JOBS_CHAOS only the operating system disturbs it. Each job counts
// itself, and each wait is granted or ends without a grant. Each round knows the expected numbers.
//
//     chaos [--jobs N] [--waits N] [--seconds N] [--workers N] [--held FILE]
//
// Runs until the numbers of jobs and waits and the time are reached; the environment variable
// JOBS_CHAOS contains the seed. With --held each round writes one line to FILE after the end of all
// work and a trim of idle stacks: the resident KiB, the number of mappings and that of open files.
// The first rounds then have the maximum size.
//
// The last line is "chaos: N jobs, W waits, F findings". The exit status is 1 if there are any
// findings. A run without progress for a minute prints the waits of all fibers, and counts as a
// finding.
#include <malloc.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "jobs/base/random.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::detail::Random;

std::atomic<std::uint64_t> job_count{0};
std::atomic<std::uint64_t> wait_count{0};  // waits with a deadline or a stop
std::atomic<std::uint64_t> findings{0};
std::atomic<const char*> load_under_way{"none"};

void expect(bool holds, const char* what) {
  if (holds) return;
  ++findings;
  std::printf("chaos: FINDING in %s: %s\n", load_under_way.load(), what);
  std::fflush(stdout);
}

// Each load runs once as a job of the scheduler.
struct Load {
  const char* name;
  void (*run)(Random& random);
};

struct Expected {};  // thrown by one job in a hundred

// The size of a load. While grow() runs, the size is twice the maximum of any other round, because
// two loads run at a time.
bool grows = false;
std::uint32_t size_up_to(Random& random, std::uint32_t most) {
  const auto drawn = static_cast<std::uint32_t>(1 + random.below(most));
  return grows ? 2 * most : drawn;
}

std::chrono::nanoseconds brief(Random& random) {
  return std::chrono::nanoseconds(random.below(20'000));
}

// --- exactly once -------------------------------------------------------------------------------

// A number of jobs, each of which must mark itself once.
class Marks {
 public:
  explicit Marks(std::size_t count) : seen_(count) {}
  void come_by(std::size_t index) {
    seen_[index].fetch_add(1, std::memory_order_relaxed);
    job_count.fetch_add(1, std::memory_order_relaxed);
  }
  // Checks that all are marked once or, after an exception has cut the work short, that none is
  // marked twice.
  void check(bool all) const {
    for (const auto& times : seen_) {
      const unsigned seen = times.load(std::memory_order_relaxed);
      expect(seen <= 1, "a job ran twice");
      expect(seen == 1 || !all, "a job was lost");
    }
  }

 private:
  std::vector<std::atomic<std::uint8_t>> seen_;
};

// --- loads --------------------------------------------------------------------------------------

void tree(Marks& marks, std::size_t first, std::size_t last) {
  if (last - first == 1) {
    marks.come_by(first);
    if (first % 64 == 63) jobs::yield();
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  jobs::fork_join([&] { tree(marks, first, middle); }, [&] { tree(marks, middle, last); });
}

void fork_and_join(Random& random) {
  const std::size_t size = size_up_to(random, 4'000);
  Marks exact(size);
  tree(exact, 0, size);
  exact.check(true);
}

void loops(Random& random) {
  const std::uint32_t size = size_up_to(random, 5'000);
  const std::uint32_t thrower = random.below(100) == 0 ? random.below(size) : size;
  Marks marks(size);
  bool threw = false;
  try {
    jobs::parallel_for(
        std::uint32_t{0}, size,
        [&](std::uint32_t i) {
          marks.come_by(i);
          if (i == thrower) throw Expected();
        },
        random.below(2) == 0 ? jobs::Grain() : jobs::Grain(1 + random.below(64)));
  } catch (const Expected&) {
    threw = true;
  }
  expect(threw == (thrower < size), "an exception was lost");
  marks.check(!threw);
}

void flood(Random& random) {
  const std::uint32_t size = size_up_to(random, 5'000);
  Marks marks(size);
  jobs::Counter done;
  std::uint32_t throwing = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const bool throws = random.below(100) == 0;
    throwing += throws ? 1 : 0;
    const auto body = [&marks, i, throws] {
      marks.come_by(i);
      if (i % 16 == 0) jobs::yield();
      if (throws) throw Expected();
    };
    switch (random.below(16)) {
      case 0:
        jobs::spawn(done, body, {.priority = jobs::Priority::kCritical});
        break;
      case 1:
        jobs::spawn(done, body, {.on = jobs::worker(random.below(jobs::worker_count()))});
        break;
      default:
        jobs::spawn(done, body);
    }
  }
  std::uint32_t thrown = 0;
  try {
    done.wait();
  } catch (const Expected&) {
    thrown = 1 + static_cast<std::uint32_t>(done.dropped_exceptions());
  }
  expect(thrown == throwing, "an exception was lost, or came twice");
  marks.check(true);
}

void ping_pong(Random& random) {
  const std::uint32_t rounds = size_up_to(random, 2'000);
  jobs::Event ping(jobs::Event::Reset::kAutomatic);
  jobs::Event pong(jobs::Event::Reset::kAutomatic);
  std::uint32_t turns = 0;  // of both players, alternating
  const auto player = [&turns, rounds](jobs::Event& mine, jobs::Event& other, Random dice) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      while (!mine.wait_for(brief(dice))) wait_count.fetch_add(1, std::memory_order_relaxed);
      wait_count.fetch_add(1, std::memory_order_relaxed);
      ++turns;
      other.signal();
    }
    job_count.fetch_add(1, std::memory_order_relaxed);
  };
  jobs::Fiber<> one([&, seed = random.next()] { player(ping, pong, Random(seed)); });
  jobs::Fiber<> other([&, seed = random.next()] { player(pong, ping, Random(seed)); });
  ping.signal();
  one.join();
  other.join();
  expect(turns == 2 * rounds, "a turn was lost");
}

// Locks, permits and conditions with grants, deadlines and stops.
void storm(Random& random) {
  constexpr std::uint32_t kParties = 16;
  const std::uint32_t rounds = size_up_to(random, 300);
  jobs::Mutex mutex;
  jobs::Semaphore permits(3);
  jobs::Event open;
  std::atomic<int> inside = 0;
  std::uint64_t guarded = 0;
  std::atomic<std::uint64_t> locked = 0;
  std::stop_source stop;
  jobs::Counter done;
  for (std::uint32_t party = 0; party < kParties; ++party) {
    jobs::spawn(done, [&, dice = Random(random.next())]() mutable {
      for (std::uint32_t i = 0; i < rounds; ++i) {
        wait_count.fetch_add(1, std::memory_order_relaxed);
        switch (dice.below(5)) {
          case 0:
            if (mutex.try_lock_for(brief(dice))) {
              ++guarded;
              if (dice.below(4) == 0) jobs::yield();
              mutex.unlock();
              ++locked;
            }
            break;
          case 1:
            if (permits.try_acquire_for(brief(dice))) {
              expect(++inside <= 3, "more inside than there are permits");
              if (dice.below(4) == 0) jobs::this_fiber::sleep_for(brief(dice));
              --inside;
              permits.release();
            }
            break;
          case 2:
            static_cast<void>(open.wait_for(brief(dice), stop.get_token()));
            break;
          case 3:
            try {
              jobs::cancel_after(brief(dice), [&] { open.wait(); });
            } catch (const jobs::Cancelled&) {
            }
            break;
          default:
            if (dice.below(8) == 0) open.signal();
            if (dice.below(2) == 0) open.reset();
            jobs::this_fiber::sleep_for(brief(dice));
        }
      }
      job_count.fetch_add(1, std::memory_order_relaxed);
    });
  }
  if (random.below(2) == 0) stop.request_stop();
  done.wait();
  expect(guarded == locked, "two held a mutex");
  int left = 0;
  while (permits.try_acquire()) ++left;
  expect(left == 3, "a permit was lost");
}

void cancellations(Random& random) {
  const std::uint32_t size = size_up_to(random, 200);
  jobs::Event never;
  std::atomic<std::uint32_t> cancelled = 0;
  std::vector<jobs::Fiber<>> fibers;
  for (std::uint32_t i = 0; i < size; ++i) {
    fibers.emplace_back([&] {
      try {
        never.wait();
      } catch (const jobs::Cancelled&) {
        ++cancelled;
        throw;
      }
    });
    if (random.below(4) == 0) jobs::yield();
  }
  std::uint32_t thrown = 0;
  for (auto& fiber : fibers) fiber.request_stop();
  for (auto& fiber : fibers) {
    try {
      fiber.join();
    } catch (const jobs::Cancelled&) {
      ++thrown;
    }
  }
  wait_count.fetch_add(size, std::memory_order_relaxed);
  job_count.fetch_add(size, std::memory_order_relaxed);
  expect(cancelled == size && thrown == size, "a stop was lost");
}

void graphs(Random& random) {
  const std::uint32_t size = 1 + size_up_to(random, 300);
  std::vector<std::atomic<std::uint32_t>> ran(size);
  jobs::TaskGraph graph;
  jobs::TaskGraph::Limit limit(2);
  std::vector<jobs::TaskGraph::Node> nodes;
  for (std::uint32_t i = 0; i < size; ++i) {
    nodes.push_back(graph.node([&ran, i] {
      if (i % 32 == 0) jobs::yield();
      ++ran[i];
      job_count.fetch_add(1, std::memory_order_relaxed);
    }));
    if (random.below(16) == 0) nodes[i].limit(limit);
    if (random.below(32) == 0) nodes[i].on(jobs::worker(random.below(jobs::worker_count())));
    for (std::uint32_t edges = i == 0 ? 0 : random.below(4); edges > 0; --edges) {
      nodes[random.below(i)].precede(nodes[i]);
    }
  }
  const std::uint32_t runs = 1 + random.below(10);
  for (std::uint32_t run = 0; run < runs; ++run) graph.run();
  for (const auto& times : ran) expect(times == runs, "a node did not run once in each run");
}

void pipelines(Random& random) {
  const int size = static_cast<int>(size_up_to(random, 2'000));
  int next = 0;
  int last = 0;
  std::atomic<int> between = 0;
  jobs::pipeline(
      1 + random.below(16),
      [&]() -> std::optional<int> { return next < size ? std::optional(next++) : std::nullopt; },
      jobs::parallel([&](int value) {
        if (value % 64 == 0) jobs::yield();
        ++between;
        job_count.fetch_add(1, std::memory_order_relaxed);
        return value;
      }),
      jobs::in_order([&](int value) { expect(value == last++, "a token out of order"); }));
  expect(last == size && between == size, "a token was lost");
}

void many_fibers(Random& random) {
  const std::uint32_t size = size_up_to(random, 10'000);
  Marks marks(size);
  jobs::Event open;
  jobs::Counter done;
  for (std::uint32_t i = 0; i < size; ++i) {
    jobs::spawn(done, [&marks, &open, i, wait = brief(random)] {
      if (i % 2 == 0) {
        open.wait();
      } else {
        static_cast<void>(open.wait_for(wait));
        wait_count.fetch_add(1, std::memory_order_relaxed);
      }
      marks.come_by(i);
    });
  }
  jobs::yield();
  open.signal();
  done.wait();
  marks.check(true);
}

void schedulers(Random& random) {
  for (int i = 0; i < 10; ++i) {
    Marks marks(20);
    {
      jobs::Scheduler scheduler({.worker_count = 1 + random.below(4)});
      const std::uint32_t inside = random.below(21);
      scheduler.run([&] {
        for (std::uint32_t job = 0; job < inside; ++job)
          jobs::spawn([&marks, job] { marks.come_by(job); });
      });
      for (std::uint32_t job = inside; job < 20; ++job)
        scheduler.run([&marks, job] { marks.come_by(job); });
    }
    marks.check(true);
  }
}

// Threads outside of any scheduler, as external participants of the default scheduler.
void external_participants(Random& random) {
  std::vector<std::jthread> threads;
  const std::uint32_t size = size_up_to(random, 2'000);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([size] {
      Marks marks(size);
      jobs::parallel_for(std::uint32_t{0}, size,
                         [&](std::uint32_t index) { marks.come_by(index); });
      marks.check(true);
      Marks more(size);
      tree(more, 0, size);
      more.check(true);
    });
  }
}

constexpr Load kLoads[] = {{"fork_join", fork_and_join},
                           {"loops", loops},
                           {"flood", flood},
                           {"ping_pong", ping_pong},
                           {"storm", storm},
                           {"cancellations", cancellations},
                           {"graphs", graphs},
                           {"pipelines", pipelines},
                           {"many_fibers", many_fibers},
                           {"schedulers", schedulers},
                           {"external_participants", external_participants},
                           {"storm", storm},
                           {"ping_pong", ping_pong},
                           {"cancellations", cancellations}};

void watch(const std::stop_token& stop) {
  std::uint64_t before = 0;
  for (int quiet = 0; !stop.stop_requested(); ++quiet) {
    std::this_thread::sleep_for(100ms);
    const std::uint64_t now = job_count + wait_count;
    if (now != before) quiet = 0;
    before = now;
    if (quiet < 600) continue;
    jobs::dump(std::cout);
    expect(false, "nothing has happened for a minute");
    std::printf(
        "chaos: %llu jobs, %llu waits, %llu findings\n", static_cast<unsigned long long>(job_count),
        static_cast<unsigned long long>(wait_count), static_cast<unsigned long long>(findings));
    std::fflush(stdout);
    std::_Exit(1);
  }
}

// A worker keeps the memory of its largest load. Each worker runs the largest loads first, so that
// any growth afterwards is a leak.
void grow(jobs::Scheduler& scheduler, Random& random) {
  grows = true;
  for (unsigned worker = 0; worker < scheduler.worker_count(); ++worker) {
    for (const Load& load : kLoads) {
      load_under_way = load.name;
      scheduler.run([&] {
        jobs::Counter done;
        jobs::spawn(done,
                    [&] {
                      Random other(random.next());
                      jobs::fork_join([&] { load.run(random); }, [&] { load.run(other); });
                    },
                    {.on = jobs::worker(worker)});
        done.wait();
      });
    }
  }
  grows = false;
}

// What the process holds while it is idle.
struct Held {
  std::uint64_t kib = 0;  // excludes pages of files, which the system drops and reloads at any time
  std::size_t mappings = 0;
  std::size_t files = 0;
};

Held held_now() {
  Held held;
  // The counters of statm are inexact before Linux 6.16: each CPU adds 64 pages at a time.
  std::ifstream pages("/proc/self/smaps_rollup");
  for (std::string word; pages >> word;) {
    if (word == "Anonymous:") pages >> held.kib;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++held.mappings;
  const std::filesystem::directory_iterator files("/proc/self/fd");
  held.files = static_cast<std::size_t>(std::distance(begin(files), end(files)));
  return held;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t wanted_jobs = 5'000'000;
  std::uint64_t wanted_waits = 1'000'000;
  std::chrono::seconds wanted_time{0};
  unsigned workers = 0;
  std::ofstream held;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--jobs") wanted_jobs = value;
    if (option == "--waits") wanted_waits = value;
    if (option == "--seconds") wanted_time = std::chrono::seconds(value);
    if (option == "--held") held.open(argv[i + 1]);
    if (option == "--workers") workers = static_cast<unsigned>(value);
  }
  const char* const seed = std::getenv("JOBS_CHAOS");
  std::printf("chaos: seed %s\n", seed != nullptr ? seed : "0");
  std::fflush(stdout);
  Random random(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0);
  const std::jthread watchdog([](const std::stop_token& stop) { watch(stop); });
  const auto end = std::chrono::steady_clock::now() + wanted_time;
  {
    // Few idle stacks, so that stacks are created and destroyed often.
    jobs::Scheduler scheduler({.worker_count = workers, .max_idle_stacks = 16});
    if (held.is_open()) grow(scheduler, random);
    while (job_count < wanted_jobs || wait_count < wanted_waits ||
           std::chrono::steady_clock::now() < end) {
      for (const Load& load : kLoads) {
        load_under_way = load.name;
        const std::uint64_t jobs_before = job_count;
        const std::uint64_t waits_before = wait_count;
        scheduler.run([&] {
          // Two loads at a time, so that they disturb each other.
          Random other(random.next());
          const Load& neighbour = kLoads[random.below(std::size(kLoads))];
          jobs::fork_join([&] { load.run(random); }, [&] { neighbour.run(other); });
        });
        expect(job_count > jobs_before || wait_count > waits_before, "nothing was done");
      }
      // Each stack keeps the pages of its deepest use: without a trim the stacks grow for hours,
      // and hide leaks.
      scheduler.trim();
      malloc_trim(0);
      if (held.is_open()) {
        const Held now = held_now();
        held << now.kib << ' ' << now.mappings << ' ' << now.files << std::endl;
      }
    }
    scheduler.shutdown();
    const jobs::Stats stats = scheduler.stats();
    expect(stats.fibers == stats.fibers_idle, "a fiber has not ended");
  }
  std::printf(
      "chaos: %llu jobs, %llu waits, %llu findings\n", static_cast<unsigned long long>(job_count),
      static_cast<unsigned long long>(wait_count), static_cast<unsigned long long>(findings));
  return findings == 0 ? 0 : 1;
}
