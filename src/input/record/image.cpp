// SPDX-License-Identifier: Apache-2.0
#include "input/record/image.h"

#include <fmt/format.h>

#include <vector>

#include "input/record/container.h"
#include "input/record/object.h"
#include "support/refuse.h"

namespace ptxmc::record {

namespace {

[[noreturn]] void no_ptx(unsigned architecture) {
  refuse(
      fmt::format("the module holds no PTX: compile it with nvcc -gencode "
                  "arch=compute_{0}a,code=[sm_{0}a,compute_{0}a] (a list with compute_ in it keeps the PTX)",
                  architecture));
}

/// Text ends at its first zero, if it has one.
std::string text_of(std::string_view bytes) {
  return std::string(bytes.substr(0, bytes.find('\0')));
}

}  // namespace

Ptx ptx_of(std::string_view image, unsigned architecture, const PtxFolders& folders) {
  if (is_object(image)) {
    Ptx found = folders.of(image);
    if (found.text.empty())
      refuse(
          "it was loaded as an object file (cubin), which holds no PTX: name a folder that has X.ptx beside "
          "X.cubin by --ptx DIR (Triton's cache; MOSAIC_GPU_DUMP_TO=DIR; nvcc -keep)");
    return found;
  }
  if (!is_fat_binary(image)) return {text_of(image), {}};
  const std::vector<Part> parts = parts_of(image);
  const Part* best = nullptr;
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::ptx || part.architecture > architecture) continue;
    if (best == nullptr || part.architecture > best->architecture) best = &part;
  }
  if (best != nullptr) return {text_of(plain_data(*best)), {}};
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::ptx)
      refuse(fmt::format("its PTX is for sm_{}, the device is sm_{}: --arch sm_{}", part.architecture,
                         architecture, part.architecture));
  }
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::object) continue;
    if (Ptx found = folders.of(plain_data(part)); !found.text.empty()) return found;
  }
  no_ptx(architecture);
}

}  // namespace ptxmc::record
