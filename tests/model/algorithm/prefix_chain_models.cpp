// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PrefixChain: for every distribution of blocks to threads, the sum before each block is right, and
// no thread reads a sum before its publication.
#include "jobs/algorithm/core/prefix_chain.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

// The decimal digits of the blocks that the sum contains. A moved-from sum is empty.
class Sum {
 public:
  explicit Sum(int digits) : digits_(digits) {}
  Sum(const Sum&) = default;
  Sum(Sum&& other) : digits_(other.digits_) { other.digits_ = -1; }
  Sum& operator=(Sum&& other) {
    digits_ = static_cast<int>(other.digits_);
    other.digits_ = -1;
    return *this;
  }
  int digits() const { return digits_; }

 private:
  detail::Plain<int> digits_;
};

template <std::size_t kBlocks>
class Game {
 public:
  // A worker: adds up one block after another, and looks up the sums before the blocks that it had
  // to postpone.
  void work() {
    std::array<std::size_t, kBlocks> left{};
    std::size_t left_count = 0;
    for (;;) {
      const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= kBlocks) break;
      const Sum own(static_cast<int>(i) + 1);
      if (const std::optional<Sum>* const before = chain_.before(i)) {
        chain_.set_before(i + 1, join_(Sum(**before), Sum(own)), join_);
      } else {
        chain_.add(i, Sum(own), join_);
        left[left_count++] = i;
      }
      for (std::size_t k = 0; k < left_count; ++k) see(left[k]);
    }
  }
  void finish() const {
    for (std::size_t i = 0; i <= kBlocks; ++i) {
      check(chain_.before(i) != nullptr, "in the end all is known");
      see(i);
    }
  }

 private:
  void see(std::size_t i) const {
    const std::optional<Sum>* const before = chain_.before(i);
    if (before == nullptr) return;
    int digits = 0;
    for (std::size_t block = 0; block < i; ++block)
      digits = digits * 10 + static_cast<int>(block) + 1;
    check((*before)->digits() == digits, "each block counts once, from left to right");
  }

  struct Join {
    Sum operator()(Sum a, Sum b) const { return Sum(a.digits() * 10 + b.digits()); }
  };
  Join join_;
  detail::PrefixChain<Sum, kBlocks> chain_{Sum(0)};
  detail::Atomic<std::size_t> next_{0};
};

void two_workers_three_blocks() {
  Game<3> game;
  run_threads([&] { game.work(); }, [&] { game.work(); });
  game.finish();
}

void two_workers_five_blocks() {
  Game<5> game;
  run_threads([&] { game.work(); }, [&] { game.work(); });
  game.finish();
}

void three_workers_four_blocks() {
  Game<4> game;
  run_threads([&] { game.work(); }, [&] { game.work(); }, [&] { game.work(); });
  game.finish();
}

}  // namespace

const Subject& subject() {
  static const Subject prefix_chain = {
      .headers = {"jobs/algorithm/core/prefix_chain.hpp"},
      .not_shown = {},
      .models =
          {
              {"two_workers_three_blocks", two_workers_three_blocks, {.preemptions = 3}},
              {"two_workers_five_blocks", two_workers_five_blocks, {.preemptions = 2}},
              {"three_workers_four_blocks", three_workers_four_blocks, {.preemptions = 2}},
          },
  };
  return prefix_chain;
}

}  // namespace jobs::model
