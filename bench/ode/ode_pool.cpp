// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps by ODE's own pool of threads. The stepping thread waits meanwhile, so the pool has one
// thread per worker of the other side.
#include <ode/threading_impl.h>

#include "bench/ode/workload.hpp"

namespace bench::ode {
namespace {

class Pool {
 public:
  Pool(dWorldID world, unsigned threads)
      : world_(world),
        implementation_(dThreadingAllocateMultiThreadedImplementation()),
        threads_(dThreadingAllocateThreadPool(threads, 0, static_cast<unsigned>(dAllocateMaskAll),
                                              nullptr)) {
    dThreadingThreadPoolServeMultiThreadedImplementation(threads_, implementation_);
    dWorldSetStepThreadingImplementation(
        world, dThreadingImplementationGetFunctions(implementation_), implementation_);
  }
  ~Pool() {
    dThreadingImplementationShutdownProcessing(implementation_);
    dThreadingFreeThreadPool(threads_);
    dWorldSetStepThreadingImplementation(world_, nullptr, nullptr);
    dThreadingFreeImplementation(implementation_);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  const dWorldID world_;
  const dThreadingImplementationID implementation_;
  const dThreadingThreadPoolID threads_;
};

}  // namespace

Figures on_ode_pool(const Conditions& conditions) {
  Pile pile({});
  const Pool pool(pile.world(), conditions.workers);
  const double ns = step_ns(pile);
  if (!pile.is_sane()) throw WrongResult("boxes are where none may be");
  return {ns};
}

}  // namespace bench::ode
