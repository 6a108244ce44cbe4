// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the process, and the form of a name.
#include "jobs/trace/format/object_names.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <span>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr std::size_t kLongestGivenName = 100;  // bytes of its escaped form; the rest is cut
static_assert(kLongestGivenName < kLongestObjectName);

struct Table {
  std::shared_mutex mutex;
  ObjectNames names;
};

// Whether any object has ever had a name. Relaxed: the program orders a name before a wait.
constinit std::atomic<bool> has_names{false};

// Never destroyed: threads may name objects until the process ends.
Table& table() {
  static Table& only = *new Table;
  return only;
}

std::uint64_t address_of(const void* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}

// A page, a terminal and a message take the escaped form as it is.
std::string printable(std::string_view text, std::size_t longest) {
  std::array<char, kLongestObjectName> form;
  return {form.data(), jobs::detail::escape(text, std::span(form).first(longest),
                                            jobs::detail::Quoting::kPlain)};
}

}  // namespace

void set_object_name(const void* object, std::string_view name, std::string_view file,
                     unsigned line) {
  const std::string site =
      std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
  std::string text = name.empty() ? site : printable(name, kLongestGivenName) + " (" + site + ")";
  text = printable(text, kLongestObjectName);
  const std::scoped_lock lock(table().mutex);
  table().names.set(address_of(object), std::move(text));
  has_names.store(true, std::memory_order_relaxed);
}

void erase_object_name(const void* object) noexcept {
  const std::scoped_lock lock(table().mutex);
  table().names.erase(address_of(object));
}

ObjectNames names_of_objects() {
  const std::shared_lock lock(table().mutex);
  return table().names;
}

std::size_t read_object_name(const void* object,
                             std::span<char, kLongestObjectName + 1> text) noexcept {
  if (!has_names.load(std::memory_order_relaxed)) return 0;
  const std::shared_lock lock(table().mutex);
  const std::size_t length =
      table().names.of(address_of(object)).copy(text.data(), kLongestObjectName);
  text[length] = '\0';
  return length;
}

// A writer of the parent leaves the names half changed.
void reset_object_names_in_child() noexcept {
  if (!has_names.load(std::memory_order_relaxed)) return;
  if (!table().mutex.try_lock_shared()) new (&table().names) ObjectNames;
  new (&table().mutex) std::shared_mutex;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
