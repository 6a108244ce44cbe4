// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of the library's templates, from which the functions of the program are taken.
#include "jobs/trace/format/code_place.hpp"

#include <algorithm>
#include <array>

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// The position of the comma or the bracket behind the first template argument.
std::size_t end_of_argument(std::string_view arguments) noexcept {
  int depth = 0;
  std::size_t end = 0;
  for (; end < arguments.size(); ++end) {
    const char c = arguments[end];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (depth == 0 && (c == '>' || c == ',')) break;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
  }
  return end;
}

// The lambda expression of the program for which the library has this function, or an empty text. A
// reduction has two: its operation, and then the function of an index.
std::string_view lambda_of_program(std::string_view name) noexcept {
  if (!name.starts_with("jobs::")) {  // without const and references
    if (name.find("{lambda(") != name.npos) return name.substr(0, name.rfind('}') + 1);
    const std::size_t number = name.rfind("::$_");  // by clang
    if (number == name.npos) return {};
    return name.substr(0, name.find_first_not_of("0123456789", number + 4));
  }
  std::string_view lambda;
  std::size_t begin = name.find('<');
  while (begin < name.size() && name[begin] != '>') {
    name.remove_prefix(std::min(begin + 1, name.size()));
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    begin = end_of_argument(name);
    const std::string_view own = lambda_of_program(name.substr(0, begin));
    if (!own.empty()) lambda = own;
  }
  return lambda;
}

}  // namespace

// The classes that call the functions of a program have them as their first template argument, and
// those of nodes as their second one. Loops and reductions have them deeper within.
std::string short_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> kWrappers = {"SpawnedJob<",
                                                         "ForkJob<",
                                                         "CallJob<",
                                                         "FunctionWithMessage<",
                                                         "FunctionBody<false, ",
                                                         "FunctionBody<true, ",
                                                         "stage_code<"};
  for (bool is_wrapped = true; is_wrapped;) {
    is_wrapped = false;
    for (const std::string_view wrapper : kWrappers) {
      const std::size_t at = name.find(wrapper);
      if (at == name.npos) continue;
      name.remove_prefix(at + wrapper.size());
      name = name.substr(0, end_of_argument(name));
      is_wrapped = true;
    }
  }
  const std::string_view lambda = lambda_of_program(name);
  return std::string(lambda.empty() ? name : lambda);
}

std::string line_after_name(std::uint64_t function, const SourceLines& lines) {
  if (function == 0) return {};
  const std::string line = lines.of(function);
  return line.empty() ? line : " (" + line + ")";
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
