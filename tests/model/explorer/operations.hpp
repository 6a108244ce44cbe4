// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The effects of Atomic, Plain and the fences in the running execution. Atomic operations and
// fences are scheduling points. Accesses to plain data are no scheduling points; the clocks show
// their races.
#pragma once

#include "tests/model/explorer/order.hpp"
#include "tests/model/explorer/view.hpp"

namespace jobs::model {

void create_atomic(const void* address, Value initial);
void destroy_atomic(const void* address);
Value atomic_load(const void* address, OrderOfUse order);
void atomic_store(const void* address, Value value, OrderOfUse order);
// Always followed by atomic_write_modified().
Value atomic_read_to_modify(const void* address, OrderOfUse order);
void atomic_write_modified(const void* address, Value value, OrderOfUse order);
bool atomic_compare_exchange(const void* address, Value& expected, Value desired,
                             OrderOfUse success, OrderOfUse failure);

void create_plain(const void* address);
void destroy_plain(const void* address);
void read_plain(const void* address);
void write_plain(const void* address);

void fence(OrderOfUse order);
void light_fence();
bool light_fence_is_free();
void heavy_fence(OrderOfUse order);  // a relaxed one is left out

// One step of a spin loop: returns after a change that the thread may not have seen.
void spin();

}  // namespace jobs::model
