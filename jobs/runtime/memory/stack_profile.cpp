// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/stack_profile.hpp"

#include <cstring>
#include <functional>
#include <new>
#include <string_view>

namespace jobs::inline JOBS_ABI::detail {

StackClass class_for_peak(std::size_t peak) noexcept {
  StackClass stack_class = 0;
  while (stack_class < kStackClasses - 1 && peak > size_of_class(stack_class) / 4 * 3)
    ++stack_class;
  return stack_class;
}

namespace {

// Whether a path is that of a header of libstdc++ or libc++.
bool is_in_standard_library(std::string_view file) noexcept {
  return file.find("/include/c++/") != file.npos || file.find("/bits/") != file.npos;
}

}  // namespace

StackProfile::Site::Site(const std::source_location& place) noexcept
    : location(place), is_shared(is_in_standard_library(place.file_name())) {}

StackProfile::~StackProfile() {
  for (const Atomic<Site*>& entry : table_) delete entry.load(stack_profile_order::kGet);
}

StackProfile::Sample StackProfile::sample(const std::source_location& where,
                                          StackClass requested) noexcept {
  Site* const site = find_or_make(where);
  if (site == nullptr) return {requested, false};
  const std::uint64_t before = site->fibers.fetch_add(1, std::memory_order_relaxed);
  const bool measured = before < kFirst || before % sampling_interval_ == 0;
  return {automatic_ && requested == kLoopStack ? choose(*site) : requested, measured};
}

void StackProfile::report(const std::source_location& where, std::size_t used) noexcept {
  Site* const site = find(where);
  if (site == nullptr) return;
  std::size_t peak = site->peak.load(std::memory_order_relaxed);
  while (used > peak && !site->peak.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
  }
  site->measured.fetch_add(1, std::memory_order_relaxed);
}

std::size_t StackProfile::peak(const std::source_location& where) const noexcept {
  const Site* const site = find(where);
  return site != nullptr ? site->peak.load(std::memory_order_relaxed) : 0;
}

std::vector<StackUse> StackProfile::uses() const {
  std::vector<StackUse> uses;
  for (const Atomic<Site*>& entry : table_) {
    const Site* const site = entry.load(stack_profile_order::kGet);
    if (site == nullptr) continue;
    const StackClass stack_class = automatic_ ? choose(*site) : kLoopStack;
    uses.push_back(
        {.file = site->location.file_name(),
         .line = site->location.line(),
         .fibers = site->fibers.load(std::memory_order_relaxed),
         .measured = site->measured.load(std::memory_order_relaxed),
         .peak = site->peak.load(std::memory_order_relaxed),
         .stack_size = stack_class == kLoopStack ? loop_size_ : size_of_class(stack_class)});
  }
  return uses;
}

// Fibers run on the stacks of jobs in three cases: many callers share the site, too few Fibers of
// the site have been measured, or they need a stack of about the size of a job's stack.
StackClass StackProfile::choose(const Site& site) const noexcept {
  if (site.is_shared || site.measured.load(std::memory_order_relaxed) < kFirst) return kLoopStack;
  const StackClass needed = class_for_peak(site.peak.load(std::memory_order_relaxed));
  const std::size_t size = size_of_class(needed);
  return size <= loop_size_ && size > loop_size_ / 2 ? kLoopStack : needed;
}

bool StackProfile::is_same(const std::source_location& a, const std::source_location& b) noexcept {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

std::size_t StackProfile::slot_of(const std::source_location& site) noexcept {
  return (std::hash<std::string_view>()(site.file_name()) + site.line() * 31 + site.column()) %
         kMaxSites;
}

StackProfile::Site* StackProfile::find(const std::source_location& where) const noexcept {
  for (std::size_t i = 0, slot = slot_of(where); i < kMaxSites;
       ++i, slot = (slot + 1) % kMaxSites) {
    Site* const site = table_[slot].load(stack_profile_order::kGet);
    if (site == nullptr || is_same(site->location, where)) return site;
  }
  return nullptr;
}

// Returns null if there is no memory, or if the table is full.
StackProfile::Site* StackProfile::find_or_make(const std::source_location& where) noexcept {
  std::unique_ptr<Site> fresh;
  for (std::size_t i = 0, slot = slot_of(where); i < kMaxSites;
       ++i, slot = (slot + 1) % kMaxSites) {
    Site* site = table_[slot].load(stack_profile_order::kGet);
    if (site == nullptr) {
      if (!fresh) {
        try {
          fresh.reset(new Site(where));
        } catch (const std::bad_alloc&) {
          return nullptr;
        }
      }
      if (table_[slot].compare_exchange_strong(site, fresh.get(), stack_profile_order::kPut,
                                               stack_profile_order::kGet)) {
        return fresh.release();
      }
    }
    if (is_same(site->location, where)) return site;
  }
  return nullptr;
}

}  // namespace jobs::inline JOBS_ABI::detail
