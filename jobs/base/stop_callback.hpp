// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StopCallback<F>: std::stop_callback<F>, with a destructor that waits for a call on another
// thread. In a simulation (jobs/testing.hpp) and in the model that thread is a virtual thread. Any
// thread may use it.
#pragma once

#include "jobs/base/config.hpp"

#if defined(JOBS_SIMULATED)

#include "jobs/base/simulated_thread.hpp"

#elif defined(JOBS_MODEL)

#include "tests/model/explorer/stop_callback.hpp"

#else

#include <stop_token>

namespace jobs::inline JOBS_ABI::detail {

template <class F>
using StopCallback = std::stop_callback<F>;

}  // namespace jobs::inline JOBS_ABI::detail

#endif
