// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The identity of types: in two files of a program, and in a program and its plugin (argument 1).
// Built without RTTI.
#include "tests/flags/identity.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace {

struct Local {  // differs from the type with the same name in the other file
  int value;
};

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

}  // namespace

Identities identities_of_other_file();

int main(int, char** arguments) {
  const Identities here{.of_unnamed = &jobs::detail::kTypeIdentity<Local>};
  const Identities there = identities_of_other_file();
  check(*here.of_int == *there.of_int, "int in two files");
  check(*here.of_string == *there.of_string, "std::string in two files");
  check(*here.of_shared == *there.of_shared, "a class in two files");
  check(!(*here.of_unnamed == *there.of_unnamed), "two classes of unnamed namespaces differ");
  check(!(*here.of_int == *here.of_string), "int is no std::string");

  void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  auto* const identities_of_plugin =
      plugin != nullptr
          ? reinterpret_cast<void (*)(Identities&)>(dlsym(plugin, "identities_of_plugin"))
          : nullptr;
  if (identities_of_plugin == nullptr) {
    std::fprintf(stderr, "no plugin: %s\n", dlerror());
    return 1;
  }
  Identities abroad{.of_unnamed = nullptr};
  identities_of_plugin(abroad);
  check(*here.of_int == *abroad.of_int, "int in a plugin");
  check(*here.of_string == *abroad.of_string, "std::string in a plugin");
  check(*here.of_shared == *abroad.of_shared, "a hidden class in a plugin");
  check(!(*here.of_int == *abroad.of_string), "int is no std::string of a plugin");
  return failures == 0 ? 0 : 1;
}
