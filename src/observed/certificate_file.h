// SPDX-License-Identifier: Apache-2.0
// Reading a certificate: what `ptxmc conform --format json` wrote (report/json/certificate.h).
#pragma once

#include "observed/certificate.h"
#include "support/source.h"

namespace ptxmc::observed {

/// Throws InputError for a text that is none.
Certificate read_certificate(const SourcePtr& source);

}  // namespace ptxmc::observed
