// SPDX-License-Identifier: Apache-2.0
// Folders in which compilers that hand out object files leave the PTX of each.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxmc::record {

class PtxFolders {
 public:
  struct Found {
    std::string text;     ///< empty: there is none
    std::string by_name;  ///< the file, where nothing but the names of its kernels says that it is the one
  };

  /// Folders that are not there hold nothing.
  explicit PtxFolders(std::vector<std::string> folders, std::vector<std::string> caches = {})
      : folders_(std::move(folders)), caches_(std::move(caches)) {}
  /// What lies as X.ptx beside an X.cubin of these bytes; else what has kernels of the same names and numbers of parameters, and
  /// is not in a cache, which holds what other programs left there, too. Throws InputError: several have.
  Found of(std::string_view object) const;

 private:
  std::string beside(std::string_view object) const;
  Found by_names(std::string_view object) const;

  std::vector<std::string> folders_, caches_;
};

}  // namespace ptxmc::record
