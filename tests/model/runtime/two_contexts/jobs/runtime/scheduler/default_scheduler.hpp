// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For models: see shared.hpp beside it.
#pragma once

#include "jobs/runtime/worker/shared.hpp"
