// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a function in a forked child process. The child has an alarm, so that a hang is a failure of
// the child.
#pragma once

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace jobs::test {

inline constexpr unsigned kChildPatience = 60;  // seconds

// The value that body() returns in a child process. Values from 1000: 1000 plus the signal that
// ended the child.
template <class F>
int in_child(F&& body) {
  const pid_t child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);  // a worker blocks signals; the child must not
    alarm(kChildPatience);
    _exit(body());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace jobs::test
