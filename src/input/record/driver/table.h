// SPDX-License-Identifier: Apache-2.0
// The functions of this driver, a row each. What a program calls is, in this order: an observer, which tells ptxmc and
// calls the next; the driver that is forwarded to, or what is pretended; a function that says that there is none.
#pragma once

#include <string>
#include <vector>

#include "input/record/driver/abi.h"

namespace ptxmc::record::driver {

/// What an observer calls: of the driver forwarded to, or pretended.
template <auto Observer>
struct Next {
  static inline void* target = nullptr;
};
template <auto Observer, typename... Arguments>
Result next(Arguments... arguments) {
  return reinterpret_cast<decltype(Observer)>(Next<Observer>::target)(arguments...);
}

struct Row {
  const char* name;
  void* pretended;  ///< null: there is none
  void* observer;   ///< null: none is needed
  void** next;
};
using Rows = std::vector<Row>;

template <typename F>
Row pretended(const char* name, F function) {
  return {name, reinterpret_cast<void*>(function), nullptr, nullptr};
}
template <auto Observer>
Row observed(const char* name, decltype(Observer) pretended) {
  return {name, reinterpret_cast<void*>(pretended), reinterpret_cast<void*>(Observer),
          &Next<Observer>::target};
}
/// Where nothing can be pretended.
template <auto Observer>
Row only_observed(const char* name) {
  return {name, nullptr, reinterpret_cast<void*>(Observer), &Next<Observer>::target};
}

// By family; those of `memory`, `modules` and `launches` are observed, too.
Rows memory_rows();
Rows sharing_rows();
Rows module_rows();
Rows launch_rows();
Rows device_rows();
Rows work_rows();
Rows graph_rows();
Rows entry_rows();  ///< cuGetProcAddress, cuGetExportTable

/// The function of that name that programs get, what it calls bound to `real` where that is not null; null: this driver
/// has none of its own.
void* bind(const std::string& name, void* real);
/// What this library exports under a name; null: nothing.
void* exported(const std::string& name);
/// A function of the driver that is forwarded to, by its exact name; null: it has none, or there is no such
/// driver.
void* of_real_driver(const char* name);

/// A handle that differs from all others, with nothing behind it.
Handle fresh();

/// What a function does of which nothing but success is asked; it takes any arguments.
Result nothing();
/// The same of one that has an observer, whose arguments it takes.
template <typename... Arguments>
Result succeed(Arguments...) {
  return kOk;
}

}  // namespace ptxmc::record::driver
