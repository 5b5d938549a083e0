// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "model/cat/read.h"
#include "model/relation/signature.h"

namespace {

const ptxmc::relation::Signature& signature() {
  using enum ptxmc::relation::Sort;
  using enum ptxmc::relation::Provider;
  static const ptxmc::relation::Signature kSignature({{"R", set, fixed, "", ""},
                                                      {"W", set, fixed, "", ""},
                                                      {"M", set, fixed, "", ""},
                                                      {"IW", set, fixed, "", ""},
                                                      {"F", set, fixed, "", ""},
                                                      {"po", relation, fixed, "", ""},
                                                      {"ploc", relation, fixed, "", ""},
                                                      {"rmw", relation, fixed, "", ""},
                                                      {"rf", relation, reads_from, "", ""},
                                                      {"phase", relation, enumerated, "", ""}});
  return kSignature;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    ptxmc::cat::read(
        std::make_shared<const ptxmc::Source>(ptxmc::Source{"fuzz", std::string(data, data + size)}),
        signature());
  } catch (const ptxmc::InputError&) {
    // refused, as it may be
  }
  return 0;
}
