// SPDX-License-Identifier: Apache-2.0
// How programs come by the driver's functions: by their symbols, by cuGetProcAddress, and the runtime's own tables.
#include <dlfcn.h>

#include <algorithm>
#include <map>

#include "input/record/driver/exports.h"
#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

/// All rows by name, and the slot of each export.
class Table {
 public:
  Table() {
    for (const Rows& rows : {entry_rows(), memory_rows(), sharing_rows(), module_rows(), launch_rows(),
                             graph_rows(), device_rows(), work_rows()}) {
      for (const Row& row : rows) rows_.emplace(row.name, row);
    }
    for (std::size_t i = 0; i < ptxmc_count; ++i) numbers_.emplace(ptxmc_names[i], i);
  }
  const Row* row(const std::string& name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? nullptr : &found->second;
  }
  /// What is pretended is the same for the streams of each thread.
  const Row* pretended_row(const std::string& name) const {
    if (const Row* own = row(name)) return own;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (name.ends_with(suffix)) return row(name.substr(0, name.size() - suffix.size()));
    }
    return nullptr;
  }
  std::optional<std::size_t> number(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, Row> rows_;
  std::map<std::string, std::size_t> numbers_;
};

const Table& table() {
  static const Table* const only = new Table;
  return *only;
}

/// The driver that is forwarded to; null: none.
void* real_driver() {
  static void* const library =
      state().forwards() ? dlopen(state().channel.settings().forward_to.c_str(), RTLD_NOW | RTLD_LOCAL)
                         : nullptr;
  return library;
}

/// The exact name that a request means: the newest version that this driver has of it.
std::string newest(const std::string& base, bool per_thread) {
  for (const char* version : {"_v4", "_v3", "_v2", ""}) {
    for (const char* streams : {"_ptsz", "_ptds", ""}) {
      if (!per_thread && *streams != '\0') continue;
      const std::string name = base + version + streams;
      if (table().row(name) != nullptr) return name;
    }
  }
  return base;
}

void tell_trouble(const std::string& sentence) {
  Writer out;
  out.text(sentence);
  state().channel.tell(Kind::trouble, out);
}

constexpr unsigned long long kPerThread = 2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

using Lookup = Result (*)(const char*, void**, int, unsigned long long, int*);

namespace pretend {

Result lookup(const char* name, void** out, int, unsigned long long flags, int* status) {
  constexpr int kFound = 0, kNoSuchSymbol = 1;
  if (name == nullptr || out == nullptr) return kInvalidValue;
  *out = bind(newest(name, (flags & kPerThread) != 0), nullptr);
  for (const char* version : {"", "_v2", "_v3"}) {
    if (*out == nullptr) *out = exported(std::string(name) + version);
  }
  if (status != nullptr) *status = *out == nullptr ? kNoSuchSymbol : kFound;
  return *out == nullptr ? kNotFound : kOk;
}
Result old_lookup(const char* name, void** out, int version, unsigned long long flags) {
  return lookup(name, out, version, flags, nullptr);
}

/// NVIDIA's runtime asks for tables that no manual describes, and by one of them for proof that the driver is NVIDIA's.
/// There is none, and none is made up: record/runtime stands in for that runtime.
Result export_table(const void** out, const unsigned char*) {
  static std::once_flag told;
  std::call_once(told, [] {
    tell_trouble(
        "the program has NVIDIA's runtime in it, which takes no driver but NVIDIA's, and which is not "
        "replaced: that of CUDA "
        "13 is, where the symbols of what it is linked into are kept and that is loaded when the program "
        "starts. Link it "
        "with nvcc -cudart shared, or record it where there is a GPU");
  });
  *out = nullptr;
  return kNotFound;
}

}  // namespace pretend

namespace observe {

/// What is found for others is replaced by what observes it.
Result lookup(const char* name, void** out, int version, unsigned long long flags, int* status) {
  const Result result = next<&lookup>(name, out, version, flags, status);
  if (result != kOk || *out == nullptr || !state().forwards()) return result;
  if (void* own = bind(newest(name, (flags & kPerThread) != 0), *out)) *out = own;
  return result;
}
Result old_lookup(const char* name, void** out, int version, unsigned long long flags) {
  const Result result = next<&old_lookup>(name, out, version, flags);
  if (result != kOk || *out == nullptr || !state().forwards()) return result;
  if (void* own = bind(newest(name, (flags & kPerThread) != 0), *out)) *out = own;
  return result;
}

}  // namespace observe

/// Fills all slots when the library is loaded.
struct Start {
  Start() {
    for (std::size_t i = 0; i < ptxmc_count; ++i) {
      void* const real = of_real_driver(ptxmc_names[i]);
      void* own = bind(ptxmc_names[i], real);
      if (own == nullptr) own = real;
      ptxmc_slots[i] = own != nullptr ? own : reinterpret_cast<void*>(ptxmc_unsupported);
    }
  }
} const start;

}  // namespace

Rows entry_rows() {
  return {
      observed<&observe::lookup>("cuGetProcAddress_v2", pretend::lookup),
      observed<&observe::old_lookup>("cuGetProcAddress", pretend::old_lookup),
      pretended("cuGetExportTable", pretend::export_table),
  };
}

void* bind(const std::string& name, void* real) {
  const bool forwards = state().forwards();
  const Row* row = forwards ? table().row(name) : table().pretended_row(name);
  if (row == nullptr) return nullptr;
  void* const target = forwards ? real : row->pretended;
  if (row->observer == nullptr) return forwards ? nullptr : target;
  if (target == nullptr) return nullptr;
  *row->next = target;
  return row->observer;
}

void* exported(const std::string& name) {
  const auto number = table().number(name);
  return number ? ptxmc_exports[*number] : nullptr;
}

void* of_real_driver(const char* name) {
  return real_driver() == nullptr ? nullptr : dlsym(real_driver(), name);
}

}  // namespace ptxmc::record::driver

int ptxmc_refuse(unsigned number) {
  ptxmc::record::driver::tell_trouble(std::string(ptxmc_names[number]) +
                                      " was called, which the driver that is pretended does not have");
  return ptxmc::record::driver::kNotSupported;
}
void ptxmc_refuse_of_runtime(const char* name) {
  ptxmc::record::driver::tell_trouble(std::string(name) +
                                      " was called, which the runtime that is pretended does not have");
}
