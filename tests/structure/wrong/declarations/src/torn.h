// SPDX-License-Identifier: Apache-2.0
struct Torn {
  std::vector<int>
      numbers;  // a comment that is so long that the name does not fit beside the type
  bool flag =
      false;  // and this one the value
};
