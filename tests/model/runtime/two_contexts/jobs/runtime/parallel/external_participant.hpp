// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For models: an external thread that takes part takes the place of worker 1 (shared.hpp).
#pragma once

#include "jobs/runtime/worker/shared.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ExternalParticipant {
 public:
  ExternalParticipant() noexcept : context_(Shared::current->participant()) {
    this_thread().context = context_;
  }
  ~ExternalParticipant() { this_thread().context = nullptr; }
  ExternalParticipant(const ExternalParticipant&) = delete;
  ExternalParticipant& operator=(const ExternalParticipant&) = delete;

  // Returns null if the scheduler has no place for a participant.
  WorkerContext* context() const noexcept { return context_; }

 private:
  WorkerContext* const context_;
};

}  // namespace jobs::inline JOBS_ABI::detail
