// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The Cholesky factor of a symmetric matrix, A = L * L^T, by blocks. Each block operation is a job
// that begins after the jobs whose blocks it reads or updates (spawn_after). The program checks the
// residual of A - L * L^T.
//
//   cholesky [blocks of a row]
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

constexpr std::size_t kBlock = 32;  // rows and columns of a block

// A square matrix in blocks. Only the blocks of the lower triangle are used.
class Matrix {
 public:
  explicit Matrix(std::size_t blocks)
      : blocks_(blocks), values_(blocks * blocks * kBlock * kBlock) {}

  std::size_t blocks() const { return blocks_; }
  std::size_t rows() const { return blocks_ * kBlock; }
  // The block, row after row.
  double* block(std::size_t i, std::size_t j) {
    return &values_[(i * blocks_ + j) * kBlock * kBlock];
  }
  double& at(std::size_t row, std::size_t column) {
    return block(row / kBlock, column / kBlock)[row % kBlock * kBlock + column % kBlock];
  }

 private:
  std::size_t blocks_;
  std::vector<double> values_;
};

// Symmetric, and positive definite because the diagonal dominates.
Matrix example(std::size_t blocks) {
  Matrix matrix(blocks);
  const std::size_t rows = matrix.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      const std::size_t hash = (row * 7919 + column * 104'729) % 1000;
      matrix.at(row, column) = static_cast<double>(hash) / 1000;
    }
    matrix.at(row, row) += static_cast<double>(rows);
  }
  return matrix;
}

// Replaces the lower triangle of a block of the diagonal by its factor.
void factor(double* a) {
  for (std::size_t j = 0; j < kBlock; ++j) {
    for (std::size_t i = j; i < kBlock; ++i) {
      double sum = a[i * kBlock + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * kBlock + k] * a[j * kBlock + k];
      a[i * kBlock + j] = i == j ? std::sqrt(sum) : sum / a[j * kBlock + j];
    }
  }
}

// a = a * (factor^T)^-1
void solve(double* a, const double* factor) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (std::size_t j = 0; j < kBlock; ++j) {
      double sum = a[i * kBlock + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * kBlock + k] * factor[j * kBlock + k];
      a[i * kBlock + j] = sum / factor[j * kBlock + j];
    }
  }
}

// c = c - a * b^T
void update(double* c, const double* a, const double* b) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (std::size_t j = 0; j < kBlock; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < kBlock; ++k) sum += a[i * kBlock + k] * b[j * kBlock + k];
      c[i * kBlock + j] -= sum;
    }
  }
}

// Replaces the lower triangle of the matrix by its factor.
void factorize(Matrix& m) {
  const std::size_t n = m.blocks();
  // The latest job that writes each block.
  std::vector<jobs::JobHandle> writers(n * n, jobs::spawn_after({}, [] {}));
  const auto writer = [&](std::size_t i, std::size_t j) -> jobs::JobHandle& {
    return writers[i * n + j];
  };
  for (std::size_t k = 0; k < n; ++k) {
    writer(k, k) = jobs::spawn_after({writer(k, k)}, [&m, k] { factor(m.block(k, k)); });
    for (std::size_t i = k + 1; i < n; ++i) {
      writer(i, k) = jobs::spawn_after({writer(i, k), writer(k, k)},
                                       [&m, i, k] { solve(m.block(i, k), m.block(k, k)); });
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) {
        writer(i, j) = jobs::spawn_after({writer(i, j), writer(i, k), writer(j, k)}, [&m, i, j, k] {
          update(m.block(i, j), m.block(i, k), m.block(j, k));
        });
      }
    }
  }
  for (const jobs::JobHandle& last : writers) last.wait();
}

// Returns the largest difference between the matrix and L * L^T, relative to its largest value.
double residual(Matrix& matrix, Matrix& factor) {
  const std::size_t rows = matrix.rows();
  const auto largest = [](double a, double b) { return std::max(a, b); };
  const double difference = jobs::parallel_reduce(0, rows, 0.0, largest, [&](std::size_t row) {
    double most = 0;
    for (std::size_t column = 0; column <= row; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k <= column; ++k) sum += factor.at(row, k) * factor.at(column, k);
      most = std::max(most, std::abs(matrix.at(row, column) - sum));
    }
    return most;
  });
  return difference / static_cast<double>(rows + 1);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t blocks = 8;
  if (argc > 1) {
    const char* const end = argv[1] + std::strlen(argv[1]);
    const auto [rest, error] = std::from_chars(argv[1], end, blocks);
    if (error != std::errc() || rest != end || blocks == 0 || blocks > 100) {
      std::fprintf(stderr, "usage: cholesky [blocks of a row, 1 to 100]\n");
      return 1;
    }
  }
  Matrix matrix = example(blocks);
  Matrix factor = matrix;
  factorize(factor);
  const double error = residual(matrix, factor);
  std::printf("%zu rows, residual %.1e\n", matrix.rows(), error);
  return error < 1e-12 ? 0 : 1;  // also if the residual is NaN
}
