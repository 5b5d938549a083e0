// SPDX-License-Identifier: Apache-2.0
// Modules and libraries, their kernels and variables. The driver has two notions of each: CUmodule and CUlibrary,
// CUfunction and CUkernel; here both are one.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

std::string file_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Bytes of a module's variable; nothing: it has none of that name.
std::optional<std::size_t> variable_bytes(Module& module, const char* name) {
  Writer out;
  out.number(module.number);
  out.text(name);
  const std::string reply = state().channel.ask(Kind::describe_variable, out);
  if (reply.empty()) return std::nullopt;
  Reader in(reply);
  if (in.number() == 0) return std::nullopt;
  return in.number();
}

void tell_variable(Handle handle, const char* name, Address address, std::size_t bytes) {
  const Module* module = state().module(handle);
  if (module == nullptr || name == nullptr) return;
  Writer out;
  out.number(module->number);
  out.text(name);
  out.number(address);
  out.number(bytes);
  state().channel.tell(Kind::variable, out);
}

/// Text begins with a `.version` directive (11.1.1), after blanks and comments.
bool is_ptx(std::string_view text) {
  constexpr std::string_view kFirst = ".version";
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool line = text.starts_with("//"), block = text.starts_with("/*");
    if (!line && !block) return text.starts_with(kFirst);
    const std::string_view end = line ? "\n" : "*/";
    const std::size_t at = text.find(end, 2);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + end.size());
  }
}

namespace pretend {

Result load(Handle* out, const void* image) {
  if (image == nullptr) return kInvalidValue;
  switch (form_of(image)) {
    case Form::other_object:
      return kInvalidImage;
    case Form::text:
      if (!is_ptx(image_at(image))) return kInvalidPtx;
      break;
    case Form::binary:
      break;
  }
  *out = state().load(image);
  return kOk;
}
Result load_with(Handle* out, const void* image, unsigned, int*, void**) {
  return load(out, image);
}
Result load_library(Handle* out, const void* image, int*, void**, unsigned, int*, void**, unsigned) {
  return load(out, image);
}
Result load_file(Handle* out, const char* path) {
  const std::string bytes = file_bytes(path);
  if (bytes.empty()) return 301;       // CUDA_ERROR_FILE_NOT_FOUND
  constexpr std::size_t kHeader = 64;  // of an object
  if (bytes.size() < kHeader && form_of(bytes.c_str()) != Form::text) return kInvalidImage;
  return load(out, bytes.c_str());
}
Result load_library_file(Handle* out, const char* path, int*, void**, unsigned, int*, void**, unsigned) {
  return load_file(out, path);
}

/// Whether there is such a kernel is not known of a module without PTX.
Result function(Handle* out, Handle handle, const char* name) {
  if (handle == nullptr || name == nullptr) return kInvalidValue;
  Kernel* kernel = state().kernel(*static_cast<Module*>(handle), name);
  *out = kernel;
  return kOk;
}
Result same(Handle* out, Handle handle) {
  *out = handle;
  return kOk;
}
Result variable(Address* address, std::size_t* bytes, Handle handle, const char* name) {
  if (handle == nullptr || name == nullptr) return kInvalidValue;
  auto& module = *static_cast<Module*>(handle);
  const std::lock_guard lock(state().mutex);
  auto found = module.variables.find(name);
  if (found == module.variables.end()) {
    const auto size = variable_bytes(module, name);
    if (!size) return kNotFound;
    found = module.variables.emplace(name, std::pair{state().allocate(*size), *size}).first;
  }
  if (address != nullptr) *address = found->second.first;
  if (bytes != nullptr) *bytes = found->second.second;
  return kOk;
}
Result kernel_module(Handle* out, Handle kernel) {
  *out = static_cast<Kernel*>(kernel)->module;
  return kOk;
}
Result kernel_name(const char** out, Handle kernel) {
  *out = static_cast<Kernel*>(kernel)->name.c_str();
  return kOk;
}
std::vector<std::string> kernel_names(Module& module) {
  Writer out;
  out.number(module.number);
  const std::string reply = state().channel.ask(Kind::list_kernels, out);
  std::vector<std::string> names;
  if (reply.empty()) return names;
  Reader in(reply);
  for (std::uint64_t left = in.number(); left > 0; --left) names.emplace_back(in.text());
  return names;
}
Result kernel_count(unsigned* out, Handle module) {
  *out = static_cast<unsigned>(kernel_names(*static_cast<Module*>(module)).size());
  return kOk;
}
Result kernels(Handle* out, unsigned count, Handle module) {
  for (const std::string& name : kernel_names(*static_cast<Module*>(module))) {
    if (count-- == 0) break;
    *out++ = state().kernel(*static_cast<Module*>(module), name);
  }
  return kOk;
}
Result loading_mode(int* out) {
  *out = 2;  // CU_MODULE_LAZY_LOADING
  return kOk;
}

}  // namespace pretend

namespace observe {

void loaded(Result result, Handle handle, const void* image) {
  if (result == kOk)
    state().name_module(handle, state().forwards() ? state().load(image) : static_cast<Module*>(handle));
}
Result load(Handle* out, const void* image) {
  const Result result = next<&load>(out, image);
  loaded(result, *out, image);
  return result;
}
Result load_fat(Handle* out, const void* image) {
  const Result result = next<&load_fat>(out, image);
  loaded(result, *out, image);
  return result;
}
Result load_with(Handle* out, const void* image, unsigned count, int* options, void** values) {
  const Result result = next<&load_with>(out, image, count, options, values);
  loaded(result, *out, image);
  return result;
}
Result load_library(Handle* out, const void* image, int* jit, void** jit_values, unsigned jit_count,
                    int* options, void** values, unsigned count) {
  const Result result = next<&load_library>(out, image, jit, jit_values, jit_count, options, values, count);
  loaded(result, *out, image);
  return result;
}
Result load_file(Handle* out, const char* path) {
  const Result result = next<&load_file>(out, path);
  if (result == kOk) loaded(result, *out, file_bytes(path).c_str());
  return result;
}
Result load_library_file(Handle* out, const char* path, int* jit, void** jit_values, unsigned jit_count,
                         int* options, void** values, unsigned count) {
  const Result result =
      next<&load_library_file>(out, path, jit, jit_values, jit_count, options, values, count);
  if (result == kOk) loaded(result, *out, file_bytes(path).c_str());
  return result;
}

void named(Result result, Handle kernel, Handle module, const char* name) {
  Module* known = result == kOk ? state().module(module) : nullptr;
  if (known != nullptr) state().name_kernel(kernel, state().kernel(*known, name));
}
Result function(Handle* out, Handle module, const char* name) {
  const Result result = next<&function>(out, module, name);
  named(result, *out, module, name);
  return result;
}
Result kernel(Handle* out, Handle library, const char* name) {
  const Result result = next<&kernel>(out, library, name);
  named(result, *out, library, name);
  return result;
}
/// A function of a kernel, a module of a library: the same under another handle.
Result function_of(Handle* out, Handle kernel) {
  const Result result = next<&function_of>(out, kernel);
  Kernel* known = result == kOk ? state().kernel(kernel) : nullptr;
  if (known != nullptr) state().name_kernel(*out, known);
  return result;
}
Result module_of(Handle* out, Handle library) {
  const Result result = next<&module_of>(out, library);
  Module* known = result == kOk ? state().module(library) : nullptr;
  if (known != nullptr) state().name_module(*out, known);
  return result;
}
/// `owner`: a module or a library, as Function takes it.
template <auto Function>
Result find_variable(Address* address, std::size_t* bytes, Handle owner, const char* name) {
  Address at = 0;
  std::size_t size = 0;
  const Result result = next<Function>(&at, &size, owner, name);
  if (result != kOk) return result;
  tell_variable(owner, name, at, size);
  if (address != nullptr) *address = at;
  if (bytes != nullptr) *bytes = size;
  return result;
}
Result variable(Address* address, std::size_t* bytes, Handle module, const char* name) {
  return find_variable<&variable>(address, bytes, module, name);
}
Result library_variable(Address* address, std::size_t* bytes, Handle library, const char* name) {
  return find_variable<&library_variable>(address, bytes, library, name);
}

}  // namespace observe

}  // namespace

Rows module_rows() {
  return {
      observed<&observe::load>("cuModuleLoadData", pretend::load),
      observed<&observe::load_fat>("cuModuleLoadFatBinary", pretend::load),
      observed<&observe::load_with>("cuModuleLoadDataEx", pretend::load_with),
      observed<&observe::load_file>("cuModuleLoad", pretend::load_file),
      observed<&observe::load_library>("cuLibraryLoadData", pretend::load_library),
      observed<&observe::load_library_file>("cuLibraryLoadFromFile", pretend::load_library_file),
      observed<&observe::function>("cuModuleGetFunction", pretend::function),
      observed<&observe::kernel>("cuLibraryGetKernel", pretend::function),
      observed<&observe::function_of>("cuKernelGetFunction", pretend::same),
      observed<&observe::module_of>("cuLibraryGetModule", pretend::same),
      observed<&observe::variable>("cuModuleGetGlobal_v2", pretend::variable),
      observed<&observe::library_variable>("cuLibraryGetGlobal", pretend::variable),
      pretended("cuLibraryGetManaged", pretend::variable),
      pretended("cuFuncGetModule", pretend::kernel_module),
      pretended("cuKernelGetLibrary", pretend::kernel_module),
      pretended("cuFuncGetName", pretend::kernel_name),
      pretended("cuKernelGetName", pretend::kernel_name),
      pretended("cuModuleGetFunctionCount", pretend::kernel_count),
      pretended("cuLibraryGetKernelCount", pretend::kernel_count),
      pretended("cuModuleEnumerateFunctions", pretend::kernels),
      pretended("cuLibraryEnumerateKernels", pretend::kernels),
      pretended("cuModuleGetLoadingMode", pretend::loading_mode),
      pretended("cuModuleUnload", nothing),
      pretended("cuLibraryUnload", nothing),
  };
}

}  // namespace ptxmc::record::driver
