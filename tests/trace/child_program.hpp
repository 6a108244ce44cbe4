// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChildProgram: a program that runs beside the test, with pipes to its standard input and from its
// standard output. output_of() runs a command to its end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace jobs::test {

class ChildProgram {
 public:
  // `environment`: NAME=VALUE.
  ChildProgram(std::vector<std::string> arguments, const std::vector<std::string>& environment);
  // Ends the standard input of the program, and waits for its end.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  pid_t process() const noexcept { return process_; }
  // Reads a line of its output; empty at the end of the output.
  std::string read_line();
  void send(int signal) const noexcept;
  // Ends the standard input, and returns the exit status; 1000 plus the number of a signal.
  int wait();

 private:
  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
};

struct Output {
  std::string text;  // of both outputs
  int status = -1;
};
Output output_of(const std::string& command);

}  // namespace jobs::test
