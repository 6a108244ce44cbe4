// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// UringDriver: one ring of io_uring. Only the I/O thread calls it. One system call submits all
// requests since the last wait and also waits.
#include <liburing.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "jobs/base/os.hpp"
#include "jobs/io/driver.hpp"

namespace jobs::inline JOBS_ABI::io::detail {

namespace {

constexpr unsigned kEntries = 256;

class UringDriver final : public Driver {
 public:
  explicit UringDriver(int bell) : bell_(bell) {
    exists_ = io_uring_queue_init(kEntries, &ring_, 0) == 0;
    valid_ = exists_ && knows_all() && may_enter();
  }
  ~UringDriver() override {
    if (exists_) io_uring_queue_exit(&ring_);
  }
  bool is_valid() const { return valid_; }

  void start(Request& request) override {
    io_uring_sqe* const sqe = next_entry();
    switch (request.kind) {
      case Request::Kind::kRead:
        io_uring_prep_read(sqe, request.fd, request.data, request.size,
                           static_cast<std::uint64_t>(request.offset));
        break;
      case Request::Kind::kWrite:
        io_uring_prep_write(sqe, request.fd, request.data, request.size,
                            static_cast<std::uint64_t>(request.offset));
        break;
      case Request::Kind::kAccept:
        io_uring_prep_accept(sqe, request.fd, static_cast<sockaddr*>(request.data),
                             request.address_size, SOCK_CLOEXEC);
        break;
      case Request::Kind::kConnect:
        io_uring_prep_connect(sqe, request.fd, static_cast<const sockaddr*>(request.data),
                              request.size);
        break;
      case Request::Kind::kPoll:
        io_uring_prep_poll_add(sqe, request.fd, static_cast<unsigned>(request.events));
        break;
    }
    io_uring_sqe_set_data(sqe, &request);
  }

  // The kernel searches for the request while it takes this entry, so its address cannot belong to
  // a later request.
  //
  // The kernel misses a request that it is about to attempt again: it begins the attempt, which may
  // wait for ever. Therefore the driver repeats the cancellation until the request has completed.
  void cancel(Request& request) override {
    link(request);
    prepare_cancel(next_entry(), &request);
  }

  void wait() override {
    if (!watches_bell_) watch_bell();
    if (missed_ && !pauses_) begin_pause();
    expect_entered(io_uring_submit_and_wait(&ring_, 1));
    collect();
    if (std::exchange(pause_ended_, false)) repeat_cancels();
  }

 private:
  bool knows_all() {
    io_uring_probe* const probe = io_uring_get_probe_ring(&ring_);
    if (probe == nullptr) return false;
    bool all = true;
    for (const int operation :
         {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_ACCEPT, IORING_OP_CONNECT, IORING_OP_POLL_ADD,
          IORING_OP_ASYNC_CANCEL, IORING_OP_TIMEOUT}) {
      all = all && io_uring_opcode_supported(probe, operation) != 0;
    }
    io_uring_free_probe(probe);
    return all;
  }

  // A seccomp filter may allow io_uring_setup() and refuse io_uring_enter(). The test operation
  // completes inside the call, so it leaves nothing to the calling thread, which is not the I/O
  // thread.
  bool may_enter() {
    io_uring_prep_nop(io_uring_get_sqe(&ring_));
    io_uring_cqe* cqe = nullptr;
    if (io_uring_submit(&ring_) != 1 || io_uring_peek_cqe(&ring_, &cqe) != 0) return false;
    io_uring_cqe_seen(&ring_, cqe);
    return true;
  }

  // `result`: of a system call that submits. The entries of a failed call stay in the queue for the
  // next call.
  void expect_entered(int result) {
    if (result >= 0 || result == -EINTR) return;
    if (result == -EAGAIN || result == -EBUSY || result == -ENOMEM) {
      // The kernel lacks memory, or room for completions. The driver repeats the call, without
      // occupying a CPU meanwhile.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    // The ring may still write to the memory of waiting fibers, and no call can cancel these
    // requests.
    os::fatal_error("jobs::io: the kernel refuses io_uring_enter() since the start (" +
                    std::generic_category().message(-result) +
                    "): install the filter earlier, or set JOBS_IO=epoll\n");
  }

  void collect() {
    io_uring_cqe* cqe = nullptr;
    while (io_uring_peek_cqe(&ring_, &cqe) == 0) {
      void* const data = io_uring_cqe_get_data(cqe);
      const int result = cqe->res;
      io_uring_cqe_seen(&ring_, cqe);
      if (data == this) {
        watches_bell_ = false;
      } else if (data == &pauses_) {
        pauses_ = false;
        pause_ended_ = true;
      } else if (data == &cancelled_) {
        missed_ = missed_ || result < 0;
      } else {
        finish(*static_cast<Request*>(data), result);
      }
    }
    // A request that completed meanwhile needs no second cancellation.
    missed_ = missed_ && cancelled_ != nullptr;
  }

  void finish(Request& request, int result) {
    if (request.cancel_came) unlink(request);
    complete(request, result);
  }

  void link(Request& request) {
    Request& first = cancelled_ == nullptr ? request : *cancelled_;
    if (cancelled_ == nullptr) first.previous = cancelled_ = &request;
    request.next = &first;
    request.previous = first.previous;
    request.previous->next = &request;
    first.previous = &request;
  }

  void unlink(Request& request) {
    request.previous->next = request.next;
    request.next->previous = request.previous;
    if (cancelled_ == &request) cancelled_ = request.next == &request ? nullptr : request.next;
  }

  void prepare_cancel(io_uring_sqe* sqe, Request* request) {
    io_uring_prep_cancel(sqe, request, 0);
    io_uring_sqe_set_data(sqe, &cancelled_);
  }

  // One millisecond, because the kernel may be unable to cancel a request at all, such as a read of
  // a file.
  void begin_pause() {
    io_uring_sqe* const sqe = next_entry();
    io_uring_prep_timeout(sqe, &pause_, 0, 0);
    io_uring_sqe_set_data(sqe, &pauses_);
    pauses_ = true;
    missed_ = false;
  }

  // Takes only the free entries of the queue: to submit entries could complete requests of the
  // list. Further requests are the first ones after the next pause.
  void repeat_cancels() {
    Request* const first = cancelled_;
    if (first == nullptr) return;
    do {
      io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
      missed_ = sqe == nullptr;
      if (missed_) return;
      prepare_cancel(sqe, cancelled_);
      cancelled_ = cancelled_->next;
    } while (cancelled_ != first);
  }

  void watch_bell() {
    io_uring_sqe* const sqe = next_entry();
    io_uring_prep_read(sqe, bell_, &rings_, sizeof rings_, 0);
    io_uring_sqe_set_data(sqe, this);
    watches_bell_ = true;
  }

  io_uring_sqe* next_entry() {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    while (entry == nullptr) {
      // The queue is full: submits its entries. Completions that fill their queue would keep the
      // kernel from taking them.
      expect_entered(io_uring_submit(&ring_));
      collect();
      entry = io_uring_get_sqe(&ring_);
    }
    return entry;
  }

  const int bell_;
  std::uint64_t rings_ = 0;       // the kernel stores the bell's count here
  bool watches_bell_ = false;     // the ring has a read of the bell
  Request* cancelled_ = nullptr;  // a ring of the requests with a cancellation
  bool missed_ = false;           // a cancellation has failed since the last pause
  bool pauses_ = false;           // the ring has a timeout
  bool pause_ended_ = false;
  __kernel_timespec pause_{.tv_sec = 0, .tv_nsec = 1'000'000};
  io_uring ring_{};
  bool exists_ = false;
  bool valid_ = false;  // the ring exists, and the kernel supports every operation
};

}  // namespace

std::unique_ptr<Driver> make_uring_driver(int bell) {
  auto driver = std::make_unique<UringDriver>(bell);
  if (!driver->is_valid()) return nullptr;
  return driver;
}

}  // namespace jobs::inline JOBS_ABI::io::detail
