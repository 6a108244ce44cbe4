// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the process, and the form of a name.
#include "jobs/trace/format/object_names.hpp"

#include <array>
#include <mutex>
#include <span>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr std::size_t kLongestGivenName = 100;  // bytes of its escaped form; the rest is cut
static_assert(kLongestGivenName < kLongestObjectName);

struct Table {
  std::mutex mutex;
  ObjectNames names;
};

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
}

void erase_object_name(const void* object) noexcept {
  const std::scoped_lock lock(table().mutex);
  table().names.erase(address_of(object));
}

ObjectNames names_of_objects() {
  const std::scoped_lock lock(table().mutex);
  return table().names;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
