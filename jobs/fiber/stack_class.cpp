// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackClass: checks of stack sizes.
#include "jobs/fiber/stack_class.hpp"

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::detail {

void check_stack_size(std::size_t size) {
  if (size >= kMinStackSize && size <= kMaxStackSize) return;
  MessageLine text;
  text << "a stack of " << size << " bytes: it must have at least 16 KiB and at most 1 GiB";
  throw_error(ErrorCode::kBadArgument, text);
}

StackClass class_of_size(std::size_t size) {
  check_stack_size(size);
  StackClass stack_class = 0;
  while (size_of_class(stack_class) < size) ++stack_class;
  return stack_class;
}

}  // namespace jobs::inline JOBS_ABI::detail
