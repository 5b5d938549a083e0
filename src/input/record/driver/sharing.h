// SPDX-License-Identifier: Apache-2.0
// Memory that other processes and devices have, too: ptxmc is told, as they write there whenever they like.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "input/record/driver/abi.h"

namespace ptxmc::record::driver {

/// Physical memory by the driver's handles, and the addresses at which it is mapped.
class Shares {
 public:
  void map(Address handle, Address address);
  /// It goes to another process, or comes from one.
  void share(Address handle);

 private:
  std::mutex mutex_;
  std::set<Address> shared_;
  std::map<Address, std::vector<Address>> mapped_;
};

}  // namespace ptxmc::record::driver
