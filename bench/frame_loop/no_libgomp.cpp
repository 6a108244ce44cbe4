// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// In place of libgomp.cpp for compilers with another OpenMP.
#include "bench/frame_loop/workload.hpp"

namespace bench::frame_loop {

template <class Rhythm>
Contender on_libgomp() {
  return nullptr;
}
template Contender on_libgomp<Short>();
template Contender on_libgomp<Small>();
template Contender on_libgomp<SixtyHertz>();

}  // namespace bench::frame_loop
