// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a program in a child process with a time limit, and judges its end. For the tests of this
// folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace jobs::test {

enum class Ending : std::uint8_t {
  kWorked,   // exit status 0
  kRefused,  // kRefusedStatus: an exception of the library has reached the program
  kAborted,  // abort() after one line of the library
  kSkipped,  // kSkippedStatus: the system refuses the experiment
  kHung,     // the time limit has passed; the process was killed
  kWrong,    // any other end
};
const char* name_of(Ending ending) noexcept;

inline constexpr int kRefusedStatus = 3;
inline constexpr int kSkippedStatus = 77;

struct Outcome {
  Ending ending = Ending::kWrong;
  int status = 0;      // of waitpid()
  std::string output;  // standard output and standard error
};

// Runs a program. `prepare` runs in the child before exec: it makes system calls only. `attend`
// runs in the parent every 5 ms while the child lives.
Outcome run_program(const std::vector<std::string>& command, unsigned seconds,
                    const std::function<void()>& prepare = {},
                    const std::function<void(int child)>& attend = {});

}  // namespace jobs::test
