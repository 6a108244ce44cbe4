// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ObjectNames: the names that a program has given to objects of waits (trace::name_object()).
//
// The library does not know when an object ends, so names stay: a file that is written at the exit
// has the names of objects that have ended. The process has one table, which set_object_name()
// changes under a lock. The results of a run copy it. A lock() and an event read no name. A wait
// reads the name of an object that may end before the results exist, if a profile is active.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// The bits of an object in a packed wait.
inline constexpr std::uint64_t kObject = (std::uint64_t{1} << 56) - 1;
inline constexpr std::size_t kLongestObjectName = 160;  // bytes, with its place

// A copy of the table, or the names in a raw file. For one thread.
class ObjectNames {
 public:
  // Replaces the name of the object at that address.
  void set(std::uint64_t object, std::string name) {
    names_.insert_or_assign(object & kObject, std::move(name));
  }
  void erase(std::uint64_t object) noexcept { names_.erase(object & kObject); }
  // Returns the name, or an empty text. It is valid while this object is not changed.
  std::string_view of(std::uint64_t object) const noexcept {
    const auto found = names_.find(object & kObject);
    return found != names_.end() ? std::string_view(found->second) : std::string_view();
  }
  // Returns the kind of an object with its name, such as "Mutex cache (cache.cpp:12)"; the kind
  // alone if the object has no name. Throws std::bad_alloc.
  std::string describe(std::string_view kind, std::uint64_t object) const {
    std::string text(kind);
    if (const std::string_view name = of(object); !name.empty()) text.append(" ").append(name);
    return text;
  }
  const std::map<std::uint64_t, std::string>& all() const noexcept { return names_; }

 private:
  std::map<std::uint64_t, std::string> names_;
};

// Gives the object a name in the table of the process: "name (file.cpp:12)", or "file.cpp:12" if
// the name is empty. Any thread. Throws std::bad_alloc.
void set_object_name(const void* object, std::string_view name, std::string_view file,
                     unsigned line);
// Removes the name. Any thread.
void erase_object_name(const void* object) noexcept;
// Returns a copy of the table of the process. Any thread. Throws std::bad_alloc.
ObjectNames names_of_objects();
// Writes the name of an object with a terminating zero, and returns its length; 0: it has no name.
// A load if no object of the process has a name; otherwise takes a lock that readers share. Any
// thread.
std::size_t read_object_name(const void* object,
                             std::span<char, kLongestObjectName + 1> text) noexcept;
// Makes the lock free in a forked child, where the threads that held it do not exist.
void reset_object_names_in_child() noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
