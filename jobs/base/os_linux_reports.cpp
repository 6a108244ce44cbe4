// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract with the operating system on Linux: names of addresses, and the signal that requests
// a report.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::os {

namespace {

std::string hexadecimal(std::uintptr_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "+0x%zx", static_cast<std::size_t>(number));
  return text;
}

// The functions of an ELF file, by its symbol table. The dynamic linker does not know the functions
// that a file does not export: lambdas, functions in anonymous namespaces, and most functions of a
// program. A stripped file has no such table. The file stays mapped.
class FunctionNames {
 public:
  explicit FunctionNames(const char* path) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd == -1) return;
    struct stat status{};
    void* const file = ::fstat(fd, &status) == 0 && status.st_size > 0
                           ? ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ,
                                    MAP_PRIVATE, fd, 0)
                           : MAP_FAILED;
    ::close(fd);
    if (file == MAP_FAILED) return;
    file_ = {static_cast<const char*>(file), static_cast<std::size_t>(status.st_size)};
    read();
  }

  struct Function {
    std::uintptr_t start = 0;
    std::size_t size = 0;
    const char* name = nullptr;
  };
  // Returns the function that contains the address, an offset in the file's own numbering; its name
  // is null if there is none.
  Function find(std::uintptr_t address) const {
    const auto after = std::upper_bound(
        functions_.begin(), functions_.end(), address,
        [](std::uintptr_t value, const Function& function) { return value < function.start; });
    if (after == functions_.begin()) return {};
    const Function& function = *std::prev(after);
    return address - function.start < function.size ? function : Function{};
  }

 private:
  // Returns `count` objects at an offset of the file; null if they do not fit.
  template <class T>
  const T* at(std::size_t offset, std::size_t count) const {
    if (offset > file_.size() || offset % alignof(T) != 0) return nullptr;
    if (count > (file_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(file_.data() + offset);
  }

  void read() {
    const auto* const header = at<ElfW(Ehdr)>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    const auto* const sections = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    for (std::size_t i = 0; sections != nullptr && i < header->e_shnum; ++i) {
      const ElfW(Shdr)& table = sections[i];
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
      const ElfW(Shdr)& strings = sections[table.sh_link];
      const std::size_t count = table.sh_size / sizeof(ElfW(Sym));
      const auto* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
      const char* const names = at<char>(strings.sh_offset, strings.sh_size);
      if (symbols == nullptr || names == nullptr || strings.sh_size == 0 ||
          names[strings.sh_size - 1] != '\0')
        continue;
      for (const ElfW(Sym)* symbol = symbols; symbol != symbols + count; ++symbol) {
        if ((symbol->st_info & 0xf) == STT_FUNC && symbol->st_size != 0 &&
            symbol->st_name < strings.sh_size)
          functions_.push_back({symbol->st_value, symbol->st_size, names + symbol->st_name});
      }
    }
    std::sort(functions_.begin(), functions_.end(),
              [](const Function& a, const Function& b) { return a.start < b.start; });
  }

  std::string_view file_;
  std::vector<Function> functions_;
};

// Returns the function of a loaded file that contains the address. Any thread.
FunctionNames::Function find_function(const link_map& object, std::uintptr_t address) {
  static std::mutex mutex;
  // Never destroyed: a thread may report until the process ends.
  static auto& files = *new std::map<std::string, FunctionNames>;
  // The name of the program is empty.
  const char* const path = *object.l_name == '\0' ? "/proc/self/exe" : object.l_name;
  const std::scoped_lock lock(mutex);
  return files.try_emplace(path, path).first->second.find(address);
}

// A compiler divides some functions. The parts have names such as "f() [clone .actor]", the code of
// a coroutine; they stand for the function.
std::string_view without_clones(std::string_view name) noexcept {
  while (name.ends_with(']')) {
    const std::size_t begin = name.rfind(" [clone ");
    if (begin == name.npos) break;
    name = name.substr(0, begin);
  }
  return name;
}

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return std::string(without_clones(text != nullptr ? text.get() : symbol));
}

struct CodePlace {
  std::string file;           // without its folder; empty: no loaded file contains the address
  std::uintptr_t offset = 0;  // in the file's own numbering
  FunctionNames::Function function;  // its name is null if it has none
};

CodePlace find_place(const void* address) {
  Dl_info info;
  link_map* object = nullptr;
  const bool known =
      dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  if (!known || object == nullptr || info.dli_fname == nullptr) return {};
  const std::string_view file = info.dli_fname;
  // Addresses in the file of a program that is not position-independent are absolute: l_addr is 0
  // there, whereas dli_fbase is the start of the program.
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - object->l_addr;
  CodePlace place{
      .file = std::string(file.substr(file.rfind('/') + 1)),
      .offset = offset,
      .function = {.start = reinterpret_cast<std::uintptr_t>(info.dli_saddr) - object->l_addr,
                   .name = info.dli_sname}};
  if (place.function.name == nullptr) place.function = find_function(*object, offset);
  return place;
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
  const CodePlace place = find_place(address);
  if (place.file.empty()) {
    char text[24];
    std::snprintf(text, sizeof text, "%p", address);
    return text;
  }
  const std::string text = place.file + hexadecimal(place.offset);
  if (place.function.name == nullptr) return text;
  return text + " (" + readable(place.function.name) +
         hexadecimal(place.offset - place.function.start) + ")";
}

std::string function_name(const void* address) {
  const char* const name = find_place(address).function.name;
  return name != nullptr ? readable(name) : describe_address(address);
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
