// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/explorer/explore.hpp"

#include <cstdio>
#include <ctime>

#include "tests/model/explorer/execution.hpp"
#include "tests/model/explorer/strategy.hpp"

namespace jobs::model {

namespace {

// Computing time of this process. Elapsed time is no measure on a machine that runs other programs,
// too.
double seconds_computed() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

Result explore(const Body& body, const Options& options) {
  constexpr std::uint64_t kLookAtClockEvery = 256;
  const double start = seconds_computed();
  Strategy strategy(options);
  Execution execution(options, strategy);
  if (!options.replay.empty()) strategy.replay(options.replay);

  Result result;
  result.preemptions = options.preemptions;
  while (true) {
    if (!strategy.start_next()) {
      result.exhausted = true;
      break;
    }
    result.failure = execution.run(body);
    strategy.note_steps(execution.steps());
    ++result.executions;
    if (result.failed() || !options.replay.empty() || result.executions == options.max_executions)
      break;
    if (result.executions % kLookAtClockEvery == 0 && seconds_computed() - start > options.seconds)
      break;
  }
  if (result.failed()) {
    result.tape = strategy.tape();
    strategy.replay(result.tape);
    strategy.start_next();
    execution.trace_to(&result.trace);
    execution.run(body);
  }
  result.seconds = seconds_computed() - start;
  return result;
}

std::string Result::summary() const {
  char head[96];
  std::snprintf(head, sizeof head, "%llu executions in %.2f s, ",
                static_cast<unsigned long long>(executions), seconds);
  if (failed()) return head + ("FAILED: " + failure) + " (tape " + tape + ")";
  return head + std::string(exhausted
                                ? "exhausted at preemption bound " + std::to_string(preemptions)
                                : "not exhausted");
}

void run_threads(std::span<const BodyRef> threads) { Execution::current().run_threads(threads); }

void run_threads(const std::vector<Body>& threads) {
  std::vector<BodyRef> bodies;
  for (const Body& thread : threads) bodies.emplace_back(thread);
  run_threads(std::span<const BodyRef>(bodies));
}

void check(bool holds, const char* what) {
  if (!holds) fail(what);
}

void fail(const std::string& why) { Execution::current().fail(why); }

std::size_t current_thread() { return Execution::current().running(); }

std::size_t choose(std::size_t n) { return Execution::current().choose(n); }

void add_time(os::Nanoseconds time) { Execution::current().add_time(time); }

}  // namespace jobs::model
