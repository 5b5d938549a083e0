// SPDX-License-Identifier: Apache-2.0
struct Torn {
  std::vector<int>
      numbers;  // a comment that is so long that the name does not fit beside the type, in a line of a hundred
  bool flag =
      false;  // and this one is so long that the value does not fit beside the name, in a line of a hundred
};
