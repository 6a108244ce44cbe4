// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks that a report names local functions and lambdas by the symbols of the file, that
// function_name() is this name alone, and that addr2line resolves its addresses. The program is
// linked twice: position-independent, and at a fixed address. Returns 77 if addr2line is missing.
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
  using Function = void (*)();
  const Function lambda = [] { asm volatile("nop"); };
  const std::string of_lambda = jobs::os::describe_address(reinterpret_cast<const void*>(lambda));
  if (text.find("::a_local_function()+0x0)") == std::string::npos ||
      of_lambda.find("(main::") == std::string::npos) {
    std::printf("%s, %s: no name\n", text.c_str(), of_lambda.c_str());
    return 1;
  }
  const std::string name =
      jobs::os::function_name(reinterpret_cast<const void*>(&a_local_function));
  const int no_code = 0;
  if (name != "(anonymous namespace)::a_local_function()" ||
      jobs::os::function_name(&no_code) != jobs::os::describe_address(&no_code)) {
    std::printf("%s: not the name of the function\n", name.c_str());
    return 1;
  }
  const std::size_t begin = text.find('+') + 1;
  const std::string command = std::string("addr2line -fCe ") + arguments[0] + " " +
                              text.substr(begin, text.find(' ') - begin);
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) return 77;
  std::FILE* const output = ::popen(command.c_str(), "r");
  std::array<char, 200> line{};
  const bool found = output != nullptr && std::fgets(line.data(), line.size(), output) != nullptr &&
                     std::string(line.data()).find("a_local_function") != std::string::npos;
  if (output != nullptr) ::pclose(output);
  if (!found) std::printf("%s: %s", command.c_str(), line.data());
  return found ? 0 : 1;
}
