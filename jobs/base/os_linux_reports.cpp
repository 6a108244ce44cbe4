// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract with the operating system on Linux: names of addresses, and the signal that requests
// a report.
#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <semaphore.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>

#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::os {

namespace {

std::string hexadecimal(std::uintptr_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "+0x%zx", static_cast<std::size_t>(number));
  return text;
}

sem_t report_requested;

// sem_post() is async-signal-safe.
void on_signal(int) {
  const int before = errno;
  sem_post(&report_requested);
  errno = before;
}

}  // namespace

std::string describe_address(const void* address) {
  Dl_info info;
  link_map* object = nullptr;
  const bool known =
      dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  if (!known || object == nullptr || info.dli_fname == nullptr) {
    char text[24];
    std::snprintf(text, sizeof text, "%p", address);
    return text;
  }
  const auto address_value = reinterpret_cast<std::uintptr_t>(address);
  const std::string_view file = info.dli_fname;
  std::string text(file.substr(file.rfind('/') + 1));
  // Addresses in the file of a program that is not position-independent are absolute: l_addr is 0
  // there, whereas dli_fbase is the start of the program.
  text += hexadecimal(address_value - object->l_addr);
  if (info.dli_sname == nullptr) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
  text.append(" (").append(readable != nullptr ? readable.get() : info.dli_sname);
  return text + hexadecimal(address_value - reinterpret_cast<std::uintptr_t>(info.dli_saddr)) + ")";
}

void serve_signal(int signal, void (*serve)() noexcept) {
  static std::once_flag started;
  std::call_once(started, [serve] {
    [[maybe_unused]] void* const for_ever =
        retain_library();  // the thread and the handler never end
    sem_init(&report_requested, 0, 0);
    try {
      std::thread([serve] {
        block_signals();
        set_thread_name("jobs reports");
        for (;;) {
          if (sem_wait(&report_requested) == 0) serve();
        }
      }).detach();
    } catch (const std::system_error& error) {
      detail::refuse_thread(error.code(), "dump_on_signal()");
    }
  });
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(signal, &action, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
}

}  // namespace jobs::inline JOBS_ABI::os
