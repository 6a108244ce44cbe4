// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Request: one operation, in the frame of the fiber that waits for it. It goes to the I/O thread as a message, and perhaps a second
// message follows that cancels it. It is the fiber's again when the kernel has done with it and both messages have arrived:
//
//   fiber                                   I/O thread
//     push `start`                            completed: set kCompleted; wake the fiber,
//     suspend                                   unless kCancelSent was set and `cancel` has not come yet
//     late or stopped: set kCancelSent;       `cancel` comes: wake the fiber if it has completed,
//       push `cancel`, unless kCompleted        else cancel it, which completes it
//     suspend until woken
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/sync/waiter.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace request_order {
JOBS_ORDER(kMeet, acq_rel);  // the second to come sees what the first did
}  // namespace request_order

struct Request;

struct Message {
  jobs::detail::Plain<Message*> next{nullptr};  // link of the I/O thread's inbox
  Request* request;
};

struct Request {
  enum class Kind : std::uint8_t { kRead, kWrite, kAccept, kConnect, kPoll };

  Request(Kind what, int descriptor) noexcept : kind(what), fd(descriptor) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  const Kind kind;
  const int fd;
  // kRead, kWrite: a buffer; kConnect: an address.
  void* data = nullptr;
  std::uint32_t size = 0;
  std::int64_t offset = 0;
  short events = 0;  // kPoll

  jobs::detail::Waiter* waiter = nullptr;
  Message start{{}, this};
  Message cancel{{}, this};
  static constexpr unsigned kCompleted = 1;
  static constexpr unsigned kCancelSent = 2;
  jobs::detail::Atomic<unsigned> state{0};

  // --- the I/O thread's ---
  int result = 0;  // a value, or -errno; the fiber's when it has been woken
  bool cancel_came = false;
  Request* next = nullptr;  // of those that wait for the same descriptor (epoll)
};

}  // namespace jobs::inline JOBS_ABI::io::detail
