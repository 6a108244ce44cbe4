// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// explore(): runs a small program again and again, each time with another interleaving of its
// threads and other results of its loads. It stops at a failure, or when no unexplored execution is
// left. A model looks as follows:
//
//   const Result result = explore([] {
//     // Shipping code, built with JOBS_MODEL.
//     ChaseLevDeque<Item, std::int8_t, 2> deque;
//     Item item;
//     StealResult<Item> stolen;
//     // The threads share the locals by reference.
//     run_threads([&] { deque.push(&item); }, [&] { stolen = deque.steal(); });
//     check(deque.looks_empty() == (stolen.item == &item), "the item is in one place");
//   });
//
// The body constructs every Atomic and every Plain that the model uses. The body must be
// deterministic: no clock, no random numbers, no decision that depends on an address.
//
// Failures: check(), a data race on Plain, use of a dead object, a deadlock or lost wake-up (no
// thread can run), an execution that does not end (max_steps), contract_violation().
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "jobs/base/os.hpp"

namespace jobs::model {

enum class Search {
  kExhaustive,  // depth first, complete up to the preemption bound
  kRandom,      // every choice is random
  // PCT: threads have random priorities that change at a few random steps; for models that are too
  // large to exhaust
  kPriorities,
};

enum class Membarrier {
  kInstant,   // all threads are interrupted at once
  kOneByOne,  // one after the other, with other steps in between
  kRefused,   // light_fence() and heavy_fence() are seq_cst fences
};

struct Options {
  Search search = Search::kExhaustive;
  // Limit of interruptions of threads that could continue; kExhaustive only.
  unsigned preemptions = 2;
  Membarrier membarrier = Membarrier::kInstant;
  unsigned spurious_wakes = 0;  // futex waits that return for no reason, in one execution
  unsigned max_steps = 2000;    // a longer execution counts as a livelock
  std::uint64_t max_executions = UINT64_MAX;
  double seconds = 20;  // of computing; after that time explore() stops without a verdict
  std::uint64_t seed = 1;
  unsigned priority_changes = 2;
  std::string replay = {};  // the tape of a failure: runs only that execution, with a trace
};

struct Result {
  std::uint64_t executions = 0;
  bool exhausted = false;  // no execution is left within the bound
  unsigned preemptions = 0;
  double seconds = 0;
  std::string failure;  // empty: none found
  std::string tape;     // of the failing execution
  std::string trace;    // its operations, one to a line

  bool failed() const { return !failure.empty(); }
  // One line: number of executions, extent of the search, the failure and its tape.
  std::string summary() const;
};

using Body = std::function<void()>;

// The function of a thread. Refers to a callable that outlives it.
class BodyRef {
 public:
  template <class F>
    requires(!std::same_as<F, BodyRef>)
  explicit BodyRef(const F& f)
      : object_(&f), call_([](const void* object) { (*static_cast<const F*>(object))(); }) {}
  void operator()() const { call_(object_); }

 private:
  const void* object_;
  void (*call_)(const void* object);
};

Result explore(const Body& body, const Options& options = {});

// --- inside the body ---

// Runs the threads to their ends. Everything before the call happens before the threads, and the
// threads happen before everything after the call.
void run_threads(std::span<const BodyRef> threads);
void run_threads(const std::vector<Body>& threads);
template <std::invocable... F>
void run_threads(const F&... threads) {
  const std::array<BodyRef, sizeof...(F)> bodies{BodyRef(threads)...};
  run_threads(std::span<const BodyRef>(bodies));
}

// Ends the execution with a failure unless `holds`.
void check(bool holds, const char* what);
[[noreturn]] void fail(const std::string& why);

// 0 for the body, 1 and up for its threads.
std::size_t current_thread();

// Returns a number below n; the search tries all of them.
std::size_t choose(std::size_t n);

// A time to which os::now() may jump: os::now() returns an earlier time or this one. Deadlines of
// futex waits are such times without a call.
void add_time(os::Nanoseconds time);

}  // namespace jobs::model
