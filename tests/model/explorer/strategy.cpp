// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/explorer/strategy.hpp"

#include <algorithm>
#include <string_view>

namespace jobs::model {

namespace {

constexpr std::string_view kDigits =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+";

}  // namespace

Strategy::Strategy(const Options& options)
    : search_(options.search), random_(options.seed), priority_changes_(options.priority_changes) {}

bool Strategy::start_next() {
  if (search_ == Search::kExhaustive && !replaying_ && !first_) {
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().of)
      choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().taken;
  } else if (!replaying_) {
    choices_.clear();
  }
  first_ = false;
  position_ = 0;
  if (search_ == Search::kPriorities) {
    lowest_priority_ = 0;
    for (std::int64_t& priority : priorities_)
      priority = 1 + static_cast<std::int64_t>(random_() % 1000);
    change_steps_.clear();
    for (unsigned i = 0; i < priority_changes_; ++i) {
      change_steps_.push_back(1 + static_cast<unsigned>(random_() % expected_steps_));
    }
  }
  return true;
}

std::size_t Strategy::record(std::size_t n, std::size_t taken) {
  choices_.push_back({n, taken});
  ++position_;
  return taken;
}

std::size_t Strategy::choose_of_several(std::size_t n) {
  if (position_ < choices_.size()) return choices_[position_++].taken;
  const bool by_dice = search_ != Search::kExhaustive && !replaying_;
  return record(n, by_dice ? static_cast<std::size_t>(random_() % n) : 0);
}

std::size_t Strategy::choose_thread(std::span<const std::size_t> candidates, std::size_t running,
                                    unsigned step) {
  if (search_ != Search::kPriorities || replaying_) return candidates[choose(candidates.size())];
  if (std::ranges::find(change_steps_, step) != change_steps_.end())
    priorities_[running] = --lowest_priority_;
  if (candidates.size() == 1) return candidates[0];
  const auto highest = std::ranges::max_element(
      candidates, {}, [&](std::size_t thread) { return priorities_[thread]; });
  return candidates[record(candidates.size(),
                           static_cast<std::size_t>(highest - candidates.begin()))];
}

std::string Strategy::tape() const {
  std::string tape;
  for (const Choice& choice : choices_)
    tape += choice.taken < kDigits.size() ? kDigits[choice.taken] : '?';
  return tape;
}

void Strategy::replay(const std::string& tape) {
  replaying_ = true;
  choices_.clear();
  for (const char digit : tape) choices_.push_back({0, kDigits.find(digit)});
}

}  // namespace jobs::model
