// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// The C interface of the library: C11, with a stable binary interface.
///
/// A program includes this file alone and links jobs::c, or the pkg-config module `jobs_c`. The
/// headers are valid C++, too. docs/c.md describes errors, callbacks and the binary interface.
#pragma once

#include "jobs/c/counter.h"
#include "jobs/c/parallel_for.h"
#include "jobs/c/scheduler.h"
#include "jobs/c/spawn.h"
#include "jobs/c/status.h"
#include "jobs/c/sync.h"
#include "jobs/c/tasks.h"
