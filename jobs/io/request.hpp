// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Request: one operation, in the frame of the fiber that waits for it. The fiber sends it to the
// I/O thread by the message `start`. A second message, `cancel`, may follow. The frame may end only
// after the kernel has finished the operation and both sent messages have arrived. The two bits of
// `state` ensure this:
//
//   fiber                                     I/O thread
//   1. push `start`; suspend                  3. operation completed: set kCompleted; wake the
//   2. deadline or stop: set kCancelSent;        fiber, unless kCancelSent was set and `cancel`
//      push `cancel`, unless kCompleted          has not arrived
//      was set; suspend until woken           4. `cancel` arrives: if completed, wake the fiber;
//                                                otherwise cancel the operation, see 3
//
// Proof. Both bits are set by read-modify-write operations of one word, so one of steps 2 and 3
// comes second and sees the bit of the first one. If step 3 comes second, the fiber has sent
// `cancel`, and the later one of step 3 and step 4 wakes it. If step 2 comes second, the fiber
// sends no `cancel`, and step 3 has woken it. In both cases the fiber is woken once, after the last
// access of the I/O thread.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/sync/core/waiter.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace request_order {
// [io.2] The second of completion and cancellation sees the first. Partner: kMeet.
JOBS_ORDER(kMeet, acq_rel);
}  // namespace request_order

struct Request;

// A link of the I/O thread's inbox; part of a request.
struct Message {
  jobs::detail::Plain<Message*> next{nullptr};
  Request* request;
};

// One operation. The I/O thread uses the fields up to `cancel` between step 1 and the wake-up.
struct Request {
  enum class Kind : std::uint8_t { kRead, kWrite, kAccept, kConnect, kPoll };

  Request(Kind what, int descriptor) noexcept : kind(what), fd(descriptor) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  const Kind kind;
  const int fd;
  // A buffer (kRead, kWrite), an address (kConnect), or memory for an address or null (kAccept).
  void* data = nullptr;
  std::uint32_t size = 0;             // kRead, kWrite, kConnect
  socklen_t* address_size = nullptr;  // kAccept
  std::int64_t offset = 0;
  short events = 0;  // kPoll

  jobs::detail::Waiter* waiter = nullptr;
  Message start{{}, this};
  Message cancel{{}, this};
  static constexpr unsigned kCompleted = 1;
  static constexpr unsigned kCancelSent = 2;
  jobs::detail::Atomic<unsigned> state{0};

  // --- written by the I/O thread ---
  // A value of 0 or more, or -errno. The fiber reads it after its wake-up.
  int result = 0;
  bool cancel_came = false;
  // The next request that waits for the same descriptor (epoll), or whose cancellation is under way
  // (io_uring).
  Request* next = nullptr;
  Request* previous = nullptr;  // io_uring
};

}  // namespace jobs::inline JOBS_ABI::io::detail
