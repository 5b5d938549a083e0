// SPDX-License-Identifier: Apache-2.0
// What each verb's result comes to.
#pragma once

#include "dynamic/claim/verify_result.h"
#include "face/cli/answer.h"
#include "finding/selection.h"
#include "observed/compare.h"
#include "repair/kernel/kernel.h"
#include "repair/repair.h"
#include "repair/weaken.h"
#include "session/explain.h"

namespace ptxmc::cli {

// `repair`: of a test in which nothing is wrong, that is known for certain.
Answer answer_of(const repair::Repairs& repairs);
Answer answer_of(const repair::RepairedKernel& repaired);
/// `weaken`: of a test of which nothing is known, nothing can be kept.
Answer answer_of(const repair::Weakened& weakened);
/// `explain`: why a test is vacuous has an answer, although the test itself has none.
Answer answer_of(const session::Explained& explained);
/// `compare`, of one test; two models are alike only where both lists of states are whole.
Answer answer_of(const observed::Comparison& comparison);
/// `verify`.
Answer answer_of(const claim::VerifyResult& verified, const finding::Selection& selection);

}  // namespace ptxmc::cli
