// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// is_free(): whether a mutex of a test is unlocked.
#pragma once

namespace jobs::test {

// Returns whether no thread, fiber or task owns the mutex; locks and unlocks it for that.
template <class M>
bool is_free(M& mutex) {
  if (!mutex.try_lock()) return false;
  mutex.unlock();
  return true;
}

}  // namespace jobs::test
