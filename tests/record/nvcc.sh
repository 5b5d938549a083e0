#!/usr/bin/env bash
# nvcc.sh PTXMC: a program of nvcc, its PTX compressed in a fat binary, recorded without a GPU: with NVIDIA's runtime as a
# shared library, in the program, and in a library; and what is said where there is no PTX, no symbols, or no such function.
set -u
ptxmc=$1
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [[ ! -x $nvcc ]]; then
  echo "SKIPPED: no nvcc on this machine"
  exit 77
fi
if ! "$nvcc" --version | grep -q 'release 13'; then
  echo "SKIPPED: the runtime that is pretended is that of CUDA 13"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
cat > "$folder/add.cu" << 'CU'
__constant__ float factor;
__global__ void add(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * factor;
}
int main() {
  float *a, *b, two = 2;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMemset(a, 0, 4096);
  cudaMemcpyToSymbol(factor, &two, sizeof two);
  add<<<4, 256>>>(a, b, 1000);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
compile() { "$nvcc" "${@:2}" -o "$folder/$1" "$folder/add.cu" || fail "nvcc ${*:2}"; }

record() {
  out=$("$ptxmc" record --pretend --verify -o "$folder/$1.launches" -- "$folder/$1" 2>&1) || fail "$1: $out"
  grep -q '1 launch: 1 without race or deadlock in any schedule' <<< "$out" || fail "$1: $out"
  plan=$(cat "$folder/$1.launches/add/launch.json")
  for part in '"grid": \[4, 1, 1\]' '{"u32": 1000}' '"m0": {"bytes": 4096, "data": "zero"}' '"factor": {"bytes": 4, "type": "u32", "data": \[1073741824\]}'; do
    grep -q "$part" <<< "$plan" || fail "$1: no $part in $plan"
  done
}
both=(-gencode 'arch=compute_90,code=[sm_90,compute_90]')

compile shared -cudart shared "${both[@]}"
record shared
# As nvcc links by default: the runtime is in the program, or in a library that it is linked with.
compile static "${both[@]}"
record static
compile library.so -Dmain=run -shared -Xcompiler -fPIC "${both[@]}"
echo 'extern int run(); int main() { return run(); }' > "$folder/calls.cpp"
"$nvcc" -cudart none -o "$folder/calls" "$folder/calls.cpp" "$folder/library.so" -Xlinker -rpath,"$folder" || fail "nvcc of a program that calls a library"
record calls

compile bare -cudart shared -gencode arch=compute_90,code=sm_90
out=$("$ptxmc" record --pretend -o "$folder/none" -- "$folder/bare" 2>&1) && fail "recorded without PTX"
grep -q 'the module holds no PTX: compile it with nvcc -gencode' <<< "$out" || fail "$out"
strip -o "$folder/stripped" "$folder/static"
out=$("$ptxmc" record --pretend -o "$folder/none" -- "$folder/stripped" 2>&1) && fail "recorded a stripped program"
grep -q 'Link it with nvcc -cudart shared' <<< "$out" || fail "$out"
cat > "$folder/array.cu" << 'CU'
int main() {
  cudaChannelFormatDesc format = {};
  cudaArray_t array;
  return cudaMallocArray(&array, &format, 16) == cudaErrorNotSupported ? 0 : 1;
}
CU
"$nvcc" -o "$folder/array" "$folder/array.cu" || fail "nvcc of array.cu"
out=$("$ptxmc" record --pretend -o "$folder/none" -- "$folder/array" 2>&1)
grep -q 'cudaMallocArray was called, which the runtime that is pretended does not have' <<< "$out" || fail "$out"

# Nodes of a graph: a kernel in each of the ways to add one, with any contents; memory of the graph; other nodes do nothing.
cat > "$folder/graph.cu" << 'CU'
__global__ void add(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1;
}
int main() {
  float *a, host[4];
  int n = 1000;
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  cudaGraph_t graph, copy;
  cudaGraphNode_t node, other;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 8192;
  if (cudaGraphAddMemAllocNode(&other, graph, nullptr, 0, &memory) != cudaSuccess || memory.dptr == nullptr) return 1;
  cudaMemsetParams zeros = {};
  zeros.dst = a;
  zeros.elementSize = 4;
  zeros.width = 1024;
  zeros.height = 1;
  cudaGraphAddMemsetNode(&node, graph, &other, 1, &zeros);
  void* arguments[] = {&a, &n};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(4);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&other, graph, &node, 1, &kernel);
  cudaGraphNodeParams any = {};
  any.type = cudaGraphNodeTypeKernel;
  any.kernel.func = kernel.func;
  any.kernel.gridDim = dim3(2);
  any.kernel.blockDim = kernel.blockDim;
  void* others[] = {&memory.dptr, &n};
  any.kernel.kernelParams = others;
  cudaGraphAddNode(&node, graph, &other, nullptr, 1, &any);
  cudaGraphAddMemcpyNode1D(&other, graph, &node, 1, host, a, sizeof host, cudaMemcpyDeviceToHost);
  size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  cudaGraphExec_t ready;
  cudaGraphClone(&copy, graph);
  cudaGraphInstantiate(&ready, copy, 0);
  cudaGraphLaunch(ready, 0);
  return count == 5 ? static_cast<int>(cudaGetLastError()) : 2;
}
CU
"$nvcc" "${both[@]}" -o "$folder/graph" "$folder/graph.cu" || fail "nvcc of graph.cu"
out=$("$ptxmc" record --pretend --verify -o "$folder/graphs" -- "$folder/graph" 2>&1) || fail "$out"
grep -q '2 launches: 2 without race or deadlock in any schedule' <<< "$out" || fail "$out"
grep -q '"bytes": 4096, "data": "opaque"' "$folder"/graphs/*/launch.json || fail "contents of a graph are known"
grep -q '"bytes": 8192' "$folder"/graphs/*/launch.json || fail "memory of a graph is not known"

# A program that compiles a kernel while it runs, and asks for object code: it gets PTX with lines.
cat > "$folder/compiles.cpp" << 'CU'
#include <cuda.h>
#include <nvrtc.h>
#include <vector>
int main() {
  const char* source = "extern \"C\" __global__ void fill(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }";
  const char* options[] = {"--gpu-architecture=sm_90"};
  nvrtcProgram program;
  std::size_t bytes = 0;
  if (nvrtcCreateProgram(&program, source, "fill.cu", 0, nullptr, nullptr) || nvrtcCompileProgram(program, 1, options) ||
      nvrtcGetCUBINSize(program, &bytes) || bytes == 0)
    return 1;
  std::vector<char> image(bytes);
  if (nvrtcGetCUBIN(program, image.data())) return 2;
  CUcontext context;
  CUmodule module;
  CUfunction fill;
  CUdeviceptr a;
  cuInit(0);
  if (cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuModuleLoadData(&module, image.data()) ||
      cuModuleGetFunction(&fill, module, "fill") || cuMemAlloc(&a, 1024))
    return 3;
  void* arguments[] = {&a};
  return cuLaunchKernel(fill, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
}
CU
if "$nvcc" -o "$folder/compiles" "$folder/compiles.cpp" -lnvrtc -lcuda 2>"$folder/link"; then
  out=$("$ptxmc" record --pretend --verify -o "$folder/compiled" -- "$folder/compiles" 2>&1) || fail "$out"
  grep -q '1 launch: 1 without race or deadlock in any schedule' <<< "$out" || fail "$out"
  grep -q '\.loc' "$folder/compiled/fill/module.ptx" || fail "no lines in PTX that was compiled while the program ran"
else
  echo "SKIPPED: NVRTC or the driver's library is not here to link with: $(head -1 "$folder/link")"
fi

# Memory that is created, mapped at addresses that were reserved, and given back.
cat > "$folder/mapped.cpp" << 'CU'
#include <cuda.h>
#include <cstdio>
int main(int, char** arguments) {
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUdeviceptr at;
  CUmemGenericAllocationHandle memory;
  std::size_t bytes = 0;
  int managed = 0;
  cuInit(0);
  if (cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuDeviceGetAttribute(&managed, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) || managed == 0)
    return 1;
  CUmemAllocationProp wanted = {};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccessDesc access = {wanted.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  if (cuMemGetAllocationGranularity(&bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM) || cuMemAddressReserve(&at, bytes, 0, 0, 0) ||
      cuMemCreate(&memory, bytes, &wanted, 0) || cuMemMap(at, bytes, 0, memory, 0) || cuMemSetAccess(at, bytes, &access, 1))
    return 2;
  if (cuModuleLoad(&module, arguments[1]) || cuModuleGetFunction(&add, module, "fill")) return 3;
  void* parameters[] = {&at};
  if (cuLaunchKernel(add, 4, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr)) return 4;
  return cuMemUnmap(at, bytes) || cuMemRelease(memory) || cuMemAddressFree(at, bytes) ? 5 : 0;
}
CU
echo 'extern "C" __global__ void fill(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }' > "$folder/fill.cu"
"$nvcc" -arch=compute_90 -ptx -o "$folder/fill.ptx" "$folder/fill.cu" || fail "nvcc of fill.cu"
if "$nvcc" -o "$folder/mapped" "$folder/mapped.cpp" -lcuda 2>"$folder/link"; then
  out=$("$ptxmc" record --pretend --verify -o "$folder/maps" -- "$folder/mapped" "$folder/fill.ptx" 2>&1) || fail "$out"
  grep -q '1 launch: 1 without race or deadlock in any schedule' <<< "$out" || fail "$out"
  grep -q '"bytes": 2097152' "$folder/maps/fill/launch.json" || fail "memory that is mapped is not known"
else
  echo "SKIPPED: the driver's library is not here to link with: $(head -1 "$folder/link")"
fi
