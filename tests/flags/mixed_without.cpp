// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file without exceptions. Linked first, so that the linker would prefer its copies.
#if defined(__cpp_exceptions)
#error "this file is built with -fno-exceptions"
#endif

#include "tests/flags/mixed.hpp"

bool run_without_exceptions() {
  run_everywhere<0, Callable>(Callable{false},
                              [](void (*call)(const Callable&), const Callable& f) { call(f); });
  return jobs::Grain(5).iterations() == 5;
}
