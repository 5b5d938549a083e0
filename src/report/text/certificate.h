// SPDX-License-Identifier: Apache-2.0
// A certificate of `conform` as text.
#pragma once

#include <string>

#include "observed/certificate.h"

namespace ptxmc::report {

/// The verdict in a sentence: "No forbidden outcome was observed in 745 tests."
std::string certificate_verdict(const observed::Certificate& certificate);
/// Model, suite, program, and how many tests did not run: a line each.
std::string certificate_facts(const observed::Certificate& certificate);
/// "sections of the manual": what a table of that axis is about.
std::string_view title_of(observed::Axis axis);
/// Rates, states and the explanation of a test that showed what is forbidden.
std::string forbidden_text(const observed::CertifiedTest& test);
/// A table: a line a name. Empty: no test has a name on this axis.
std::string certificate_table(const observed::Certificate& certificate, observed::Axis axis);
/// What differs from the other one.
std::string differences_text(const observed::Certificate& certificate, const observed::Certificate& other);

/// All of it; `other` may be null. `quiet`: without the tables.
std::string certificate_text(const observed::Certificate& certificate, const observed::Certificate* other,
                             bool quiet);

}  // namespace ptxmc::report
