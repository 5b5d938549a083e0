// SPDX-License-Identifier: Apache-2.0
// Relaxations of a test, and minimal tests: Lustig, Wright, Papakonstantinou, Giroux, Automated Synthesis of Comprehensive Memory
// Model Litmus Test Suites, ASPLOS 2017, with the scopes of PTX and, in place of dependencies, parts of the condition.
#pragma once

#include <vector>

#include "generate/oracle.h"
#include "generate/orders.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// Without an operation; the condition says nothing of it any more, nor of the value that it wrote.
Sketch without(const Sketch& sketch, std::size_t thread, std::size_t operation);
/// Without what has no order: fences at their weakest.
Sketch without_void_fences(const Sketch& sketch);

/// Each test that is one step weaker: an operation less, or its order one step weaker, or its scope one step narrower; an atomic
/// as a load and a store; a part of the condition less; a thread that shares a CTA (a GPU) with others in one of its own.
std::vector<Sketch> relaxations(const Sketch& sketch, const Scopes& scopes);

/// Forbidden, and every relaxation of it is allowed.
bool minimal(const Sketch& sketch, const Scopes& scopes, Oracle& oracle);

}  // namespace ptxmc::generate
