#!/usr/bin/env bash
# nvcc.sh PTXMC: a program of nvcc with NVIDIA's runtime as a shared library, its PTX compressed in a fat binary, recorded
# without a GPU; and what is said of it where its runtime is linked statically, or it holds no PTX.
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

compile shared -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]'
out=$("$ptxmc" record --pretend --verify -o "$folder/launches" -- "$folder/shared" 2>&1) || fail "$out"
grep -q '1 launch: 1 race-free in all schedules' <<< "$out" || fail "$out"
plan=$(cat "$folder/launches/add/launch.json")
for part in '"grid": \[4, 1, 1\]' '{"u32": 1000}' '"m0": {"bytes": 4096, "data": "zero"}' '"factor": {"bytes": 4, "type": "u32", "data": \[1073741824\]}'; do
  grep -q "$part" <<< "$plan" || fail "no $part in $plan"
done

compile bare -cudart shared -gencode arch=compute_90,code=sm_90
out=$("$ptxmc" record --pretend -o "$folder/none" -- "$folder/bare" 2>&1) && fail "recorded without PTX"
grep -q 'its module holds no PTX: compile it with nvcc -gencode' <<< "$out" || fail "$out"
compile static -gencode 'arch=compute_90,code=[sm_90,compute_90]'
out=$("$ptxmc" record --pretend -o "$folder/none" -- "$folder/static" 2>&1) && fail "recorded a static runtime"
grep -q 'link it with nvcc -cudart shared' <<< "$out" || fail "$out"
