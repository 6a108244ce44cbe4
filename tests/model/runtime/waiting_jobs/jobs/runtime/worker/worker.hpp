// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For models; shared.hpp in jobs/runtime/worker of this tree describes the stand-in.
#pragma once

#include "jobs/runtime/worker/shared.hpp"
