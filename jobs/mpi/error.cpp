// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of MPI's errors. Any thread or fiber calls these functions.
#include "jobs/mpi/error.hpp"

#include <string>

#include "jobs/mpi/handles.hpp"

namespace jobs::inline JOBS_ABI::mpi {

namespace {

class Category final : public std::error_category {
 public:
  constexpr Category() noexcept = default;
  const char* name() const noexcept override { return "MPI"; }
  std::string message(int code) const override {
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS)
      return "unknown error " + std::to_string(code);
    text.resize(static_cast<std::size_t>(length));
    return text;
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

void detail::check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw std::system_error(code, error_category(), call);
}

}  // namespace jobs::inline JOBS_ABI::mpi
