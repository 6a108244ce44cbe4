// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the identity test share: types, and where each file says which TypeIdentity it has for them.
#pragma once

#include <string>

#include "jobs/base/type_identity.hpp"

struct Shared {  // hidden, as all of a plugin usually is
  int value;
};

struct Identities {
  const jobs::detail::TypeIdentity* of_int = &jobs::detail::kTypeIdentity<int>;
  const jobs::detail::TypeIdentity* of_string = &jobs::detail::kTypeIdentity<std::string>;
  const jobs::detail::TypeIdentity* of_shared = &jobs::detail::kTypeIdentity<Shared>;
  const jobs::detail::TypeIdentity* of_unnamed;  // of a type of an unnamed namespace: each file has its own
};
