// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What runs between the push of a job and its start, while all workers are busy with other jobs. No
// kind of job waits for the end of the others.
//
// The bounds are numbers of jobs of the worker that runs the job. The time between two jobs of a
// worker has no bound, because the system may take the CPU from it. The tests record the times.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/default_scheduler.hpp"
#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/in_time.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::test::is_true_in_time;
using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

void compute_for(Duration duration) {
  for (const auto end = Clock::now() + duration; Clock::now() < end;) {
  }
}

double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// The figures of probes.
struct Delays {
  void sort() {
    std::sort(times.begin(), times.end());
    std::sort(before.begin(), before.end());
  }
  Duration median() const { return times[times.size() / 2]; }
  Duration max() const { return times.back(); }
  std::uint64_t median_before() const { return before[before.size() / 2]; }
  std::vector<Duration> times;
  // The jobs of the load that the worker of each probe began between the push and the start.
  std::vector<std::uint64_t> before;
};

// Counts what the workers begin.
class Begun {
 public:
  explicit Begun(unsigned workers) : counts_(workers) {}
  // The calling worker begins a job of the load. A push that it sees comes before its next call.
  void add() {
    ++counts_[*jobs::worker_index()];
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  std::uint64_t of(unsigned worker) const { return counts_[worker]; }
  std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }
  std::vector<std::uint64_t> all() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return {counts_.begin(), counts_.end()};
  }

 private:
  std::vector<std::atomic<std::uint64_t>> counts_;
};

// Counts the jobs of a flood that a worker runs between two links of chains.
class Gaps {
 public:
  explicit Gaps(unsigned workers) : of_worker_(workers) {}
  // The calling worker begins a job of the flood, or a link.
  void add_job() { ++of_worker_[*jobs::worker_index()].jobs; }
  void add_link() {
    OfWorker& own = of_worker_[*jobs::worker_index()];
    if (own.jobs == 0) return;
    own.gaps.push_back(std::exchange(own.jobs, 0));
    ++count_;
  }
  int count() const { return count_; }
  // When no worker adds any more. A worker without a chain has a longer gap once it gets one.
  unsigned median() const {
    std::vector<unsigned> all;
    for (const OfWorker& worker : of_worker_)
      all.insert(all.end(), worker.gaps.begin(), worker.gaps.end());
    std::sort(all.begin(), all.end());
    return all.empty() ? 0 : all[all.size() / 2];
  }

 private:
  // Only that worker accesses it.
  struct OfWorker {
    unsigned jobs = 0;
    std::vector<unsigned> gaps;
  };
  std::vector<OfWorker> of_worker_;
  std::atomic<int> count_{0};
};

class Fairness : public testing::TestWithParam<unsigned> {
 protected:
  // A worker that has checked the queue before the push begins a job. If the job before it came
  // from the queue, one more job goes first.
  static constexpr std::uint64_t kMostBefore = 2;

  // Starts a chain of jobs of that length per worker. Each job spawns the next one.
  void start_chains(Duration length) {
    length_ = length;
    for (unsigned i = 0; i < GetParam(); ++i) scheduler_.spawn(done_, [this] { link(); });
  }
  void stop_chains() {
    stop_ = true;
    done_.wait();
  }
  void link() {
    begun_.add();
    below_.count_link();
    gaps_.add_link();
    compute_for(length_.load());
    if (under_next_link_.load(std::memory_order_relaxed) != nullptr) {
      if (const auto* const push = under_next_link_.exchange(nullptr)) (*push)();
    }
    if (!stop_) jobs::spawn(done_, [this] { link(); });
  }
  // Lets the next job of a chain push a job to its deque, below the job that continues the chain.
  // Returns the time until its start.
  Duration delay_below_a_chain() {
    std::atomic<Clock::rep> delay{0};
    const std::function<void()> push = [&] {
      const auto start = Clock::now();
      below_.begin();
      jobs::spawn(done_, [&, start] {
        below_.end();
        delay = std::max<Clock::rep>((Clock::now() - start).count(), 1);
      });
    };
    under_next_link_ = &push;
    EXPECT_TRUE(is_true_in_time([&] { return delay != 0; }));
    stop_chains();
    return Duration(delay);
  }
  // Submits one job after another from this thread, with a pause before each.
  Delays probe(int count, Duration pause, const jobs::SpawnOptions& options) {
    Delays delays;
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_for(pause);
      Duration delay{};
      unsigned worker = 0;
      std::uint64_t begun = 0;
      const auto start = Clock::now();
      jobs::Counter done;
      scheduler_.spawn(
          done,
          [&, start] {
            worker = *jobs::worker_index();
            begun = begun_.of(worker);
            delay = Clock::now() - start;
          },
          options);
      const std::vector<std::uint64_t> pushed = begun_.all();
      done.wait();
      delays.times.push_back(delay);
      delays.before.push_back(begun - std::min(begun, pushed[worker]));
    }
    delays.sort();
    RecordProperty("median_us", std::to_string(delays.median() / 1us));
    RecordProperty("max_us", std::to_string(delays.max() / 1us));
    return delays;
  }

  // A job below a chain. Its worker first sees it in one of the next kCheck jobs, and takes it in
  // one of the kCheck jobs after the next 5 ms.
  class Below {
   public:
    static constexpr int kCheck = 61;
    void begin() {
      worker_ = *jobs::worker_index();
      is_waiting_ = true;
    }
    void end() {
      is_waiting_ = false;
      was_stolen_ = *jobs::worker_index() != worker_;
    }
    void count_link() {
      if (!is_waiting_ || *jobs::worker_index() != worker_) return;
      const auto now = Clock::now();
      if (++links_ <= kCheck) seen_ = now;
      if (now - seen_ >= 5ms) ++late_links_;
    }
    // Links that began after the time at which the job was due.
    int late_links() const { return late_links_; }
    bool was_stolen() const { return was_stolen_; }

   private:
    std::atomic<bool> is_waiting_{false};
    std::atomic<unsigned> worker_{0};
    std::atomic<bool> was_stolen_{false};
    // Only the worker of the job accesses these.
    int links_ = 0;
    Clock::time_point seen_;
    std::atomic<int> late_links_{0};
  };

  const Clock::time_point created_ = Clock::now();
  jobs::Scheduler scheduler_{jobs::SchedulerOptions{.worker_count = GetParam()}};
  double shown_delay_in_ms() const {
    return in_ms(std::chrono::nanoseconds(scheduler_.stats().max_start_delay_ns));
  }

  Begun begun_{GetParam()};
  Gaps gaps_{GetParam()};
  Below below_;
  jobs::Counter done_;
  std::atomic<Duration> length_{};
  std::atomic<bool> stop_{false};
  std::atomic<const std::function<void()>*> under_next_link_{nullptr};
};

INSTANTIATE_TEST_SUITE_P(Workers, Fairness, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST_P(Fairness, RunsAJobBelowAChainOfJobs) {
  start_chains(20us);
  std::this_thread::sleep_for(20ms);
  const Duration delay = delay_below_a_chain();
  RecordProperty("delay_us", std::to_string(delay / 1us));
  // Thieves may disturb some checks of the worker.
  if (!below_.was_stolen()) {
    EXPECT_LE(below_.late_links(), (GetParam() == 1 ? 1 : 10) * Below::kCheck);
  }
  EXPECT_LE(shown_delay_in_ms(), in_ms(Clock::now() - created_));
  // No worker steals the job.
  if (GetParam() == 1) {
    EXPECT_GE(shown_delay_in_ms(), 5);
  }
}

TEST_P(Fairness, RunsAJobFromOutsideBetweenChainsOfLongJobs) {
  start_chains(1ms);
  const Delays delays = probe(40, 1ms, {});
  stop_chains();
  EXPECT_LE(delays.median_before(), kMostBefore);
}

// Short jobs come first: they have set a long interval between two checks of the shared queue.
TEST(Stall, LeavesUnstartedWorkOfABlockedWorkerToAnIdleOne) {
  constexpr int kCount = 50;
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<bool> is_blocked{false};
  std::atomic<int> started{0};
  const auto start = [&] { ++started; };
  jobs::Counter done;
  // Occupies the other worker, so that no thief publishes the deque at a push.
  scheduler.spawn(done, [&] {
    while (!is_blocked) std::this_thread::yield();
  });
  int started_meanwhile = 0;
  std::vector<jobs::Fiber<>> fibers;
  scheduler.spawn(done, [&] {
    for (int i = 0; i < kCount; ++i) jobs::spawn(done, start);
    for (int i = 0; i < kCount; ++i) fibers.emplace_back(start);
    is_blocked = true;
    // Blocks the worker in the kernel.
    is_true_in_time([&] { return started == 3 * kCount; });
    started_meanwhile = started;
  });
  while (!is_blocked) std::this_thread::yield();
  for (int i = 0; i < kCount; ++i) scheduler.spawn(done, start);
  done.wait();
  for (jobs::Fiber<>& fiber : fibers) fiber.join();
  EXPECT_EQ(started_meanwhile, 3 * kCount);
}

// Each CPU has a job that computes until a job of its own deque has run. The other workers sleep.
TEST(Stall, LeavesAJobToASleepingWorkerIfARunningJobWaitsForIt) {
  const unsigned cpus = jobs::default_scheduler().worker_count();
  jobs::Scheduler scheduler({.worker_count = cpus + 2});
  std::atomic<unsigned> ran{0};
  std::atomic<unsigned> gave_up{0};
  scheduler.run([&] {
    jobs::Counter all;
    for (unsigned i = 0; i < cpus; ++i) {
      jobs::spawn(all, [&] {
        std::atomic<bool> done{false};
        jobs::Counter child;
        jobs::spawn(child, [&] { done = true; });
        const auto end = Clock::now() + 3s;
        while (!done && Clock::now() < end) {
        }
        ++(done ? ran : gave_up);
        child.wait();
      });
    }
    all.wait();
  });
  EXPECT_EQ(ran, cpus);
  EXPECT_EQ(gave_up, 0u);
}

TEST_P(Fairness, RunsAJobFromOutsideSoonAfterShortJobsBecomeLong) {
  scheduler_.run([] {
    jobs::Counter done;
    for (int i = 0; i < 10'000; ++i) jobs::spawn(done, [] {});
    done.wait();
  });
  std::this_thread::sleep_for(20ms);  // The workers park.
  start_chains(10ms);
  std::this_thread::sleep_for(10ms);
  const Delays delays = probe(5, 0ms, {});
  stop_chains();
  EXPECT_LE(delays.median_before(), kMostBefore);
}

// No worker sleeps in between.
TEST_P(Fairness, RunsAJobFromOutsideSoonAfterTheLinksOfChainsBecomeLong) {
  start_chains(1us);
  std::this_thread::sleep_for(20ms);
  length_ = 20ms;
  std::this_thread::sleep_for(10ms);
  const Delays delays = probe(5, 0ms, {});
  stop_chains();
  EXPECT_LE(delays.median_before(), kMostBefore);
}

// Each worker alternates between the jobs from outside and its chain. A worker may have no chain,
// because another worker has stolen it. So the flood lasts until the chains have advanced.
TEST_P(Fairness, RunsChainsUnderAFloodOfLongJobsFromOutside) {
  start_chains(1ms);
  std::this_thread::sleep_for(5ms);
  std::atomic<int> started{0};
  jobs::Counter flood;
  int flooded = 0;
  const auto add = [&] {
    ++flooded;
    scheduler_.spawn(flood, [&] {
      ++started;
      gaps_.add_job();
      compute_for(1ms);
    });
  };
  for (unsigned i = 0; i < 60 * GetParam(); ++i) add();
  EXPECT_TRUE(is_true_in_time([&] {
    while (flooded - started < 20) add();
    return gaps_.count() >= 10;
  }));
  flood.wait();
  stop_chains();
  EXPECT_EQ(gaps_.median(), 1u);
  // The only worker takes a link after each job.
  if (GetParam() == 1) {
    EXPECT_GE(gaps_.count(), flooded - 1);
  }
}

TEST_P(Fairness, ShowsTheLongestDelayOfAJobFromOutside) {
  std::atomic<unsigned> begun{0};
  std::atomic<bool> stop{false};
  for (unsigned i = 0; i < GetParam(); ++i) {
    scheduler_.spawn(done_, [&] {
      for (++begun; !stop; std::this_thread::yield()) {
      }
    });
  }
  while (begun != GetParam()) std::this_thread::yield();
  const double before = shown_delay_in_ms();
  jobs::Counter late;
  scheduler_.spawn(late, [] {});
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(before + 20));
  stop = true;
  late.wait();
  done_.wait();
  EXPECT_GE(shown_delay_in_ms(), before + 20);
}

class FairnessOfLoops : public Fairness {
 protected:
  // Probes with critical jobs while nested loops of 200 us per iteration run on all workers. Each
  // chunk is one iteration. A worker that has checked for critical jobs before the push begins one.
  void expect_prompt(const jobs::SpawnOptions& options) {
    std::atomic<bool> enough{false};
    scheduler_.spawn(done_, [&] {
      const auto give_up = Clock::now() + 20s;  // A job that never starts is a failure, no hang.
      while (!enough && Clock::now() < give_up) {
        jobs::parallel_for(0, 4, [&](int) {
          jobs::parallel_for(0, 25 * static_cast<int>(jobs::worker_count()), [&](int) {
            begun_.add();
            compute_for(200us);
          });
        });
      }
    });
    EXPECT_TRUE(is_true_in_time([&] { return begun_.total() != 0; }));
    const Delays delays = probe(20, 2ms, options);
    enough = true;
    done_.wait();
    EXPECT_LE(delays.before.back(), 1u);
  }
};

INSTANTIATE_TEST_SUITE_P(Workers, FairnessOfLoops, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST_P(FairnessOfLoops, RunsACriticalJobBetweenTwoIterations) {
  expect_prompt({.priority = jobs::Priority::kCritical});
}

TEST_P(FairnessOfLoops, RunsACriticalJobForOneWorkerBetweenTwoIterations) {
  expect_prompt({.on = jobs::worker(0), .priority = jobs::Priority::kCritical});
}

// The critical job waits for a mutex that the frame below the loop owns.
TEST_P(FairnessOfLoops, LetsACriticalJobWaitForTheCallerOfTheLoop) {
  jobs::Mutex mutex;
  bool has_ended = false;
  std::atomic<bool> has_begun{false};
  scheduler_.run([&] {
    jobs::Counter critical;
    {
      const std::lock_guard guard(mutex);
      jobs::parallel_for(0, 100, [&](int i) {
        if (i == 0) {
          for (unsigned w = 0; w < jobs::worker_count(); ++w) {
            jobs::spawn(critical,
                        [&] {
                          has_begun = true;
                          const std::lock_guard inner(mutex);
                          EXPECT_TRUE(has_ended);
                        },
                        {.on = jobs::worker(w), .priority = jobs::Priority::kCritical});
          }
        }
        compute_for(200us);
      });
      EXPECT_TRUE(has_begun);
      has_ended = true;
    }
    critical.wait();
  });
}

// Short turns come first: the worker must not expect that the later ones are short, too.
TEST(Deadlines, PassWithinFewLongJobs) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([] {
    int ran = 0;
    int ran_before_wake_up = -1;
    jobs::Counter done;
    jobs::spawn(done, [&] {
      for (int i = 0; i < 1000; ++i) jobs::yield();
      jobs::this_fiber::sleep_for(1ms);
      ran_before_wake_up = ran;
    });
    for (int i = 0; i < 1000; ++i) jobs::yield();
    for (int i = 0; i < 30; ++i) {
      jobs::spawn(done, [&ran] {
        compute_for(2ms);
        ++ran;
      });
    }
    done.wait();
    EXPECT_LE(ran_before_wake_up, 6);
  });
}

}  // namespace
