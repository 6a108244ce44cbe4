// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Execution: one run of a model. Its threads are fibers on the calling OS thread. At each
// scheduling point the strategy chooses the thread that continues.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "jobs/fiber/current.hpp"
#include "tests/model/explorer/explore.hpp"
#include "tests/model/explorer/memory.hpp"
#include "tests/model/explorer/strategy.hpp"

namespace jobs::model {

class Execution {
 public:
  Execution(const Options& options, Strategy& strategy);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  // The execution that runs at present; explore() is not reentrant.
  static Execution& current() {
    if (current_ == nullptr) [[unlikely]]
      refuse();
    return *current_;
  }

  // Runs the body once. Returns an empty string or the failure.
  std::string run(const Body& body);
  void trace_to(std::string* trace) { trace_ = trace; }
  unsigned steps() const { return steps_; }

  // Called by the body and its threads.
  void run_threads(std::span<const BodyRef> bodies);
  [[noreturn]] void fail(const std::string& why);
  std::size_t running() const { return running_; }
  std::size_t choose(std::size_t n) { return strategy_.choose(n); }

  // Called by the operations.
  void schedule();  // a scheduling point: other threads may run first
  Memory& memory() { return memory_; }
  ThreadView& view() { return threads_[running_].view; }
  detail::ThreadState& thread_state() { return threads_[running_].state; }
  // Checks the lifetime of the atomic and records the use.
  std::size_t live_atomic(const void* address);
  void create_atomic(const void* address, Value initial);
  void destroy_atomic(const void* address);
  void create_plain(const void* address);
  void destroy_plain(const void* address);
  void read_plain(const void* address);
  void write_plain(const void* address);
  void note_changes(std::uint32_t before);  // the running thread made the changes since `before`
  void heavy_fence();
  void spin();
  os::Nanoseconds now();
  void add_time(os::Nanoseconds time);
  bool sleep(const void* word, os::Nanoseconds deadline);  // false: the deadline came first
  bool wakes_spuriously();
  void wake_one(const void* word);
  Membarrier membarrier() const { return options_.membarrier; }

  // Adds one line about the running thread to the trace.
  template <class MakeText>
  void trace(MakeText&& make_text) {
    if (trace_ != nullptr) add_trace(make_text());
  }

 private:
  enum class Wait { kNone, kSpin, kFutex, kThreads };

  struct Stack;
  struct Thread {
    const BodyRef* body = nullptr;
    void* context = nullptr;
    bool done = true;
    Wait wait = Wait::kNone;
    const void* word = nullptr;  // the word of a kFutex wait
    os::Nanoseconds deadline = os::kNever;
    bool timed_out = false;
    std::uint32_t seen_changes = 0;  // Memory::changes() at the last spin of the thread
    std::uint32_t own_changes = 0;   // the thread's own changes since its last spin
    ThreadView view;
    detail::ThreadState state;
  };

  [[noreturn]] static void refuse();
  [[noreturn]] void enter();
  AccessLog& live_plain(const void* address) { return plain_logs_[live_plain_number(address)]; }
  std::size_t live_plain_number(const void* address);
  void start(std::size_t thread, const BodyRef& body);
  bool can_run(std::size_t thread) const;
  void go_on_with(std::size_t thread);
  void switch_from_blocked();
  [[noreturn]] void stop();
  std::string describe_deadlock() const;
  void add_trace(const std::string& text);

  static Execution* current_;

  const Options& options_;
  Strategy& strategy_;
  Memory memory_;
  AddressTable plain_;
  std::vector<AccessLog> plain_logs_;
  std::vector<std::size_t> free_plain_logs_;
  std::array<Thread, kMaxThreads> threads_;
  std::array<std::unique_ptr<Stack>, kMaxThreads> stacks_;
  std::size_t thread_count_ = 0;
  std::size_t most_threads_ = 0;  // largest number of threads in the execution
  std::size_t running_ = 0;
  unsigned preemptions_left_ = 0;
  unsigned spurious_wakes_left_ = 0;
  unsigned steps_ = 0;
  unsigned fruitless_spins_ = 0;  // resumed spins since the last change
  std::uint32_t changes_at_fruitless_spin_ = 0;
  os::Nanoseconds now_ = 0;
  std::vector<os::Nanoseconds> times_;
  std::string failure_;
  void* host_ = nullptr;
  std::string* trace_ = nullptr;
};

}  // namespace jobs::model
