// SPDX-License-Identifier: Apache-2.0
// What `verify` runs of its input: tests, and of a launch all CTAs, or those that are worth it.
#pragma once

#include <istream>
#include <map>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/verify_verb.h"
#include "litmus/parse.h"
#include "program/inner_map.h"

namespace ptxmc::cli {

/// A program, and which CTAs of its launch it has.
struct Subject {
  litmus::Test test;
  std::vector<std::uint64_t> ctas;  // empty: all
  std::uint64_t of_ctas = 0;
  std::string compared;  // how the global memory of the others was compared; empty: it was not
  std::map<std::string, std::string> sizes;
  bool peers = false;
  std::vector<program::InnerMap> inner_maps;
};

/// One of a launch; of a file of tests each.
std::vector<Subject> read_subjects(const Input& input, const VerifyOptions& options,
                                   std::istream& standard_input);

}  // namespace ptxmc::cli
