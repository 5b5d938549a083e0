// SPDX-License-Identifier: Apache-2.0
// st.async, red.async, st.bulk, discard (9.7.8): stores that complete later, or write what has no address in registers.
#pragma once

#include "dynamic/exec/operations.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class AsyncStores : public Unit {
 public:
  using Unit::Unit;

  void store_async(Warp&, const Step&, LaneMask);
  void reduce_async(Warp&, const Step&, LaneMask);
  void fill_bulk(Warp&, const Step&, LaneMask);
  void discard(Warp&, const Step&, LaneMask);
  void apply_priority(Warp&, const Step&, LaneMask);
  void signal(Warp& warp, const Step& step, unsigned lane, Address at, std::uint64_t bytes);

 private:
  void tell(Warp& warp, const Step& step, unsigned lane, const trace::Range& written, Address object);
  bool is_line(Warp&, const Step&, unsigned lane, const trace::Range&);
  void check_remote(Warp& warp, const Step& step, unsigned lane, Address at, Address object);
  void set_bytes(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, std::uint8_t byte,
                 Sources sources);
};

}  // namespace ptxmc::exec
