// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/timers_oracle.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "jobs/runtime/timers.hpp"

namespace jobs::test {
namespace {

using detail::Deadline;
using os::Nanoseconds;

class Comparison {
 public:
  explicit Comparison(std::uint64_t seed) : random_(seed) {}

  std::string run(int steps) {
    for (int step = 0; step < steps && problem_.empty(); ++step) {
      switch (random_() % 8) {
        case 0:
        case 1:
        case 2:
        case 3:
          arm();
          break;
        case 4:
        case 5:
          disarm();
          break;
        case 6:
          advance(now_ + distance());
          break;
        case 7:
          wait();
          break;
      }
      if (problem_.empty()) compare();
      if (!problem_.empty()) problem_ += " at step " + std::to_string(step);
    }
    return problem_;
  }

 private:
  struct Entry {
    Entry(Nanoseconds at, Nanoseconds now) : deadline(nullptr, at), armed_at(now) {}
    Deadline deadline;
    Nanoseconds armed_at;
  };

  // Any magnitude is as likely as any other: nanoseconds, ticks, centuries.
  Nanoseconds distance() {
    const auto bits = random_() % 60;
    return static_cast<Nanoseconds>(random_() & ((std::uint64_t{1} << bits) - 1));
  }

  Nanoseconds time() {
    switch (random_() % 8) {
      case 0:
        return std::max<Nanoseconds>(0, now_ - distance());  // in the past
      case 1:
        return now_;
      case 2:
        return os::kNever - static_cast<Nanoseconds>(random_() % 3);  // the end of time
      case 3:
        if (!oracle_.empty()) return any()->first;  // somebody else's time
        [[fallthrough]];
      default:
        return now_ > os::kNever / 2 ? now_ : now_ + distance();
    }
  }

  std::multimap<Nanoseconds, Entry*>::iterator any() {
    // A random time, then the next one: good enough, and no walk.
    const auto found = oracle_.lower_bound(now_ + distance());
    return found != oracle_.end() ? found : oracle_.begin();
  }

  void arm() {
    const Nanoseconds at = time();
    entries_.emplace_back(at, now_);
    oracle_.emplace(at, &entries_.back());  // behind those of the same time
    timers_.arm(entries_.back().deadline);
  }

  void disarm() {
    if (oracle_.empty()) return;
    const auto entry = any();
    timers_.disarm(entry->second->deadline);
    timers_.disarm(entry->second->deadline);  // again, which does nothing
    oracle_.erase(entry);
    ++disarmed_;
  }

  // As a worker that has nothing else to do.
  void wait() {
    if (timers_.nearest() > os::kNever / 2) return;
    const std::size_t before = oracle_.size();
    advance(timers_.nearest());
    if (problem_.empty() && before > 0 && oracle_.size() == before && ++futile_ > disarmed_) fail("woke for nothing");
  }

  void advance(Nanoseconds to) {
    if (to > os::kNever / 2) to = now_;  // let there be time for the next steps
    now_ = std::max(now_, to);
    Nanoseconds last_tick = 0;
    Deadline* due = timers_.take_due(now_);
    while (due != nullptr) {
      Deadline* const next = due->next;
      if (due->at > now_) return fail("fired early");
      if (due->armed) return fail("fired, but is still armed");
      const auto [first, last] = oracle_.equal_range(due->at);
      if (first == last) return fail("fired, but was not armed");
      if (&first->second->deadline != due) return fail("fired before an equal one that was armed earlier");
      if (first->second->armed_at < due->at) {
        const Nanoseconds tick = due->at >> 16;
        if (tick < last_tick) return fail("fired after a later one");
        last_tick = tick;
      }
      oracle_.erase(first);
      due = next;
    }
    if (!oracle_.empty() && oracle_.begin()->first <= now_) fail("did not fire");
  }

  void compare() {
    if (timers_.empty() != oracle_.empty()) return fail("is empty, or is not");
    const Nanoseconds nearest = oracle_.empty() ? os::kNever : oracle_.begin()->first;
    if (timers_.nearest() > nearest) return fail("sees its nearest deadline too late");
    if (disarmed_ == 0 && timers_.nearest() != nearest) fail("sees its nearest deadline too early");
  }

  void fail(const char* what) { problem_ = std::string("the wheel ") + what; }

  std::mt19937_64 random_;
  detail::Timers timers_;
  std::deque<Entry> entries_;  // all that ever were: addresses must stay
  std::multimap<Nanoseconds, Entry*> oracle_;
  Nanoseconds now_ = 1;
  int disarmed_ = 0;
  int futile_ = 0;
  std::string problem_;
};

}  // namespace

std::string compare_timers_with_oracle(std::uint64_t seed, int steps) { return Comparison(seed).run(steps); }

}  // namespace jobs::test
