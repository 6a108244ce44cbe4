// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The switch of the mutants (scripts/mutate): each instrumented source includes this header. The
// number in the environment's JOBS_MUTANT turns one mutant on. JOBS_MUTANTS_REACHED names a file
// with one byte per mutant: the program sets the bytes of the mutants that it reaches.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace jobs_mutation {

struct Switch {
  Switch() noexcept {
    if (const char* const number = std::getenv("JOBS_MUTANT")) on = std::strtoul(number, nullptr, 10);
    const char* const path = std::getenv("JOBS_MUTANTS_REACHED");
    if (path == nullptr) return;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) std::abort();
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const map = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) std::abort();
    close(file);
    reached = static_cast<volatile char*>(map);
  }

  unsigned long on = 0;
  volatile char* reached = nullptr;
};

inline const Switch the_switch;

[[gnu::no_sanitize_thread]] inline bool is_on(unsigned long number) noexcept {
  if (the_switch.reached != nullptr) the_switch.reached[number] = 1;
  return the_switch.on == number;
}

}  // namespace jobs_mutation

// A constant expression has no mutants.
#define JOBS_MUTANT(number) (!__builtin_is_constant_evaluated() && ::jobs_mutation::is_on(number))

#if defined(JOBS_MODEL)
#define JOBS_MUTANT_RELAX(number, name)                                 \
  [[maybe_unused]] inline const void* const jobs_mutant_##number =      \
      ::jobs_mutation::is_on(number) ? new ::jobs::model::WeakenedOrder(name) : nullptr;
#else
#define JOBS_MUTANT_RELAX(number, name)
#endif

// Both branches of a mutant are code, so the compiler sees code that no source contains.
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wreturn-type"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wunused"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
