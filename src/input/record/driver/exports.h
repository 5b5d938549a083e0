// SPDX-License-Identifier: Apache-2.0
// What this library exports: a jump for each name of a driver, to where a slot says.
#pragma once

#include <cstddef>

extern "C" {
/// By number of the name, as are the slots.
extern const char* const ptxmc_names[] __attribute__((visibility("hidden")));
extern void* const ptxmc_exports[] __attribute__((visibility("hidden")));
extern void* ptxmc_slots[] __attribute__((visibility("hidden")));
extern const std::size_t ptxmc_count __attribute__((visibility("hidden")));
/// For the slot of a function that there is none of: says which, and that it is not supported.
void ptxmc_unsupported() __attribute__((visibility("hidden")));
int ptxmc_refuse(unsigned number) __attribute__((visibility("hidden")));
/// What record/runtime has no function for, by name.
void ptxmc_refuse_of_runtime(const char* name);
}
