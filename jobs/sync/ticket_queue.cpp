// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TicketQueue: the list of the tickets.
#include "jobs/sync/ticket_queue.hpp"

#include <mutex>

#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI {

TicketQueue::~TicketQueue() {
  // The lock waits for the done() that has ended the last ticket.
  const std::scoped_lock lock(lock_);
  if (first_ != nullptr)
    detail::contract_violation("TicketQueue", this, "destroyed before a ticket has ended");
}

TicketQueue::Ticket TicketQueue::take() {
  auto entry = std::make_unique<Entry>(*this);
  append(*entry);
  return Ticket(std::move(entry));
}

void TicketQueue::Ticket::done() noexcept {
  if (entry_ == nullptr) return;
  entry_->queue.remove(*entry_);
  entry_ = nullptr;
}

void TicketQueue::append(Entry& entry) noexcept {
  const std::scoped_lock lock(lock_);
  entry.earlier = last_;
  (last_ != nullptr ? last_->later : first_) = &entry;
  last_ = &entry;
  if (first_ == &entry) entry.called.signal();
}

void TicketQueue::remove(Entry& entry) noexcept {
  const std::scoped_lock lock(lock_);
  (entry.earlier != nullptr ? entry.earlier->later : first_) = entry.later;
  (entry.later != nullptr ? entry.later->earlier : last_) = entry.earlier;
  if (entry.earlier == nullptr && first_ != nullptr) first_->called.signal();
}

}  // namespace jobs::inline JOBS_ABI
