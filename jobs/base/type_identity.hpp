// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TypeIdentity: compares types at run time, as std::type_info does, but also in programs built with
// -fno-rtti. Constant data: any thread may read it.
//
// Each type has one TypeIdentity per program or shared library (a "module"), or one for several
// modules if the dynamic linker merges them. Within one module addresses decide. Therefore types
// with equal names differ, such as those of unnamed namespaces. Between modules names decide: a
// host and its plugin each have an object for one type. The compilers print names differently.
// Therefore a value is refused if the modules of sender and receiver come from different compilers,
// unless the linker has merged the two objects.
#pragma once

#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// One per module: hidden symbols are not merged across modules.
[[gnu::visibility("hidden")]] inline constexpr char kModule = 0;

template <class T>
constexpr const char* type_name() noexcept {
  return __PRETTY_FUNCTION__;
}

struct TypeIdentity {
  const char* name;
  const void* module;

  bool operator==(const TypeIdentity& other) const noexcept {
    return this == &other || (module != other.module && std::string_view(name) == other.name);
  }
  TypeIdentity(const TypeIdentity&) = delete;
  TypeIdentity& operator=(const TypeIdentity&) = delete;
  constexpr TypeIdentity(const char* type_name, const void* type_module) noexcept
      : name(type_name), module(type_module) {}
};

// For a type with hidden visibility each module has its own object.
template <class T>
[[gnu::visibility("default")]] inline constexpr TypeIdentity kTypeIdentity{type_name<T>(),
                                                                           &kModule};

}  // namespace jobs::inline JOBS_ABI::detail
