// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TheftPace: decides whether a thief continues to steal short jobs from one victim. It measures
// the jobs that both workers finish together, against those that the victim finishes alone.
//
// A stolen job runs on cold cache lines, and each theft takes lines from the victim. Both costs
// depend on the host. The time of a job on the thief contains them, so it does not show whether the
// theft was worth it. Jobs of 137 ns took 390 ns on each of two workers; one worker was faster.
//
// Each worker owns one object and calls it between two thefts of short jobs. The object reads no
// clock.
//
// States:
//
//     unmeasured --kUnmeasuredThefts--> settling --kSettle--> alone --kAlone--> together
//     alone      --kAlone-------------> together | free | resting | unmeasured
//     together   --kTogether----------> stealing | resting
//     stealing   --valid--------------> settling
//     free       --the victim runs short jobs---> settling
//     free       --the victim creates jobs------> resting | unmeasured
//     resting    --rest---------------> alone
//     resting    --the victim slows down--> unmeasured
//
//   settling  the thief pauses; the victim recovers from the last theft
//   alone     the thief pauses; the victim finishes jobs at its own rate
//   together  the thief steals as fast as it can
//   stealing  the thief steals, because together was faster
//   free      the thief steals, because the victim runs a long job, or its thread has no CPU
//   resting   the thief pauses, because together was not faster
#pragma once

#include <algorithm>
#include <cstdint>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

class TheftPace {
 public:
  enum class Step : std::uint8_t {
    kUnknown,  // no measurement: the caller decides by the length of the stolen jobs
    kSteal,
    kPause,  // until next(), or until other work is visible
  };
  // What the victim has done since its start.
  struct Progress {
    std::uint64_t jobs;
    std::uint64_t pushes;
  };

  // Thefts of short jobs in a row from one victim before the first measurement. Fewer jobs do not
  // repay the pause of a measurement.
  static constexpr unsigned kUnmeasuredThefts = 8;
  // The number doubles after each measurement without a result, up to this one. The pause of a
  // measurement then costs less than 3 % of the thief's time.
  static constexpr unsigned kMaxUnmeasuredThefts = 1024;
  // Length of a measurement. Jobs of 100 ns give 40 and 200 samples.
  static constexpr os::Nanoseconds kAlone = 8'000;
  // Time before the measurement alone. After a theft, the victim pays for a barrier in 64 takes,
  // until its deque is private (ChaseLevDeque).
  static constexpr os::Nanoseconds kSettle = 8'000;
  // A clear result ends the time together after kTogetherLook.
  static constexpr os::Nanoseconds kTogether = 20'000;
  static constexpr os::Nanoseconds kTogetherLook = 4'000;
  // Nanoseconds that a stolen job costs the victim after the measurement: it allocates the memory
  // of the job again, on a line that the thief has written. Two workers exchange a line in 40 ns
  // (AMD Zen 5). Without the figure, jobs of 60 ns took 17.5 instead of 20.5 ms and their
  // creation 3.8 instead of 1.7 ms.
  static constexpr double kLaterCost = 40;
  // The first and the longest time for which the result "stealing" is valid. The time doubles after
  // each measurement with this result, so a wrong one costs little. The pauses for the measurements
  // then cost 0.8 %.
  static constexpr os::Nanoseconds kFirstValid = 125'000;
  static constexpr os::Nanoseconds kLongestValid = 2'000'000;
  // The first and the longest rest. A rest doubles after each measurement with the result
  // "resting". A measurement at four times the cost of a job then slows the victim by at most 3 %.
  static constexpr os::Nanoseconds kFirstRest = 128'000;
  static constexpr os::Nanoseconds kLongestRest = 2'048'000;
  // Interval in which a thief reads the progress of the victim, at rest and in state "free". A
  // reading costs the victim up to three cache misses, so at most 3 % of its time. At rest, the
  // interval is a 32nd of the rest if that is longer.
  static constexpr os::Nanoseconds kLook = 8'000;
  static constexpr os::Nanoseconds kLooksPerRest = 32;
  // A victim that only creates jobs shows no length of a job. The thief then relies on a result of
  // at most this age.
  static constexpr os::Nanoseconds kResultValid = 10'000'000;
  // With fewer jobs in the time alone, the jobs of the victim are longer than a theft.
  static constexpr std::uint64_t kMinJobs = 3;

  // The next theft is from another victim, or its jobs are not short.
  void reset() noexcept {
    state_ = State::kUnmeasured;
    thefts_ = 0;
    unmeasured_ = kUnmeasuredThefts;
  }

  // Called after the jobs of a theft have run, and after a pause at next(). `own_jobs`: jobs that
  // the thief has started. `read()` returns the Progress of the victim.
  template <class Read>
  Step step(os::Nanoseconds now, std::uint64_t own_jobs, Read&& read) noexcept {
    switch (state_) {
      case State::kUnmeasured:
        return ++thefts_ < unmeasured_ ? Step::kUnknown : settle(now);
      case State::kSettling:
        return now < next_ ? Step::kPause : begin_alone(now, read());
      case State::kAlone:
        return now < next_ ? Step::kPause : end_alone(now, own_jobs, read());
      case State::kTogether:
        return now < next_ ? Step::kSteal : end_together(now, own_jobs, read());
      case State::kStealing:
        return now < next_ ? Step::kSteal : settle(now);
      case State::kFree:
        return now < next_ ? Step::kSteal : look_while_free(now, read());
      case State::kResting:
        return now < next_ ? Step::kPause : look(now, read());
    }
    return Step::kUnknown;
  }
  // After kPause: the time of the next call of step().
  os::Nanoseconds next() const noexcept { return next_; }

 private:
  enum class State : std::uint8_t {
    kUnmeasured,
    kSettling,
    kAlone,
    kTogether,
    kStealing,
    kFree,
    kResting
  };

  // By way of a signed number, whose conversion is one instruction.
  static double number(std::uint64_t jobs) noexcept {
    return static_cast<double>(static_cast<std::int64_t>(jobs));
  }

  Step settle(os::Nanoseconds now) noexcept {
    state_ = State::kSettling;
    next_ = now + kSettle;
    return Step::kPause;
  }

  Step begin_alone(os::Nanoseconds now, Progress victim) noexcept {
    state_ = State::kAlone;
    begin_ = now;
    victim_ = victim;
    next_ = now + kAlone;
    return Step::kPause;
  }

  Step end_alone(os::Nanoseconds now, std::uint64_t own_jobs, Progress victim) noexcept {
    const std::uint64_t jobs = victim.jobs - victim_.jobs;
    if (jobs >= kMinJobs) return begin_together(now, own_jobs, victim, jobs);
    if (victim.pushes != victim_.pushes) return skip_measurement(now, victim);
    return begin_free(now, victim);  // The victim loses nothing.
  }

  Step look_while_free(os::Nanoseconds now, Progress victim) noexcept {
    if (victim.jobs - seen_.jobs >= kMinJobs) return settle(now);
    if (victim.pushes != seen_.pushes) return skip_measurement(now, victim);
    return begin_free(now, victim);
  }

  // The victim creates jobs, and shows no length of a job.
  Step skip_measurement(os::Nanoseconds now, Progress victim) noexcept {
    if (thefts_ >= kUnmeasuredThefts && now < rely_until_) return begin_rest(now, victim);
    state_ = State::kUnmeasured;
    thefts_ = 0;
    unmeasured_ = std::min(2 * unmeasured_, kMaxUnmeasuredThefts);
    return Step::kUnknown;
  }

  Step begin_together(os::Nanoseconds now, std::uint64_t own_jobs, Progress victim,
                      std::uint64_t jobs) noexcept {
    alone_time_ = now - begin_;
    alone_jobs_ = jobs;
    state_ = State::kTogether;
    begin_ = now;
    victim_ = victim;
    own_ = own_jobs;
    next_ = now + kTogetherLook;
    return Step::kSteal;
  }

  Step end_together(os::Nanoseconds now, std::uint64_t own_jobs, Progress victim) noexcept {
    const auto alone_time = static_cast<double>(alone_time_);
    const auto alone_jobs = number(alone_jobs_);
    // A stolen job saves the victim the time of the job, but costs it kLaterCost.
    const double saved = std::max(0.0, 1.0 - kLaterCost * alone_jobs / alone_time);
    const double jobs = number(victim.jobs - victim_.jobs) + saved * number(own_jobs - own_);
    // The gain must exceed 1/8, because a measurement varies by 5 %.
    const double alone = alone_jobs * static_cast<double>(now - begin_);
    const double together = jobs * alone_time;
    const bool is_final = now - begin_ >= kTogether;
    if (together > alone * (is_final ? 1.125 : 1.5)) return begin_stealing(now);
    if (!is_final && together > alone * 0.8) {
      next_ = begin_ + kTogether;
      return Step::kSteal;
    }
    rely_until_ = now + kResultValid;
    valid_ = kFirstValid / 2;
    rest_ = std::min(2 * rest_, kLongestRest);
    return begin_rest(now, victim);
  }

  Step begin_rest(os::Nanoseconds now, Progress victim) noexcept {
    state_ = State::kResting;
    thefts_ = 0;
    unmeasured_ = kUnmeasuredThefts;
    last_look_ = now;
    seen_ = victim;
    rest_until_ = now + rest_;
    next_ = now + look_interval();
    return Step::kPause;
  }

  Step begin_stealing(os::Nanoseconds now) noexcept {
    state_ = State::kStealing;
    rest_ = kFirstRest / 2;
    rely_until_ = 0;
    valid_ = std::min(2 * valid_, kLongestValid);
    next_ = now + valid_;
    return Step::kSteal;
  }

  Step begin_free(os::Nanoseconds now, Progress victim) noexcept {
    state_ = State::kFree;
    seen_ = victim;
    next_ = now + kLook;
    return Step::kSteal;
  }

  Step look(os::Nanoseconds now, Progress victim) noexcept {
    // If the victim works at less than half of its rate, its jobs have become longer.
    const double expected = static_cast<double>(now - last_look_) * number(alone_jobs_) /
                            static_cast<double>(alone_time_);
    const bool is_slow = 2 * number(victim.jobs - seen_.jobs) < expected;
    if (is_slow && victim.pushes == seen_.pushes) {
      reset();
      return Step::kUnknown;
    }
    if (now >= rest_until_) return begin_alone(now, victim);
    last_look_ = now;
    seen_ = victim;
    next_ = now + look_interval();
    return Step::kPause;
  }

  os::Nanoseconds look_interval() const noexcept { return std::max(kLook, rest_ / kLooksPerRest); }

  State state_ = State::kUnmeasured;
  unsigned thefts_ = 0;
  unsigned unmeasured_ = kUnmeasuredThefts;
  os::Nanoseconds rest_ = kFirstRest / 2;
  os::Nanoseconds valid_ = kFirstValid / 2;
  os::Nanoseconds next_ = 0;
  os::Nanoseconds rest_until_ = 0;
  os::Nanoseconds rely_until_ = 0;
  // The begin of the present measurement or rest, and what both had done then.
  os::Nanoseconds begin_ = 0;
  Progress victim_{};
  std::uint64_t own_ = 0;
  // The last look at the victim during a rest.
  os::Nanoseconds last_look_ = 0;
  Progress seen_{};
  // The rate of the victim alone.
  os::Nanoseconds alone_time_ = 1;
  std::uint64_t alone_jobs_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
