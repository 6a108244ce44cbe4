// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The label of a fiber in messages and reports: its id with its name, or with its creation site if
// it has no name.
//   fiber 17 "mesh-build"
//   fiber 18 created at mesh.cpp:12
// Any thread may call append_label() with values; the form for a FiberCore is for the thread that
// runs the fiber. All functions are async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "jobs/base/config.hpp"
#include "jobs/base/message.hpp"
#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The id of the fiber that a job has on an external thread in Counter::wait(). It is no fiber of
// its own and has no label. Not 0, which would make the thread the owner of the locks of the job
// (LockOwner).
inline constexpr std::uint64_t kBorrowedThread = ~std::uint64_t{0};

// Creation site of a fiber.
struct FiberOrigin {
  const char* file = nullptr;  // null: unknown
  unsigned line = 0;
  std::size_t peak = 0;  // largest stack use in bytes of fibers from this site; 0: unknown
};
// Returns the origin of a fiber that the calling thread runs. Async-signal-safe.
using OriginOf = FiberOrigin (*)(const FiberCore& fiber) noexcept;

// Sets the function of the process that finds origins. It belongs to a room above this one.
void set_origin_of(OriginOf origin_of) noexcept;
FiberOrigin origin_of(const FiberCore& fiber) noexcept;

// An empty name: none. An empty file: unknown.
void append_label(MessageLine& message, std::uint64_t id, std::string_view name,
                  std::string_view file = {}, unsigned line = 0) noexcept;
void append_label(MessageLine& message, const FiberCore& fiber) noexcept;
// Appends "created at FILE:LINE".
void append_site(MessageLine& message, std::string_view file, unsigned line) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
