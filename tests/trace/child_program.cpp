// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace jobs::test {

ChildProgram::ChildProgram(std::vector<std::string> arguments,
                           const std::vector<std::string>& environment) {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("pipe2");
  std::vector<char*> texts;
  for (std::string& argument : arguments) texts.push_back(argument.data());
  texts.push_back(nullptr);
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string(*variable).rfind("JOBS_", 0) != 0) variables.emplace_back(*variable);
  }
  std::vector<char*> variable_texts;
  for (std::string& variable : variables) variable_texts.push_back(variable.data());
  variable_texts.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  const int error =
      posix_spawn(&process_, texts[0], &actions, nullptr, texts.data(), variable_texts.data());
  posix_spawn_file_actions_destroy(&actions);
  close(input[0]);
  close(output[1]);
  input_ = input[1];
  output_ = output[0];
  if (error != 0) throw std::runtime_error("posix_spawn");
}

ChildProgram::~ChildProgram() {
  wait();
  close(output_);
}

std::string ChildProgram::read_line() {
  std::string line;
  char byte = 0;
  while (read(output_, &byte, 1) == 1 && byte != '\n') line += byte;
  return line;
}

void ChildProgram::send(int signal) const noexcept { kill(process_, signal); }

int ChildProgram::wait() {
  if (input_ != -1) close(std::exchange(input_, -1));
  int status = 0;
  const pid_t process = std::exchange(process_, -1);
  if (process == -1 || waitpid(process, &status, 0) != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

Output output_of(const std::string& command) {
  Output output;
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> bytes;
  for (std::size_t n = 0; (n = fread(bytes.data(), 1, bytes.size(), pipe)) != 0;)
    output.text.append(bytes.data(), n);
  const int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return output;
}

}  // namespace jobs::test
