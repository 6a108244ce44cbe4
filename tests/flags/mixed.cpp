// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file with exceptions: they reach their handlers, though the other file uses the same
// templates with the same types.
#include "tests/flags/mixed.hpp"

#include <cstdio>
#include <stdexcept>

namespace {

int failures = 0;
int number = 0;

void expect_exception(void (*call)(const Callable&), const Callable& f) {
  ++number;
  try {
    call(f);
    std::fprintf(stderr, "call %d threw nothing\n", number);
  } catch (int value) {
    if (value == 42) return;
    std::fprintf(stderr, "call %d threw %d\n", number, value);
  }
  ++failures;
}

}  // namespace

void Callable::operator()() const {
  if (fails) throw 42;
}
void Callable::operator()(int) const { (*this)(); }

int main() {
  if (!run_without_exceptions()) ++failures;
  run_everywhere<1, Callable>(Callable{true}, &expect_exception);
  try {
    static_cast<void>(jobs::Grain(static_cast<std::size_t>(failures)));
    std::fprintf(stderr, "Grain(0) threw nothing\n");
    ++failures;
  } catch (const std::invalid_argument&) {
  }
  return failures == 0 ? 0 : 1;
}
