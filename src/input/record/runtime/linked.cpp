// SPDX-License-Identifier: Apache-2.0
// NVIDIA's runtime as nvcc links it by default, into the program itself. It takes no driver but NVIDIA's, so its functions are
// found by the symbols of what is loaded when the program starts, and become jumps to those of this library, before any
// constructor registers a kernel: this library is initialised first (driver.cmake), even before that of C, which takes no
// dlopen yet.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

extern "C" {
#define PTXMC_NAME(name) void name();
#include "input/record/runtime/names.inc"
#undef PTXMC_NAME
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // where this library begins
}

namespace ptxmc::record::runtime {

namespace {

/// The functions of this library, by name.
using Own = std::unordered_map<std::string, const void*>;
Own own_functions() {
  return {
#define PTXMC_NAME(name) {#name, reinterpret_cast<const void*>(name)},
#include "input/record/runtime/names.inc"
#undef PTXMC_NAME
  };
}

/// A file's bytes, none where it cannot be read.
class File {
 public:
  explicit File(const char* path) {
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      const auto bytes = static_cast<std::size_t>(status.st_size);
      void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (at != MAP_FAILED) bytes_ = {static_cast<const char*>(at), bytes};
    }
    if (descriptor >= 0) ::close(descriptor);
  }
  ~File() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  template <typename T>
  std::optional<T> read(std::uint64_t offset) const {
    T out;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof out) return std::nullopt;
    std::memcpy(&out, bytes_.data() + offset, sizeof out);
    return out;
  }
  std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  std::string_view bytes_;
};

struct Function {
  std::uint64_t address;  // in the file's terms
  std::uint64_t bytes;
  std::string name;
};

/// Adds the functions of one table of symbols.
void add_functions(const File& file, const Elf64_Shdr& table, std::uint64_t names,
                   std::vector<Function>& out) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = file.read<Elf64_Sym>(table.sh_offset + at);
    if (!symbol) return;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF)
      out.push_back({symbol->st_value, symbol->st_size, file.text(names + symbol->st_name)});
  }
}

std::vector<Function> functions_of(const File& file) {
  std::vector<Function> out;
  const auto header = file.read<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return out;
  const auto section = [&](std::uint64_t i) {
    return file.read<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != SHT_SYMTAB) continue;
    if (const auto names = section(table->sh_link)) add_functions(file, *table, names->sh_offset, out);
  }
  return out;
}

#if defined(__x86_64__)
constexpr std::array<unsigned char, 12> kJump = {0x48, 0xB8, 0, 0, 0,    0,
                                                 0,    0,    0, 0, 0xFF, 0xE0};  // movabs, jmp *%rax
constexpr std::size_t kTarget = 2;
#else
constexpr std::array<unsigned char, 16> kJump = {0x50, 0,    0,    0x58,
                                                 0,    0x02, 0x1F, 0xD6};  // ldr x16, 8; br x16
constexpr std::size_t kTarget = 8;
#endif

bool make_jump(std::uintptr_t function, const void* target) {
  auto jump = kJump;
  std::memcpy(jump.data() + kTarget, &target, sizeof target);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = function / page * page;
  const std::size_t bytes = function + jump.size() - begin;
  auto* const pages = reinterpret_cast<void*>(begin);
  if (::mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  std::memcpy(reinterpret_cast<void*>(function), jump.data(), jump.size());
  __builtin___clear_cache(reinterpret_cast<char*>(function), reinterpret_cast<char*>(function + jump.size()));
  return ::mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0;
}

bool is_before_13(const std::vector<Function>& functions) {
  return std::any_of(functions.begin(), functions.end(),
                     [](const Function& one) { return one.name == "cudaGetDeviceProperties_v2"; });
}

/// Functions are aligned: what is between one and the next belongs to none, and a jump may lie there.
void redirect(const File& file, std::uintptr_t base, const Own& own) {
  std::vector<Function> functions = functions_of(file);
  if (is_before_13(functions)) return;  // its structures are others
  std::sort(functions.begin(), functions.end(),
            [](const Function& a, const Function& b) { return a.address < b.address; });
  for (auto one = functions.begin(); one != functions.end(); ++one) {
    const auto ours = own.find(one->name);
    if (ours == own.end()) continue;
    const auto next = std::find_if(one, functions.end(),
                                   [&](const Function& other) { return other.address > one->address; });
    const std::uint64_t room = next == functions.end() ? one->bytes : next->address - one->address;
    if (room >= kJump.size()) make_jump(base + one->address, ours->second);
  }
}

/// Looks at each object that is loaded, but for this library.
struct Start {
  Start() {
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* own) {
          const bool program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
          if (object->dlpi_addr != reinterpret_cast<std::uintptr_t>(__ehdr_start))
            redirect(File(program ? "/proc/self/exe" : object->dlpi_name), object->dlpi_addr,
                     *static_cast<const Own*>(own));
          return 0;
        },
        &own_);
  }

 private:
  Own own_ = own_functions();
} const start;

}  // namespace

}  // namespace ptxmc::record::runtime
