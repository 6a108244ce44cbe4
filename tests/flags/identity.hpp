// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The common part of the files of the identity test: types, and each file's TypeIdentity of them.
#pragma once

#include <string>

#include "jobs/base/type_identity.hpp"

struct Shared {  // hidden, as most symbols of a plugin are
  int value;
};

struct Identities {
  const jobs::detail::TypeIdentity* of_int = &jobs::detail::kTypeIdentity<int>;
  const jobs::detail::TypeIdentity* of_string = &jobs::detail::kTypeIdentity<std::string>;
  const jobs::detail::TypeIdentity* of_shared = &jobs::detail::kTypeIdentity<Shared>;
  // A type of an unnamed namespace: each file has its own.
  const jobs::detail::TypeIdentity* of_unnamed;
};
