// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The label of a fiber: its text.
#include "jobs/fiber/fiber_label.hpp"

#include <atomic>

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kLongestFile = 200;  // printed from the end of a file's name

// Every caller sets the same function.
constinit std::atomic<OriginOf> origin_of_fiber{nullptr};

}  // namespace

void set_origin_of(OriginOf origin_of) noexcept {
  origin_of_fiber.store(origin_of, std::memory_order_relaxed);
}

FiberOrigin origin_of(const FiberCore& fiber) noexcept {
  const OriginOf find = origin_of_fiber.load(std::memory_order_relaxed);
  return find != nullptr ? find(fiber) : FiberOrigin();
}

void append_site(MessageLine& message, std::string_view file, unsigned line) noexcept {
  if (file.size() > kLongestFile) file.remove_prefix(file.size() - kLongestFile);
  message << "created at ";
  message.escaped(file, kLongestFile, Quoting::kPlain) << ":" << std::uint64_t{line};
}

void append_label(MessageLine& message, std::uint64_t id, std::string_view name,
                  std::string_view file, unsigned line) noexcept {
  message << "fiber " << id;
  if (!name.empty()) {
    message << " \"";
    message.escaped(name, kLongestName, Quoting::kQuoted) << "\"";
  } else if (!file.empty()) {
    message << " ";
    append_site(message, file, line);
  }
}

void append_label(MessageLine& message, const FiberCore& fiber) noexcept {
  const FiberOrigin origin = origin_of(fiber);
  append_label(message, fiber.id, fiber.name != nullptr ? fiber.name : "",
               origin.file != nullptr ? origin.file : "", origin.line);
}

}  // namespace jobs::inline JOBS_ABI::detail
