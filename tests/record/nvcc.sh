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
