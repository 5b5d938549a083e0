// SPDX-License-Identifier: Apache-2.0
// The suite of `conform`: a list of tests with a version, and what each is about.
//
// FOLDER/conformance.suite is a text. Lines that begin with # are comments. The first other line is
// `suite VERSION MODEL`; each line after it is `NAME | SECTION, ... | AXIOM ...`, of the test FOLDER/NAME.litmus.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "input/litmus/test.h"
#include "observed/certificate.h"

namespace ptxmc::cli {

struct SuiteTest {
  std::string name;             ///< "classic/MP+weak"
  std::string file;             ///< where it is
  observed::Subjects subjects;  ///< as the list says: sections and axioms
};

struct Suite {
  unsigned version = 0;
  std::string model;
  std::vector<SuiteTest> tests;
};

/// Throws InputError for a list that is wrong, with its line, or that is not there.
Suite read_suite(const std::string& folder);

/// Where the suite is installed, or lies in the sources of which this program was built. Throws InputError: nowhere.
std::string suite_folder();

/// What a test's text says that it is about: scopes, proxies, asynchronous operations.
observed::Subjects subjects_of(const litmus::Test& test);

}  // namespace ptxmc::cli
