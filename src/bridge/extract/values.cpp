// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/values.h"

#include <algorithm>

#include "bridge/extract/variables.h"

namespace ptxmc::extract {

std::int64_t Values::put_by(const MemoryAccess& access) {
  last_written(access);  // of another size, none can be written
  const std::int64_t value = access.bytes.bytes == 1 ? next_++ % 255 + 1 : next_++;
  written_.push_back({access.bytes, value, access.number, access.value});
  return value;
}

std::int64_t Values::last_written(const MemoryAccess& access) const {
  const trace::Range& bytes = access.bytes;
  for (auto w = written_.rbegin(); w != written_.rend(); ++w) {
    if (access.passes && w->bytes.begin == bytes.begin && w->number > access.number) continue;
    if (w->bytes.begin == bytes.begin && w->bytes.bytes == bytes.bytes) return w->value;
    if (overlap(w->bytes, bytes)) throw Unwritten{"strong accesses of different sizes"};
  }
  return 0;
}

std::set<std::int64_t> Values::seen_by(const MemoryAccess& access) const {
  std::set<std::int64_t> values{last_written(access)};
  if (access.first_leads_out) values.insert(0);
  for (const Written& written : written_) {
    const auto leads = std::find(access.leading_out.begin(), access.leading_out.end(), written.original);
    if (written.original && leads != access.leading_out.end() && written.bytes.begin == access.bytes.begin)
      values.insert(written.value);
  }
  return values;
}

}  // namespace ptxmc::extract
