// SPDX-License-Identifier: Apache-2.0
#include "input/record/image.h"

#include <fmt/format.h>

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

}  // namespace

std::string module_text(std::string_view bytes) {
  return std::string(bytes.substr(0, bytes.find('\0')));
}

const Part* best_ptx(const std::vector<Part>& parts, unsigned architecture) {
  const Part* best = nullptr;
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::ptx || part.architecture > architecture) continue;
    if (best == nullptr || part.architecture > best->architecture) best = &part;
  }
  return best;
}

Ptx ptx_of(std::string_view image, unsigned architecture, const PtxFolders& folders) {
  if (is_object(image)) {
    Ptx found = folders.of(image);
    if (found.text.empty())
      refuse(
          "it was loaded as an object file (cubin), which holds no PTX: name a folder that has X.ptx beside "
          "X.cubin by --ptx DIR (Triton's cache; MOSAIC_GPU_DUMP_TO=DIR; nvcc -keep)");
    return found;
  }
  if (!is_fat_binary(image)) return {module_text(image), {}};
  const std::vector<Part> parts = parts_of(image);
  if (const Part* best = best_ptx(parts, architecture)) return {module_text(plain_data(*best)), {}};
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
