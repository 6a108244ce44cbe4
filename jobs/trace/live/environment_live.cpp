// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentLive: the page and its thread.
#include "jobs/trace/live/environment_live.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "jobs/base/environment.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/trace/live/live_collector.hpp"
#include "jobs/trace/live/live_page.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr const char* kLiveVariable = "JOBS_LIVE";
constexpr std::chrono::milliseconds kPeriod{100};
// A reader that has looked at the page for the last time that long ago is gone.
constexpr os::Nanoseconds kWatched = 2'000'000'000;

// Returns a page that other processes find among the files of this process. A program that closes
// all of its files later is not found any more.
LivePage* create_page() {
  const auto refuse = [](const char* what) {
    jobs::detail::refuse_variable(
        kLiveVariable, "1",
        std::string("cannot share a page: ") + what + ": " + std::strerror(errno));
  };
  const int file = memfd_create(kLiveName, MFD_CLOEXEC);
  if (file == -1) refuse("memfd_create");
  if (ftruncate(file, sizeof(LivePage)) != 0) {
    close(file);
    refuse("ftruncate");
  }
  void* const memory = mmap(nullptr, sizeof(LivePage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    close(file);
    refuse("mmap");
  }
  auto* const page = ::new (memory) LivePage;
  page->process = getpid();
  return page;
}

class LiveThread {
 public:
  LiveThread() : page_(create_page()), process_(getpid()), thread_([this] { run(); }) {}

  // At the exit of the process. A forked child has no such thread.
  void stop() noexcept {
    if (process_ != getpid()) return;
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    stop_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() noexcept {
    os::block_signals();
    os::set_thread_name("jobs live");
    std::unique_lock lock(mutex_);
    do {
      lock.unlock();
      publish();
      lock.lock();
    } while (!stop_.wait_for(lock, kPeriod, [this] { return stopping_; }));
  }
  void publish() noexcept {
    try {
      const os::Nanoseconds watched = page_->watched_at.load(std::memory_order_relaxed);
      const bool is_watched = watched != 0 && os::now() - watched < kWatched;
      page_->pictures.publish(words_of(collector_.take(is_watched)));
    } catch (const std::bad_alloc&) {
      // The last picture stays.
    }
  }

  LivePage* const page_;
  const pid_t process_;
  LiveCollector collector_;
  jobs::detail::ThreadMutex mutex_;
  jobs::detail::ThreadCondition stop_;
  bool stopping_ = false;
  jobs::detail::Thread thread_;  // last: it uses the other members
};

// Never destroyed, because its thread may be stopped only at the exit.
constinit LiveThread* live_thread = nullptr;

}  // namespace

void EnvironmentLive::start_once() {
  static std::once_flag started;
  std::call_once(started, [] {
    const std::string_view value = jobs::detail::read_variable(kLiveVariable);
    if (value.empty() || jobs::detail::parse_variable(kLiveVariable, value, 0, 1) == 0) return;
    try {
      live_thread = new LiveThread;
    } catch (const std::system_error& error) {
      jobs::detail::refuse_thread(error.code(), "the page of JOBS_LIVE", "do without JOBS_LIVE");
    }
    std::atexit([] { live_thread->stop(); });
  });
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
