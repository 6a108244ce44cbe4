// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveWaits: questions, and their answers by place.
#include "jobs/trace/live/live_waits.hpp"

#include <algorithm>
#include <utility>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// A Fiber with a name stands for itself; others are counted by their creation site or their job.
std::string who(const FiberReport& fiber) {
  if (!fiber.name.empty()) return fiber.name;
  if (!fiber.file.empty()) return site_name(fiber.file, fiber.line);
  if (fiber.function != nullptr) return os::function_name(fiber.function);
  return fiber.id == FiberId{} ? "the bound thread" : "a job";
}

void add(std::vector<LiveWait>& waits, const FiberReport& fiber, os::Nanoseconds now) {
  LiveWait wait{.count = 1,
                .kind = static_cast<std::uint64_t>(fiber.waits_for),
                .object = reinterpret_cast<std::uintptr_t>(fiber.object),
                .owner = static_cast<std::uint64_t>(fiber.owner),
                .since = fiber.waited ? now - fiber.waited->count() : 0};
  copy_label(wait.label, who(fiber));
  const auto same = std::find_if(waits.begin(), waits.end(), [&wait](const LiveWait& other) {
    return other.kind == wait.kind && other.label == wait.label;
  });
  if (same == waits.end()) {
    waits.push_back(wait);
    return;
  }
  ++same->count;
  if (wait.since == 0 || (same->since != 0 && same->since <= wait.since)) return;
  same->since = wait.since;
  same->object = wait.object;
  same->owner = wait.owner;
}

}  // namespace

std::string site_name(std::string_view file, unsigned line) {
  return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
}

void copy_label(std::array<char, 64>& label, std::string_view text) noexcept {
  label = {};
  text = jobs::detail::cut_text(text, label.size());
  text.copy(label.data(), text.size());
}

void LiveWaits::read_answers(Question& question) {
  const Report report = question.snapshot->report(Report::Reason::kRequested);
  const os::Nanoseconds now = os::now();
  question.waits.clear();
  question.silent_workers = static_cast<std::uint64_t>(
      std::count_if(report.workers.begin(), report.workers.end(),
                    [](const WorkerReport& worker) { return !worker.answered; }));
  for (const FiberReport& fiber : report.fibers) {
    if (fiber.state == FiberState::kWaiting && fiber.has_begun) add(question.waits, fiber, now);
  }
}

void LiveWaits::ask(jobs::detail::Shared& shared, os::Nanoseconds now) {
  auto found = std::find_if(questions_.begin(), questions_.end(), [&shared](const Question& other) {
    return other.shared == &shared && other.workers == shared.worker_count();
  });
  if (found == questions_.end()) {
    questions_.emplace_back();
    found = questions_.end() - 1;
    found->shared = &shared;
    found->workers = shared.worker_count();
  }
  found->is_present = true;
  if (found->snapshot != nullptr && now - found->at < kInterval) return;
  if (found->snapshot == nullptr || found->snapshot->all_answered()) {
    found->at = now;
    found->snapshot = jobs::detail::Snapshot::make(shared, kPatience);
  }
  read_answers(*found);
}

void LiveWaits::write(LivePicture& picture, bool is_wanted) {
  std::erase_if(questions_, [](const Question& question) { return !question.is_present; });
  std::vector<LiveWait> all;
  for (Question& question : questions_) {
    question.is_present = false;
    picture.silent_workers += question.silent_workers;
    picture.waits_at = std::max(picture.waits_at, question.at);
    all.insert(all.end(), question.waits.begin(), question.waits.end());
  }
  if (!is_wanted) picture.waits_at = 0;
  std::sort(all.begin(), all.end(),
            [](const LiveWait& a, const LiveWait& b) { return a.count > b.count; });
  picture.wait_sites = all.size();
  all.resize(std::min(all.size(), LivePicture::kWaits));
  std::copy(all.begin(), all.end(), picture.wait.begin());
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
