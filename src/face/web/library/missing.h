// SPDX-License-Identifier: Apache-2.0
// Read before every file of the page's build: what C++20's library has, ptxmc uses and the library of Emscripten 3.1 (libc++ 13)
// lacks. A library that has it is left alone.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

#include <array>
#include <cerrno>
#include <charconv>
#include <compare>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace std {

/// a <=> b; of what has < alone, by that.
template <typename T>
constexpr weak_ordering ptxmc_compare(const T& a, const T& b) {
  if constexpr (requires { a <=> b; }) {
    return a <=> b;
  } else {
    return a < b ? weak_ordering::less : b < a ? weak_ordering::greater : weak_ordering::equivalent;
  }
}

template <typename Range>
constexpr weak_ordering ptxmc_compare_ranges(const Range& a, const Range& b) {
  auto i = a.begin();
  auto j = b.begin();
  for (; i != a.end() && j != b.end(); ++i, ++j) {
    if (const weak_ordering order = ptxmc_compare(*i, *j); order != 0) return order;
  }
  return (i != a.end()) <=> (j != b.end());
}

template <typename T, typename A>
constexpr weak_ordering operator<=>(const vector<T, A>& a, const vector<T, A>& b) {
  return ptxmc_compare_ranges(a, b);
}
template <typename T, typename C, typename A>
constexpr weak_ordering operator<=>(const set<T, C, A>& a, const set<T, C, A>& b) {
  return ptxmc_compare_ranges(a, b);
}
template <typename K, typename T, typename C, typename A>
constexpr weak_ordering operator<=>(const map<K, T, C, A>& a, const map<K, T, C, A>& b) {
  return ptxmc_compare_ranges(a, b);
}
template <typename T, size_t N>
constexpr weak_ordering operator<=>(const array<T, N>& a, const array<T, N>& b) {
  return ptxmc_compare_ranges(a, b);
}
template <typename C, typename T, typename A>
constexpr weak_ordering operator<=>(const basic_string<C, T, A>& a, const basic_string<C, T, A>& b) {
  return a.compare(b) <=> 0;
}
template <typename C, typename T>
constexpr weak_ordering operator<=>(const basic_string_view<C, T>& a, const basic_string_view<C, T>& b) {
  return a.compare(b) <=> 0;
}
template <typename T>
constexpr weak_ordering operator<=>(const optional<T>& a, const optional<T>& b) {
  if (a && b) return ptxmc_compare(*a, *b);
  return a.has_value() <=> b.has_value();
}
template <typename A, typename B>
constexpr weak_ordering operator<=>(const pair<A, B>& a, const pair<A, B>& b) {
  const weak_ordering order = ptxmc_compare(a.first, b.first);
  return order != 0 ? order : ptxmc_compare(a.second, b.second);
}

/// Reads a text that is a number and no more; there is one locale.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  char* end = nullptr;
  errno = 0;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  if (errno == ERANGE) return {first + (end - text.c_str()), errc::result_out_of_range};
  value = read;
  return {first + (end - text.c_str()), errc{}};
}

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <typename T>
requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}

/// A thread that is joined where it ends. The page has one thread: to begin another throws std::system_error.
class jthread : public thread {
 public:
  using thread::thread;
  jthread(jthread&&) noexcept = default;
  jthread& operator=(jthread&&) noexcept = default;
  ~jthread() {
    if (joinable()) join();
  }
};

}  // namespace std

#endif
