// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/timers_oracle.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "jobs/runtime/worker/timers.hpp"

namespace jobs::test {
namespace {

using detail::Deadline;
using os::Nanoseconds;

class Comparison {
 public:
  explicit Comparison(std::uint64_t seed) : random_(seed) {}

  std::string run(int steps) {
    for (int step = 0; step < steps && problem_.empty(); ++step) {
      if (random_() % 400 == 0) arm_crowd();
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

  // All magnitudes are equally likely: nanoseconds, ticks, centuries.
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
        if (!oracle_.empty()) return any()->first;  // the time of another deadline
        [[fallthrough]];
      default:
        return now_ > os::kNever / 2 ? now_ : now_ + distance();
    }
  }

  std::multimap<Nanoseconds, Entry*>::iterator any() {
    // A random time, then the next one: random enough, without a walk of the container.
    const auto found = oracle_.lower_bound(now_ + distance());
    return found != oracle_.end() ? found : oracle_.begin();
  }

  // Enough deadlines to fill one slot or several.
  void arm_crowd() {
    const Nanoseconds from = time();
    const auto spread = static_cast<std::uint64_t>(std::min(distance(), os::kNever - from)) + 1;
    for (unsigned i = 0; i < 4 * detail::Timers::kBatch; ++i) {
      arm(from + static_cast<Nanoseconds>(random_() % spread));
    }
  }

  void arm() { arm(time()); }

  void arm(Nanoseconds at) {
    entries_.emplace_back(at, now_);
    oracle_.emplace(at, &entries_.back());  // behind the entries of the same time
    timers_.arm(entries_.back().deadline);
  }

  void disarm() {
    if (oracle_.empty()) return;
    const auto entry = any();
    timers_.disarm(entry->second->deadline);
    timers_.disarm(entry->second->deadline);  // a second disarm has no effect
    oracle_.erase(entry);
    ++disarmed_;
  }

  // Waits as an idle worker does.
  void wait() {
    const Nanoseconds look = timers_.next_check();
    if (look > os::kNever / 2) return;
    const bool is_due = look == timers_.nearest();
    const std::size_t before = oracle_.size();
    advance(look);
    if (!is_due || !problem_.empty()) return;
    if (before > 0 && oracle_.size() == before && ++futile_ > disarmed_) fail("woke for nothing");
  }

  void advance(Nanoseconds to) {
    if (to > os::kNever / 2) to = now_;  // leaves time for the next steps
    now_ = std::max(now_, to);
    Nanoseconds last_tick = 0;
    Deadline* due = timers_.take_due(now_);
    while (due != nullptr) {
      Deadline* const next = due->next;
      if (due->at > now_) return fail("fired early");
      if (due->armed) return fail("fired, but is still armed");
      const auto [first, last] = oracle_.equal_range(due->at);
      if (first == last) return fail("fired, but was not armed");
      if (&first->second->deadline != due)
        return fail("fired before an equal one that was armed earlier");
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
    if (timers_.next_check() > timers_.nearest()) return fail("looks after its nearest deadline");
    if (disarmed_ == 0 && timers_.nearest() != nearest) fail("sees its nearest deadline too early");
  }

  void fail(const char* what) { problem_ = std::string("the wheel ") + what; }

  std::mt19937_64 random_;
  detail::Timers timers_;
  std::deque<Entry> entries_;  // all entries of the run: their addresses must stay
  std::multimap<Nanoseconds, Entry*> oracle_;
  Nanoseconds now_ = 1;
  int disarmed_ = 0;
  int futile_ = 0;
  std::string problem_;
};

// The checks of a worker that sleeps until the next deadline is due. After each check the worker is
// away for the given time.
std::string look_until_empty(detail::Timers& timers, std::deque<Deadline>& deadlines,
                             Nanoseconds now, Nanoseconds away) {
  // The deadlines that move ahead of their time, and slots of all levels that are due, none of them
  // full.
  constexpr unsigned kMost = 8 * detail::Timers::kBatch;
  std::vector<unsigned> places;
  for (const Deadline& deadline : deadlines) places.push_back(deadline.slot_index);
  std::size_t fired = 0;
  for (std::size_t in_vain = 0; !timers.empty();) {
    now = std::max(now + away, timers.next_check());
    const std::size_t fired_before = fired;
    for (Deadline* due = timers.take_due(now); due != nullptr; due = due->next) ++fired;
    unsigned moved = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (std::exchange(places[i], deadlines[i].slot_index) != deadlines[i].slot_index) ++moved;
    }
    if (moved > kMost) return "one look moved " + std::to_string(moved);
    if (away == 0 && moved == 0 && fired == fired_before &&
        ++in_vain > deadlines.size() / detail::Timers::kBatch) {
      return "most looks were in vain";
    }
  }
  return fired == deadlines.size() ? "" : "not all have fired";
}

}  // namespace

std::string compare_timers_with_oracle(std::uint64_t seed, int steps) {
  return Comparison(seed).run(steps);
}

std::string check_length_of_looks(std::uint64_t seed, int count) {
  constexpr std::uint64_t kApart = 4'000;  // in ns, at least, on average
  std::mt19937_64 random(seed);
  for (unsigned bits = 22; bits < 46; bits += 3) {
    const std::uint64_t distance = std::uint64_t{1} << bits;
    const std::uint64_t dense = static_cast<std::uint64_t>(count) * kApart;
    for (const std::uint64_t spread : {dense, std::max(dense, distance)}) {
      for (const Nanoseconds away : {0, 50'000}) {
        const auto now = static_cast<Nanoseconds>(random() >> 4);
        detail::Timers timers;
        timers.take_due(now);
        std::deque<Deadline> deadlines;
        for (int i = 0; i < count; ++i) {
          timers.arm(deadlines.emplace_back(
              nullptr, now + static_cast<Nanoseconds>(distance + random() % spread)));
        }
        const std::string problem = look_until_empty(timers, deadlines, now, away);
        if (!problem.empty()) {
          return problem + ": " + std::to_string(distance) + " ns ahead, within " +
                 std::to_string(spread) + " ns, looks each " + std::to_string(away) + " ns";
        }
      }
    }
  }
  return "";
}

}  // namespace jobs::test
