// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The heap for large blocks: closures and blocks of memory_resource() that no slab serves. It is mimalloc if the library was built with
// JOBS_WITH_MIMALLOC and the program can load it, otherwise operator new. mimalloc is loaded by its own name and locally, at the first
// large block: malloc and operator new of the program stay what they are.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail::heap {

// Throws std::bad_alloc. Any thread; any thread may free the block.
[[nodiscard]] JOBS_EXPORT void* allocate(std::size_t bytes, std::size_t alignment);
// alignment: that of the allocation.
JOBS_EXPORT void deallocate(void* memory, std::size_t alignment) noexcept;

// "mimalloc" or "operator new".
const char* name() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail::heap
