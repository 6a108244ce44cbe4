// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For models; jobs/runtime/worker/shared.hpp in this folder describes the stand-in.
#pragma once

#include "jobs/runtime/worker/shared.hpp"
