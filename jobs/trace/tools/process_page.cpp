// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProcessPage: the search for the page among the files of the process.
#include "jobs/trace/tools/process_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

// Returns "PID (NAME) STATE …"; empty if there is no such process or thread.
std::string read_stat(const std::string& folder) {
  std::ifstream file(folder + "/stat");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The name may have any characters, also parentheses.
char state_in(const std::string& stat) {
  const std::size_t end = stat.rfind(')');
  return end != stat.npos && end + 2 < stat.size() ? stat[end + 2] : '\0';
}

// Returns the id of the process as the process itself sees it: the last one of the line NSpid.
std::int64_t inner_id(pid_t process) {
  std::ifstream file(folder_of(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("NSpid:", 0) == 0) return std::stoll(line.substr(line.find_last_of(" \t")));
  }
  return process;
}

[[noreturn]] void fail(pid_t process, const std::string& what) {
  throw std::runtime_error("process " + std::to_string(process) + " " + what);
}

// Returns the link to the page among the files of the process; empty if it has none.
std::string find_page(pid_t process) {
  const std::string wanted = std::string("/memfd:") + kLiveName;
  std::error_code error;
  std::filesystem::directory_iterator files(folder_of(process) + "/fd", error);
  if (error == std::errc::permission_denied) fail(process, "belongs to another user");
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) {
    const std::filesystem::path target = std::filesystem::read_symlink(files->path(), error);
    // The process may have closed the file meanwhile. The kernel adds " (deleted)".
    if (!error && target.native().rfind(wanted, 0) == 0) return files->path();
    error.clear();
  }
  return {};
}

}  // namespace

ProcessPage::ProcessPage(pid_t process) : process_(process) {
  const char now = state();
  if (now == '\0') throw std::runtime_error("there is no process " + std::to_string(process));
  if (now == 'Z') fail(process, "has ended");
  const std::string path = find_page(process);
  if (path.empty())
    fail(process, "shares no page: start it with JOBS_LIVE=1, linked with jobs::trace");
  int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const bool is_writable = file != -1;
  if (!is_writable) file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1)
    fail(process, std::string("has a page that cannot be read: ") + std::strerror(errno));
  map(file, is_writable);
}

// The header has its place in all versions; a page of another version may be shorter than ours.
void ProcessPage::map(int file, bool is_writable) {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  struct stat status{};
  const bool has_header =
      pread(file, &magic, sizeof magic, offsetof(LivePage, magic)) == sizeof magic &&
      pread(file, &version, sizeof version, offsetof(LivePage, version)) == sizeof version;
  const bool is_ours = has_header && magic == kLiveMagic && version == kLiveVersion &&
                       fstat(file, &status) == 0 &&
                       status.st_size >= static_cast<off_t>(sizeof(LivePage));
  void* memory = MAP_FAILED;
  if (is_ours)
    memory = mmap(nullptr, sizeof(LivePage), is_writable ? PROT_READ | PROT_WRITE : PROT_READ,
                  MAP_SHARED, file, 0);
  close(file);
  if (!has_header || magic != kLiveMagic) fail(process_, "has a page that is none of jobs");
  if (version != kLiveVersion)
    fail(process_, "has a page of version " + std::to_string(version) +
                       "; this jobs-top reads version " + std::to_string(kLiveVersion));
  if (memory == MAP_FAILED) fail(process_, "has a page that cannot be mapped");
  page_ = static_cast<LivePage*>(memory);
  if (page_->process != inner_id(process_)) {
    munmap(memory, sizeof(LivePage));
    fail(process_, "has the page of another process: a forked child shares none");
  }
  is_writable_ = is_writable;
}

ProcessPage::~ProcessPage() {
  if (page_ != nullptr) munmap(page_, sizeof(LivePage));
}

bool ProcessPage::read(LivePicture& picture) noexcept {
  constexpr unsigned kAttempts = 100;
  if (is_writable_) page_->watched_at.store(os::now(), std::memory_order_relaxed);
  const auto words = std::make_unique<LivePictureBuffers::Words>();
  if (page_->pictures.read(*words, kAttempts) == 0) return false;
  set_words(picture, *words);
  return true;
}

std::string ProcessPage::command() const {
  const std::string stat = read_stat(folder_of(process_));
  const std::size_t begin = stat.find('(');
  const std::size_t end = stat.rfind(')');
  return begin < end && end != stat.npos ? stat.substr(begin + 1, end - begin - 1) : std::string();
}

char ProcessPage::state() const { return state_in(read_stat(folder_of(process_))); }

char ProcessPage::state_of(std::int32_t thread) const {
  return state_in(read_stat(folder_of(process_) + "/task/" + std::to_string(thread)));
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
