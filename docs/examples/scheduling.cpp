// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Examples of the API reference: jobs, schedulers, reports. The headers show the marked parts.
#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/job_hooks.hpp"
#include "jobs/jobs.hpp"
#include "jobs/stats_text.hpp"

namespace {

using example::check;

//! [spawn]
int count_in_jobs(int n) {
  std::atomic<int> count = 0;
  jobs::Counter done;
  for (int i = 0; i < n; ++i) jobs::spawn(done, [&] { ++count; });
  done.wait();
  return count;
}
//! [spawn]

//! [spawn_options]
void present_and_decode(jobs::Counter& done, bool& presented, bool& decoded) {
  jobs::spawn(done, [&] { presented = true; }, {.on = jobs::main_thread});
  jobs::spawn(done, [&] { decoded = true; }, {.priority = jobs::Priority::kCritical});
}
//! [spawn_options]

//! [priority]
void load_and_index(jobs::Counter& done, bool& loaded, bool& indexed) {
  jobs::spawn(done, [&] { loaded = true; }, {.priority = jobs::Priority::kHigh});
  jobs::spawn(done, [&] { indexed = true; }, {.priority = jobs::Priority::kBackground});
}
//! [priority]

//! [spawn_after]
int sum_of_parts() {
  int left = 0, right = 0, sum = 0;
  const jobs::JobHandle a = jobs::spawn_after({}, [&] { left = 1; });  // no dependency
  const jobs::JobHandle b = jobs::spawn_after({}, [&] { right = 2; });
  jobs::spawn_after({a, b}, [&] { sum = left + right; }).wait();
  return sum;
}
//! [spawn_after]

//! [job_handle]
std::string load(bool fails) {
  std::string text;
  const jobs::JobHandle read = jobs::spawn_after({}, [&] {
    if (fails) throw std::runtime_error("no such file");
    text = "read";
  });
  const jobs::JobHandle parse = jobs::spawn_after(read, [&] { text += ", parsed"; });
  const jobs::JobHandle close = jobs::spawn_on_end(parse, [&] { text += ", closed"; });
  close.wait();
  try {
    parse.wait();
  } catch (const std::runtime_error& error) {
    text += std::string(", ") + error.what();  // parse was left out
  }
  return text;
}
//! [job_handle]

//! [spawn_after_at_most]
// Computes parts, and begins to write when half of them have ended.
int compute_and_write(int parts) {
  jobs::Counter computed;
  std::atomic<int> ended = 0;
  for (int i = 0; i < parts; ++i) jobs::spawn(computed, [&] { ++ended; });
  int at_begin = 0;
  const jobs::JobHandle write =
      jobs::spawn_after(computed, static_cast<std::size_t>(parts / 2), [&] { at_begin = ended; });
  write.wait();
  computed.wait();
  return at_begin;
}
//! [spawn_after_at_most]

//! [dependency_count]
int start_by_hand() {
  int value = 0;
  const jobs::JobHandle job = jobs::spawn_after(jobs::DependencyCount{1}, [&] { value *= 2; });
  job.add_dependency(jobs::spawn_after({}, [&] { value += 20; }));
  job.remove_dependency();  // the count of the first line
  job.wait();
  return value;
}
//! [dependency_count]

//! [spawn_at]
void remind(std::chrono::milliseconds delay, bool& reminded) {
  jobs::spawn_at(std::chrono::steady_clock::now() + delay, [&] { reminded = true; }).wait();
}
//! [spawn_at]

//! [pipe]
std::string write_in_order() {
  jobs::Pipe log;  // no lock: its jobs never overlap
  std::string text;
  for (int i = 0; i < 3; ++i) static_cast<void>(log.spawn([&, i] { text += std::to_string(i); }));
  log.wait();
  return text;
}
//! [pipe]

//! [scheduler]
double sum_on_four_workers(const std::vector<double>& values) {
  jobs::Scheduler scheduler({.worker_count = 4});
  return scheduler.run([&] { return jobs::parallel_reduce(values, 0.0); });
}
//! [scheduler]

//! [scheduler_mode]
// Finds out whether a wrong result comes from the order of the jobs.
std::string in_the_order_of_a_serial_program() {
  const jobs::Scheduler scheduler({.mode = jobs::SchedulerMode::kInline});
  std::string order;
  jobs::Counter done;
  for (const char name : {'a', 'b', 'c'}) {
    jobs::spawn(done, [&, name] { order += name; });  // runs before the call returns
    order += '.';
  }
  done.wait();
  return order;  // "a.b.c."
}
//! [scheduler_mode]

//! [job_threads]
// The jobs of a program as threads: a debugger lists them, and shows the stack of each wait.
int sum_with_a_thread_for_each_job(int count) {
  jobs::Scheduler scheduler({.mode = jobs::SchedulerMode::kThreads});
  jobs::Counter done;
  std::atomic<int> sum = 0;
  for (int i = 0; i < count; ++i) scheduler.spawn(done, [&, i] { sum += i; });
  done.wait();
  return sum;
}
//! [job_threads]

//! [scheduler_spawn]
int decode(jobs::Scheduler& decoders, int pictures) {
  std::atomic<int> decoded = 0;
  jobs::Counter done;
  for (int i = 0; i < pictures; ++i) decoders.spawn(done, [&] { ++decoded; });
  // This thread, external or a worker of another scheduler, does other work here.
  done.wait();
  return decoded;
}
//! [scheduler_spawn]

//! [prewarm]
void load_level(jobs::Scheduler& scheduler) {
  // The first frame maps no stacks: 500 Fibers and jobs may wait at a time.
  scheduler.prewarm(500);
  scheduler.prewarm(100, 16 * 1024);  // also 100 Fibers with a stack_size of 16 KiB
}
//! [prewarm]

//! [scheduler_scope]
double sum_elsewhere(jobs::Scheduler& scheduler, const std::vector<double>& values) {
  const jobs::SchedulerScope scope(scheduler);  // for this thread, until the end of the function
  return jobs::parallel_reduce(values, 0.0);    // by this thread and the workers of `scheduler`
}
//! [scheduler_scope]

//! [bind_current_thread]
int render(jobs::Scheduler& scheduler) {  // SchedulerOptions::bound_threads is at least 1
  const jobs::ThreadBinding binding = scheduler.bind_current_thread();
  int drawn = 0;
  jobs::Counter done;
  jobs::spawn(done, [&] { ++drawn; }, {.on = jobs::worker(binding.worker_index())});
  done.wait();  // this thread serves jobs meanwhile
  return drawn;
}  // the jobs that have started here end first
//! [bind_current_thread]

//! [shutdown_for]
bool stop(jobs::Scheduler& scheduler) {
  if (scheduler.shutdown_for(std::chrono::seconds(5))) return true;
  std::cerr << scheduler.report();  // the jobs and Fibers that have not ended
  return false;                     // shutdown() waits for them
}
//! [shutdown_for]

//! [default_scheduler]
void configure() {
  jobs::set_default_options({.stack_size = 128 * 1024});  // before the first use
  std::cout << jobs::default_scheduler().describe() << '\n';
}
//! [default_scheduler]

//! [current_scheduler]
// The jobs that wait for a worker, and the fibers that wait for anything, of the scheduler that
// runs the caller.
std::string load_of_this_scheduler() {
  const jobs::Stats stats = jobs::Scheduler::current().stats();
  return std::to_string(stats.waiting_jobs) + " jobs and " + std::to_string(stats.fibers_blocked) +
         " fibers wait";
}
//! [current_scheduler]

//! [stats_text]
std::string metrics_page(const jobs::Scheduler& decoders) {
  const jobs::LabelledStats schedulers[] = {{"default", jobs::default_scheduler().stats()},
                                            {"decoders", decoders.stats()}};
  return jobs::to_open_metrics(schedulers);
}
//! [stats_text]

//! [job_hooks]
// Counts what the workers do, and gives each Fiber a set-up of its own.
class Watch final : public jobs::JobHooks {
 public:
  void on_job_begin(const void*) noexcept override { ++running; }
  void on_job_end() noexcept override { --running; }
  void on_wait_begin(jobs::FiberId, jobs::WaitKind kind, const void*) noexcept override {
    if (kind == jobs::WaitKind::kMutex) ++contended;
  }
  void around_fiber(jobs::FiberId, jobs::FiberFunction& body) override {
    ++fibers;
    body();
  }

  std::atomic<int> running = 0, contended = 0, fibers = 0;
};

int fibers_of(Watch& watch) {
  jobs::Scheduler scheduler({.worker_count = 2, .job_hooks = &watch});
  scheduler.run([] { jobs::Fiber<>([] {}).join(); });
  return watch.fibers;
}
//! [job_hooks]

//! [main_thread]
int main_loop(int frames) {
  jobs::Scheduler scheduler({.bind_caller = true});  // this thread is worker 0
  int uploads = 0;
  jobs::Counter done;
  for (int frame = 0; frame < frames; ++frame) {
    jobs::spawn(done, [&] { ++uploads; }, {.on = jobs::main_thread});
    scheduler.run_main_thread_jobs();  // runs the uploads that have arrived
  }
  done.wait();
  return uploads;
}
//! [main_thread]

//! [place]
void bake(bool& baked) {
  jobs::TaskGraph graph;
  graph.node([&] { baked = true; }, "bake").on(jobs::worker(0));
  graph.run();
}
//! [place]

//! [parallel_phase]
void play(int frames, std::vector<float>& samples) {
  const jobs::ParallelPhase hot;  // workers keep searching for work between the loops
  for (int frame = 0; frame < frames; ++frame) {
    jobs::parallel_for(samples, [](float& sample) { sample *= 0.5F; });
  }
}
//! [parallel_phase]

//! [report]
void show_state() {
  for (const jobs::Report& report : jobs::reports()) {
    std::cout << report.workers.size() << " workers, " << report.fibers.size() << " fibers\n";
  }
  jobs::dump(std::cout);   // the same as text
  jobs::dump_on_signal();  // and for each SIGQUIT (Ctrl-\) from here on
}
//! [report]

}  // namespace

int main() {
  configure();
  check(count_in_jobs(100) == 100, "spawn");
  {
    jobs::Scheduler scheduler({.worker_count = 2});
    load_level(scheduler);
    scheduler.spawn([] {});
    check(stop(scheduler), "shutdown_for");
  }
  {
    jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
    jobs::Counter done;
    bool presented = false;
    bool decoded = false;
    present_and_decode(done, presented, decoded);
    done.wait();
    check(presented && decoded, "spawn_options");
    bool loaded = false, indexed = false;
    load_and_index(done, loaded, indexed);
    done.wait();
    check(loaded && indexed, "priority");
  }
  check(sum_of_parts() == 3, "spawn_after");
  check(load(false) == "read, parsed, closed", "job_handle");
  check(load(true) == ", closed, no such file", "job_handle, failure");
  check(compute_and_write(10) >= 5, "spawn_after_at_most");
  check(start_by_hand() == 40, "dependency_count");
  bool reminded = false;
  remind(std::chrono::milliseconds(5), reminded);
  check(reminded, "spawn_at");
  check(write_in_order() == "012", "pipe");
  check(sum_on_four_workers({1, 2, 3}) == 6, "scheduler");
  check(jobs::Scheduler({.worker_count = 1}).run(load_of_this_scheduler) ==
            "0 jobs and 0 fibers wait",
        "current_scheduler");
  check(in_the_order_of_a_serial_program() == "a.b.c.", "scheduler_mode");
  check(sum_with_a_thread_for_each_job(100) == 4950, "job_threads");
  {
    jobs::Scheduler decoders({.worker_count = 2});
    check(decode(decoders, 10) == 10, "scheduler_spawn");
    check(sum_elsewhere(decoders, {1, 2, 3}) == 6, "scheduler_scope");
    check(metrics_page(decoders).ends_with("# EOF\n"), "stats_text");
  }
  {
    jobs::Scheduler scheduler({.worker_count = 2, .bound_threads = 1});
    check(render(scheduler) == 1, "bind_current_thread");
  }
  Watch watch;
  check(fibers_of(watch) == 1 && watch.running == 0, "job_hooks");
  check(main_loop(3) == 3, "main_thread");
  bool baked = false;
  bake(baked);
  check(baked, "place");
  std::vector<float> samples(1000, 8.0F);
  play(3, samples);
  check(samples[999] == 1.0F, "parallel_phase");
  show_state();
  std::cout << jobs::version() << '\n';
  return example::failures;
}
