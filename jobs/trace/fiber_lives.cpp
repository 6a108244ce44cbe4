// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberLives: the pairs of events in the file.
#include "jobs/trace/fiber_lives.hpp"

#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

void FiberLives::created(std::uint64_t fiber, std::string_view name, os::Nanoseconds at) {
  Life& life = lives_[fiber];
  life.name = name;
  life.begin = at;
}

void FiberLives::seen(std::uint64_t fiber, os::Nanoseconds at) {
  Life& life = lives_[fiber];
  if (life.begin == kUnknown || at < life.begin) life.begin = at;
}

void FiberLives::ended(std::uint64_t fiber, os::Nanoseconds at) { lives_[fiber].end = at; }

void FiberLives::waited(std::uint64_t fiber, std::uint64_t wait, os::Nanoseconds begin,
                        os::Nanoseconds end) {
  seen(fiber, begin);
  lives_[fiber].waits.push_back({.wait = wait, .begin = begin, .end = end});
}

std::string FiberLives::name_of(std::uint64_t fiber) const {
  const auto found = lives_.find(fiber);
  return found != lives_.end() && !found->second.name.empty() ? found->second.name
                                                              : "fiber " + std::to_string(fiber);
}

void FiberLives::write(JsonFile& file, os::Nanoseconds end) const {
  const auto head = [&file](std::string_view phase, std::uint64_t fiber, os::Nanoseconds at) {
    file.begin_object();
    file.text("ph", phase);
    file.text("cat", "fiber");
    file.hexadecimal("id", fiber);
    file.number("pid", 1);
    file.number("tid", 0);
    file.microseconds("ts", at);
  };
  const auto finish = [&](std::uint64_t fiber, os::Nanoseconds at) {
    head("e", fiber, at);
    file.end_object();
  };
  for (const auto& [fiber, life] : lives_) {
    const os::Nanoseconds begin = life.begin == kUnknown ? 0 : life.begin;
    head("b", fiber, begin);
    file.text("name", name_of(fiber));
    file.end_object();
    for (const Wait& wait : life.waits) {
      head("b", fiber, wait.begin);
      file.text("name", wait_name(wait.wait));
      file.begin_arguments();
      file.hexadecimal("object", wait.wait & kObject);
      file.end_arguments();
      file.end_object();
      finish(fiber, wait.end);
    }
    finish(fiber, life.end == kUnknown ? end : life.end);
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
