// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// call_once: the function has one call that succeeds, no two calls overlap, and each return sees
// the effects of the successful call.
#include "jobs/sync/call_once.hpp"

#include <optional>
#include <stdexcept>

#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Plain;

class Once {
 public:
  // The first `failures` calls of the function throw.
  explicit Once(int failures = 0) : failures_(failures) {}

  // Returns false if the function threw.
  bool call() {
    try {
      call_once(*flag_, [this] { make(); });
    } catch (const std::runtime_error&) {
      return false;
    }
    check(value_ == 7, "a return sees the effects of the successful call");
    return true;
  }
  void destroy() { flag_.reset(); }
  int calls() const { return calls_; }

 private:
  void make() {
    check(value_ == 0, "the function succeeds once");
    inside_ = inside_ + 1;
    check(inside_ == 1, "one call at a time");
    calls_ = calls_ + 1;
    inside_ = inside_ - 1;
    if (calls_ <= failures_) throw std::runtime_error("planned");
    value_ = 7;
  }

  const int failures_;
  std::optional<OnceFlag> flag_{std::in_place};
  Plain<int> inside_{0};
  Plain<int> calls_{0};
  Plain<int> value_{0};
};

void second_caller_returns_at_once_or_waits() {
  Once once;
  run_threads([&] { once.call(); },
              [&] {
                once.call();
                once.call();
              });
  check(once.calls() == 1, "one call");
}

void three_callers() {
  Once once;
  const auto call = [&] { once.call(); };
  run_threads(call, call, call);
  check(once.calls() == 1, "one call");
}

void next_caller_calls_after_a_failure() {
  Once once(1);
  bool succeeded[2]{};
  run_threads([&] { succeeded[0] = once.call(); }, [&] { succeeded[1] = once.call(); });
  check(succeeded[0] != succeeded[1], "the failure goes to its caller alone");
  check(once.calls() == 2 && once.call() && once.calls() == 2, "two calls");
}

void last_caller_destroys() {
  Once once;
  Arrivals callers(2);
  const auto call = [&] {
    once.call();
    if (callers.is_last()) once.destroy();
  };
  run_threads(call, call);
}

}  // namespace

const Subject& subject() {
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Subject once = {
      .headers = {"jobs/sync/call_once.hpp"},
      .not_shown = {},
      .models =
          {
              {"second_caller_returns_at_once_or_waits",
               second_caller_returns_at_once_or_waits,
               {.preemptions = 3}},
              {"next_caller_calls_after_a_failure",
               next_caller_calls_after_a_failure,
               {.preemptions = 3}},
              {"last_caller_destroys", last_caller_destroys, {.preemptions = 3}},
              {"three_callers", three_callers, kSampled},
          },
  };
  return once;
}

}  // namespace jobs::model
