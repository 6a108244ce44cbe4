// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin: opened by the program, which exports nothing.
#include "tests/flags/identity.hpp"

extern "C" [[gnu::visibility("default")]] void identities_of_plugin(Identities& identities);
extern "C" void identities_of_plugin(Identities& identities) {
  identities = {.of_unnamed = nullptr};
}
