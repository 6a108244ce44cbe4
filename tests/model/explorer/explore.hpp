// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// explore(): runs a small program over and over, each time with other interleavings of its threads and other results of
// its loads, until it fails or nothing new is left. What a model is made of:
//
//   const Result result = explore([] {
//     ChaseLevDeque<Item, std::int8_t, 2> deque;      // shipping code, built with JOBS_MODEL; locals are shared by
//     reference Item item; StealResult<Item> stolen; run_threads([&] { deque.push(&item); }, [&] { stolen =
//     deque.steal(); }); check(deque.looks_empty() == (stolen.item == &item), "the item is in one place");
//   });
//
// Everything that Atomic or Plain is made of must be constructed inside the body. The body must be deterministic: no
// clock, no random numbers, no addresses in decisions. Failures: check(), a data race on Plain, use of a dead object, a
// deadlock or lost wake-up (nobody can run), an execution that does not end (max_steps), breach().
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
  kRandom,      // every choice by dice
  kPriorities,  // PCT: threads have random priorities that change at a few random steps; for what is too large to
                // exhaust
};

enum class Membarrier {
  kInstant,   // all threads are interrupted at once
  kOneByOne,  // one after the other, with other steps in between
  kRefused,   // light_fence() and heavy_fence() are seq_cst fences
};

struct Options {
  Search search = Search::kExhaustive;
  unsigned preemptions = 2;  // a thread that could go on is interrupted at most so often; kExhaustive only
  Membarrier membarrier = Membarrier::kInstant;
  unsigned spurious_wakes = 0;  // futex waits that return for no reason, in one execution
  unsigned max_steps = 2000;    // a longer execution counts as a livelock
  std::uint64_t max_executions = UINT64_MAX;
  double seconds = 20;  // of computing; then explore() stops without a verdict
  std::uint64_t seed = 1;
  unsigned priority_changes = 2;
  std::string replay = {};  // the tape of a failure: runs that execution alone, with a trace
};

struct Result {
  std::uint64_t executions = 0;
  bool exhausted = false;  // nothing is left within the bound
  unsigned preemptions = 0;
  double seconds = 0;
  std::string failure;  // empty: none found
  std::string tape;     // of the failing execution
  std::string trace;    // its operations, one to a line

  bool failed() const { return !failure.empty(); }
  // One line: executions, how far, the failure and its tape.
  std::string summary() const;
};

using Body = std::function<void()>;

// What a thread is to run; it refers to a callable that lives somewhere else for at least as long.
class BodyRef {
 public:
  template <class F>
  requires(!std::same_as<F, BodyRef>) explicit BodyRef(const F& f)
      : object_(&f), call_([](const void* object) { (*static_cast<const F*>(object))(); }) {}
  void operator()() const { call_(object_); }

 private:
  const void* object_;
  void (*call_)(const void* object);
};

Result explore(const Body& body, const Options& options = {});

// --- inside the body
// ----------------------------------------------------------------------------------------------------

// Runs the threads to their ends. What the caller did before happens before them, what they did before what it does
// next.
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

// 0 for the body, 1... for its threads.
std::size_t current_thread();

// One of n, all of which are tried.
std::size_t choose(std::size_t n);

// A time that os::now() may jump to: before it, or at it. Deadlines of futex waits are such times by themselves.
void add_time(os::Nanoseconds time);

}  // namespace jobs::model
