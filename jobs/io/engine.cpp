// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The I/O thread: start, inbox and waits. serve() and complete() run on the I/O thread, all other
// functions on the threads of the callers.
#include "jobs/io/engine.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "jobs/base/environment.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/stop_event.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace {

using jobs::detail::StopEvent;
using jobs::detail::Waiter;
using jobs::detail::WaitingThread;

int make_bell() {
  const int bell = eventfd(0, EFD_CLOEXEC);
  if (bell < 0) refuse_descriptor("its eventfd");
  return bell;
}

}  // namespace

namespace {

// Never destroyed: the I/O thread needs it until the process ends, and no order of static
// destructors has to be correct.
struct Only {
  jobs::detail::Atomic<Engine*> engine{nullptr};
  std::mutex starting;
  Engine* inherited = nullptr;
};
constinit Only only;

// A child process has no I/O thread, and the bell and the ring belong to its parent. The child
// starts an engine of its own.
void forget_engine() noexcept {
  // A thread of the parent may have locked it; that thread does not exist in the child.
  new (&only.starting) std::mutex;
  only.inherited = only.engine.exchange(nullptr, std::memory_order_relaxed);
}
[[maybe_unused]] const int kWatched = pthread_atfork(nullptr, nullptr, &forget_engine);

}  // namespace

Engine& Engine::instance() {
  if (Engine* const engine = only.engine.load(std::memory_order_acquire)) return *engine;
  const std::scoped_lock lock(only.starting);
  Engine* engine = only.engine.load(std::memory_order_relaxed);
  if (engine == nullptr) {
    engine = new Engine;
    only.engine.store(engine, std::memory_order_release);
  }
  return *engine;
}

Engine::Engine() : bell_(make_bell()) {
  const std::string_view wanted = jobs::detail::read_variable("JOBS_IO");
  const auto refuse = [&](const char* rule) {
    jobs::detail::refuse_variable("JOBS_IO", wanted, rule);
  };
  if (!wanted.empty() && wanted != "io_uring" && wanted != "epoll")
    refuse("is neither io_uring nor epoll");
  if (wanted != "epoll") driver_ = make_uring_driver(bell_.get());
  if (driver_ == nullptr) {
    if (wanted == "io_uring") refuse("is denied by the kernel");
    backend_ = Backend::kEpoll;
    driver_ = make_epoll_driver(bell_.get());
  }
  try {
    std::thread([this] { serve(); }).detach();
  } catch (const std::system_error& error) {
    jobs::detail::refuse_thread(error.code(), "jobs::io");
  }
}

void refuse_descriptor(const char* purpose) {
  throw std::system_error(
      errno, std::generic_category(),
      std::string("jobs::io: no descriptor for ") + purpose + " (see ulimit -n and fs.file-max)");
}

void Engine::send(Message& message) noexcept {
  inbox_.push(message);
  if (rung_.exchange(true, engine_order::kRing)) return;
  const std::uint64_t once = 1;
  // Cannot fail: the count of the eventfd stays small.
  [[maybe_unused]] const ssize_t written = ::write(bell_.get(), &once, sizeof once);
}

void Engine::serve() noexcept {
  os::block_signals();
  os::set_thread_name("jobs io");
  for (;;) {
    driver_->wait();
    if (!rung_.exchange(false, engine_order::kListen)) continue;
    for (Message* message = inbox_.drain(); message != nullptr;) {
      Message* const next = message->next;
      Request& request = *message->request;
      if (message == &request.start) {
        driver_->start(request);
      } else {
        request.cancel_came = true;
        if ((request.state.load(std::memory_order_relaxed) & Request::kCompleted) != 0) {
          // Relaxed: this thread itself has set the bit.
          jobs::detail::wake(*request.waiter);
        } else {
          driver_->cancel(request);
        }
      }
      message = next;
    }
  }
}

void complete(Request& request, int result) noexcept {
  request.result = result;
  const unsigned before = request.state.fetch_or(Request::kCompleted, request_order::kMeet);
  if ((before & Request::kCancelSent) == 0 || request.cancel_came)
    jobs::detail::wake(*request.waiter);
}

int Engine::perform(Request& request, const WaitLimit& until) {
  WaitingThread thread;
  thread.host().prepare_wait();
  Waiter self(thread.host().current());
  request.waiter = &self;

  // The "list" that a late waiter leaves. It never leaves at once, because the kernel may still be
  // using its memory.
  struct Cancellation {
    bool unlink(Waiter&) noexcept {
      sent = true;
      if ((request.state.fetch_or(Request::kCancelSent, request_order::kMeet) &
           Request::kCompleted) == 0) {
        engine.send(request.cancel);
      }
      return false;
    }
    Engine& engine;
    Request& request;
    bool sent = false;
  } cancellation{*this, request};

  StopEvent stopped(until.stop);
  send(request.start);
  // The result of the request contains more information.
  static_cast<void>(jobs::detail::park(thread.host(), cancellation, self,
                                       {.deadline = until.deadline, .stop = stopped.get()},
                                       {WaitKind::kIo, nullptr}));
  // A kernel thread of io_uring may return -EINTR.
  const bool ended_early = request.result == -ECANCELED || request.result == -EINTR;
  if (!ended_early || !cancellation.sent) return request.result;
  if (until.stop.stop_requested()) return -ECANCELED;
  if (until.deadline <= os::now()) return -ETIMEDOUT;
  jobs::detail::throw_interrupt(thread.host().current());
}

}  // namespace jobs::inline JOBS_ABI::io::detail
