// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that addr2line resolves an address of a report to a local function. The program is linked
// twice: position-independent, and at a fixed address. Returns 77 if addr2line is missing.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "jobs/base/os.hpp"

namespace {

[[gnu::noinline]] void a_local_function() { asm volatile(""); }

}  // namespace

int main(int, char** arguments) {
  a_local_function();
  const std::string text =
      jobs::os::describe_address(reinterpret_cast<const void*>(&a_local_function));
  const std::string command =
      std::string("addr2line -fCe ") + arguments[0] + " " + text.substr(text.find('+') + 1);
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) return 77;
  std::FILE* const output = ::popen(command.c_str(), "r");
  std::array<char, 200> line{};
  const bool found = output != nullptr && std::fgets(line.data(), line.size(), output) != nullptr &&
                     std::string(line.data()).find("a_local_function") != std::string::npos;
  if (output != nullptr) ::pclose(output);
  if (!found) std::printf("%s: %s", command.c_str(), line.data());
  return found ? 0 : 1;
}
