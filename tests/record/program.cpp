// SPDX-License-Identifier: Apache-2.0
// program WHAT [FILE]: uses the driver as the CUDA runtime does, by dlopen and cuGetProcAddress, and launches kernels of
// FILE, or of its own PTX.
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "input/record/driver/abi.h"

namespace {

using namespace ptxmc::record::driver;

constexpr const char* kModule = R"(.version 8.3
.target sm_90a
.address_size 64
.global .u32 count = 7;
.const .u32 table[4];
.visible .entry add(.param .u64 from, .param .u64 to, .param .u32 n)
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .pred %p;
  ld.param.u64 %d0, [from];
  ld.param.u64 %d1, [to];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra end;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d0, %d2;
  add.u64 %d4, %d1, %d2;
  ld.global.u32 %r5, [%d3];
  st.global.u32 [%d4], %r5;
end:
  ret;
}
.visible .entry turn(.param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [to];
  mov.u32 %r0, %tid.x;
  sub.u32 %r1, 31, %r0;
  mul.wide.u32 %d1, %r0, 4;
  add.u64 %d2, %d0, %d1;
  st.global.u32 [%d2], %r1;
  ret;
}
.visible .entry scatter(.param .u64 places, .param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<6>;
  ld.param.u64 %d0, [places];
  ld.param.u64 %d1, [to];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d3, %d0, %d2;
  ld.global.u32 %r1, [%d3];
  and.b32 %r1, %r1, 31;
  mul.wide.u32 %d4, %r1, 4;
  add.u64 %d5, %d1, %d4;
  st.global.u32 [%d5], %r0;
  ret;
}
.visible .entry racy(.param .align 8 .b8 all[24])
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [all+8];
  mov.u32 %r0, %tid.x;
  st.global.u32 [%d0], %r0;
  ld.const.u32 %r1, [table];
  ld.global.u32 %r2, [count];
  ret;
}
.visible .entry through(.param .u64 places)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [places];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 8;
  add.u64 %d0, %d0, %d1;
  ld.global.u64 %d2, [%d0];
  st.global.u32 [%d2], %r0;
  ret;
}
.visible .entry mapped(.param .align 64 .b8 map[128])
{
  .reg .b32 %r<2>;
  .shared .align 128 .b8 tile[128];
  .shared .align 8 .b64 bar;
  .reg .pred %p;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p, %r0, 0;
  @%p bra end;
  mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [map, {0, 0}], [bar];
wait:
  mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [bar], 0;
  @!%p bra wait;
end:
  ret;
}
)";

void check(Result result, const char* what) {
  if (result == kOk) return;
  std::fprintf(stderr, "%s: error %d\n", what, result);
  std::exit(3);
}

using Lookup = Result (*)(const char*, void**, int, unsigned long long, int*);
Lookup lookup = nullptr;

/// What a function of the driver returns, which is called as C declares it.
template <typename... Arguments>
Result result_of(const char* name, Arguments... arguments) {
  void* function = nullptr;
  constexpr int kVersion = 12080;
  check(lookup(name, &function, kVersion, 0, nullptr), name);
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}
template <typename... Arguments>
void call(const char* name, Arguments... arguments) {
  check(result_of(name, arguments...), name);
}

struct Program {
  Handle module = nullptr;
  Address from = 0, to = 0;

  Handle kernel(const char* name) const {
    Handle out = nullptr;
    call("cuModuleGetFunction", &out, module, name);
    return out;
  }
  static void launch(Handle function, unsigned grid, unsigned block, void** arguments,
                     Handle stream = nullptr) {
    call("cuLaunchKernel", function, grid, 1u, 1u, block, 1u, 1u, 0u, stream, arguments,
         static_cast<void**>(nullptr));
  }
  void add(std::uint32_t n, unsigned grid = 2) {
    void* arguments[] = {&from, &to, &n};
    launch(kernel("add"), grid, 32, arguments);
  }
};

void all(Program& program) {
  // Twice the same, and once another.
  program.add(40);
  program.add(40);
  program.add(64);
  // A pointer inside of a structure, into a buffer; what the host left in its padding.
  struct {
    std::uint64_t unused, place, rest;
  } blob = {0xdeadbeef, program.to + 16, 0x123456789abcdef0};
  void* arguments[] = {&blob};
  Address constant = 0;
  std::size_t bytes = 0;
  call("cuModuleGetGlobal", &constant, &bytes, program.module, "table");
  const std::uint32_t table[] = {1, 2, 3, 4};
  call("cuMemcpyHtoD", constant, static_cast<const void*>(table), sizeof table);
  Program::launch(program.kernel("racy"), 1, 64, arguments);
  // A tensor map, a cluster, and launches that overlap.
  alignas(64) char map[128];
  const std::uint64_t dims[] = {8, 4}, strides[] = {32};
  const std::uint32_t box[] = {8, 4}, steps[] = {1, 1};
  constexpr int kFloat = 7;
  call("cuTensorMapEncodeTiled", static_cast<void*>(map), kFloat, 2u, reinterpret_cast<void*>(program.from),
       static_cast<const std::uint64_t*>(dims), static_cast<const std::uint64_t*>(strides),
       static_cast<const std::uint32_t*>(box), static_cast<const std::uint32_t*>(steps), 0, 0, 0, 0);
  Attribute attributes[2] = {};
  attributes[0].id = kCluster;
  for (int i = 0; i < 3; ++i) attributes[0].value.numbers[i] = i == 0 ? 2 : 1;
  attributes[1].id = kProgrammatic;
  attributes[1].value.numbers[0] = 1;
  LaunchConfig config = {{2, 1, 1}, {32, 1, 1}, 0, nullptr, attributes, 2};
  void* map_argument[] = {map};
  call("cuLaunchKernelEx", static_cast<const LaunchConfig*>(&config), program.kernel("mapped"), map_argument,
       static_cast<void**>(nullptr));
}

/// A kernel stores where a table in memory says, which another kernel might have written since the host did.
void through(Program& program) {
  const Address table[] = {program.to + 16, program.from + 128};
  const Address at = program.from + 64;
  call("cuMemcpyHtoD", at, static_cast<const void*>(table), sizeof table);
  program.add(64);
  Address argument = at;
  void* arguments[] = {&argument};
  Program::launch(program.kernel("through"), 1, 2, arguments);
}

/// A pool, as programs keep it: what the host wrote there, with addresses in it, is known; so is nothing behind work that
/// nobody records.
void pool(Program& program) {
  constexpr std::size_t kPool = 1 << 20, kTable = 4096, kSizes = 8192, kZeros = 512;
  Address pool = 0;
  call("cuMemAlloc", &pool, kPool);
  const Address table[] = {pool + kSizes, program.to + 16, pool + kPool};
  const std::uint32_t sizes[] = {3, 5, 7};
  const auto write = [&] {
    call("cuMemcpyHtoD", pool + kTable, static_cast<const void*>(table), sizeof table);
    call("cuMemcpyHtoD", pool + kSizes, static_cast<const void*>(sizes), sizeof sizes);
    call("cuMemsetD8", pool, static_cast<unsigned char>(0), kZeros);
  };
  const auto add = [&](Address from, std::uint32_t n) {
    Address to = pool + kPool / 2;
    void* arguments[] = {&from, &to, &n};
    Program::launch(program.kernel("add"), 1, 32, arguments);
  };
  write();
  add(pool + kTable, 1);
  write();
  add(pool, 2);
  write();
  call("cuGraphLaunch", Handle{}, Handle{});
  add(pool, 3);
}

/// A kernel stores where the one before it says. `apart`: in between a kernel of another stream may write there, too.
void scatter(Program& program, bool apart) {
  void *turned[] = {&program.from}, *scattered[] = {&program.from, &program.to};
  Handle streams[2] = {};
  for (Handle& stream : streams) call("cuStreamCreate", &stream, 0u);
  Program::launch(program.kernel("turn"), 1, 32, turned, streams[0]);
  if (apart) Program::launch(program.kernel("turn"), 1, 32, turned, streams[1]);
  Program::launch(program.kernel("scatter"), 1, 32, scattered, streams[0]);
}

/// A kernel that nobody knows runs in between.
void unknown(Program& program) {
  void* arguments[] = {&program.to};
  Program::launch(program.kernel("unknown"), 1, 32, arguments);
  program.add(64);
}

/// Another process gets one of the buffers.
void shared(Program& program) {
  char handle[64];
  call("cuIpcGetMemHandle", static_cast<void*>(handle), program.from);
  program.add(64);
  program.add(64);
}

/// Closes all descriptors, as daemons do, and opens files of its own under their numbers: these are not touched.
void closes(Program& program) {
  constexpr int kFirst = 3, kEnd = 256, kFiles = 16;
  program.add(64);
  for (int descriptor = kFirst; descriptor < kEnd; ++descriptor) ::close(descriptor);
  std::vector<std::FILE*> files;
  for (int i = 0; i < kFiles; ++i) files.push_back(std::tmpfile());
  program.add(40);
  program.add(50);
  for (std::FILE* file : files) {
    std::fseek(file, 0, SEEK_END);
    const bool whole = std::ftell(file) == 0 && std::fputs("own", file) >= 0 && std::fflush(file) == 0;
    if (!whole) std::printf("a file of the program was written or closed\n");
  }
}

/// Launches and modules that no driver takes.
void refused(Program& program) {
  std::uint32_t n = 64;
  void* arguments[] = {&program.from, &program.to, &n};
  const auto launch = [&](unsigned x, unsigned y, unsigned threads, unsigned bytes) {
    std::printf("launch %u,%u %u %u: %d\n", x, y, threads, bytes,
                result_of("cuLaunchKernel", program.kernel("add"), x, y, 1u, threads, 1u, 1u, bytes, Handle{},
                          static_cast<void**>(arguments), static_cast<void**>(nullptr)));
  };
  constexpr unsigned kMany = 60000, kTooMany = 1 << 20;
  launch(0, 1, 32, 0);
  launch(1, 0, 32, 0);
  launch(1, 1, 0, 0);
  launch(1, 1, 2048, 0);
  launch(1, 70000, 32, 0);
  launch(1, 1, 32, kMany);
  constexpr int kMaxDynamic = 8;
  std::printf(
      "allow %u: %d\n", kTooMany,
      result_of("cuFuncSetAttribute", program.kernel("add"), kMaxDynamic, static_cast<int>(kTooMany)));
  call("cuFuncSetAttribute", program.kernel("add"), kMaxDynamic, static_cast<int>(kMany));
  launch(1, 1, 32, kMany);
  Handle none = nullptr;
  for (const char* image : {"garbage", "// no module\n",
                            "\x7f"
                            "ELF of another machine, with a header of 64 bytes behind"}) {
    std::printf("load: %d\n", result_of("cuModuleLoadData", &none, static_cast<const void*>(image)));
  }
}

std::string file_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int count, char** arguments) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  lookup = reinterpret_cast<Lookup>(dlsym(library, "cuGetProcAddress_v2"));
  const std::string what = count > 1 ? arguments[1] : "all";
  call("cuInit", 0u);
  for (const int attribute : {16, 75, 76}) {  // multiprocessors, compute capability
    int value = 0;
    if (what == "device") call("cuDeviceGetAttribute", &value, attribute, 0);
    if (what == "device") std::printf("attribute %d: %d\n", attribute, value);
  }
  if (what == "unsupported") call("cuMulticastCreate", nullptr, nullptr);
  Program program;
  const std::string image = count > 2 ? file_bytes(arguments[2]) : kModule;
  call("cuModuleLoadData", &program.module, static_cast<const void*>(image.c_str()));
  constexpr std::size_t kBytes = 256;
  call("cuMemAlloc", &program.from, kBytes);
  call("cuMemAlloc", &program.to, kBytes);
  std::vector<std::uint32_t> data(kBytes / sizeof(std::uint32_t), 5);
  call("cuMemcpyHtoD", program.from, static_cast<const void*>(data.data()), kBytes);
  call("cuMemsetD8", program.to, static_cast<unsigned char>(0), kBytes);
  if (what == "all") all(program);
  if (what == "add") program.add(64);
  if (what == "through") through(program);
  if (what == "shared") shared(program);
  if (what == "pool") pool(program);
  if (what == "unknown") unknown(program);
  if (what == "scatter" || what == "apart") scatter(program, what == "apart");
  if (what == "closes") closes(program);
  if (what == "refused") refused(program);
  if (what == "crashes") {
    program.add(64);
    std::raise(SIGSEGV);
  }
  for (const auto buffer : {program.from, program.to}) call("cuMemFree", buffer);
  return 0;
}
