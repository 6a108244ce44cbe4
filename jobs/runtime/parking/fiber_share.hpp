// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberShare: decides when a worker leaves jobs that have not started to other workers, because it
// has more than its share of the fibers. A started fiber never leaves its worker. One long job on a
// worker with most of the fibers would delay most of the wake-ups.
//
// Each worker owns one object and calls it when it suspends a fiber. The object reads neither a
// clock nor a counter of another worker; its caller passes the figures.
//
// The share is 1.25 times the mean plus 16 fibers. Below it, the worker looks at the figures of all
// workers once in at most 16 suspensions. Above it, the worker looks at each suspension. If the
// other workers take no part, it starts jobs itself: 1, then 2, then 4, up to 256 between two
// offers. So busy or absent workers cost it little time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "jobs/base/annotate.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberShare {
 public:
  // Fibers that run, are ready or wait, and the workers that may take jobs.
  struct Fibers {
    std::size_t own = 0;
    std::size_t others = 0;
    std::size_t workers = 0;
    // The worker with the fewest fibers.
    unsigned least = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();

    void add(unsigned worker, std::size_t fibers) noexcept {
      ++workers;
      if (fibers >= fewest) return;
      fewest = fibers;
      least = worker;
    }
  };

  static constexpr std::size_t kSlack = 16;
  static constexpr unsigned kLookEvery = 16;
  static constexpr unsigned kMostAlone = 256;

  // Counts a suspension. Returns whether the caller has to call exceeds().
  JOBS_ALWAYS_INLINE bool is_look_due() noexcept { return --look_in_ == 0; }

  // Returns whether the worker has more than its share, and should offer its jobs.
  bool exceeds(const Fibers& fibers) noexcept {
    const std::size_t all = fibers.own + fibers.others;
    const std::size_t share = (all + all / 4) / std::max<std::size_t>(fibers.workers, 1) + kSlack;
    is_exceeded_ = fibers.own > share;
    has_grown_ = is_exceeded_ && fibers.others > most_of_others_;
    if (has_grown_ || !is_exceeded_) {  // The other workers take part.
      most_of_others_ = fibers.others;
      alone_ = 0;
      next_alone_ = 1;
    }
    look_in_ = 1;
    if (is_exceeded_ && alone_ == 0) return true;
    const std::size_t until = is_exceeded_ ? alone_ : share - fibers.own + 1;
    look_in_ = static_cast<unsigned>(std::min<std::size_t>(until, kLookEvery));
    if (is_exceeded_) alone_ -= look_in_;
    return false;
  }
  // The other workers have taken no part in time. The worker continues alone for a while.
  void give_up() noexcept {
    alone_ = next_alone_ - 1;
    next_alone_ = std::min(2 * next_alone_, kMostAlone);
  }
  // Whether the worker had more than its share in the last exceeds().
  bool is_exceeded() const noexcept { return is_exceeded_; }
  // Whether the other workers take part: they had more fibers in the last exceeds() than ever since
  // this worker exceeds its share. Fibers that come and go do not count.
  bool has_grown() const noexcept { return has_grown_; }

 private:
  // Suspensions until the next look.
  unsigned look_in_ = kLookEvery;
  // Jobs that the worker starts alone after those of look_in_, before its next offer.
  unsigned alone_ = 0;
  unsigned next_alone_ = 1;
  bool is_exceeded_ = false;
  bool has_grown_ = false;
  std::size_t most_of_others_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::detail
