#!/usr/bin/env bash
# nvcc.sh PTXMC: a CUDA source, and all that nvcc makes of it, are verified without another step; what has no PTX says which option
# adds it.
set -u
ptxmc=$(realpath "$1")
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [[ ! -x $nvcc ]]; then
  echo "SKIPPED: no nvcc on this machine"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
wrong=0
fail() { echo "FAILED: $*"; wrong=$((wrong + 1)); }

# is STATUS TEXT WORD...: the line has this status, and prints this text.
is() {
  local want=$1 text=$2 out status
  shift 2
  out=$("$ptxmc" "$@" 2>&1)
  status=$?
  [[ $status == "$want" ]] || fail "$*: status $status, not $want: $out"
  grep -qF -- "$text" <<< "$out" || fail "$*: no '$text' in: $out"
}

# The first kernel adds without a barrier in its loop, which races; the second is right.
cat > sum.cu << 'CU'
#ifndef HALF
#define HALF 2
#endif
__global__ void __launch_bounds__(64) sum(const float* in, float* out) {
  __shared__ float s[64];
  int i = threadIdx.x;
  s[i] = in[blockIdx.x * 64 + i];
  __syncthreads();
  for (int half = 64 / HALF; half > 0; half /= 2)
    if (i < half) s[i] += s[i + half];
  if (i == 0) out[blockIdx.x] = s[0];
}
__global__ void add(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * 2;
}
#ifdef WITH_MAIN
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  add<<<4, 256>>>(a, b, 1000);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
#endif
CU
sed '/WITH_MAIN/,$d' sum.cu > kernels.cu
sum=(--entry sum --grid 2 --block 64 --arg buffer:512 --arg buffer:8)
add=(--entry add --grid 2 --block 128 --arg buffer:4K --arg buffer:4K --arg 256)

is 1 'kernels.cu:10: error: data race on s[16] (4 bytes at s+64)' kernels.cu "${sum[@]}"
is 1 'compiled by nvcc -arch=sm_90a -lineinfo -ptx kernels.cu -DHALF=4' verify kernels.cu "${sum[@]}" -- -DHALF=4
is 0 'add<<<2, 128>>>: no race' kernels.cu "${add[@]}"
is 0 'note: no two blocks of add<<<2, 128>>> access the same bytes of global memory, one of them with a write' kernels.cu "${add[@]}"
echo '__global__ void count(unsigned* p) { atomicAdd(p, 1u); }' > count.cu
"$ptxmc" count.cu --grid 2 --block 32 --arg buffer:4:zero 2>&1 | grep -q 'no two blocks' && fail "two blocks meet at a counter"
is 0 'nvcc -arch=sm_80 -lineinfo' kernels.cu --target sm_80 "${add[@]}"
is 2 'ptxmc verify kernels.cu --entry add --grid 2 --block 128 --arg buffer:4K --arg buffer:4K --arg 256' verify kernels.cu
is 2 'say what to launch' kernels.cu
is 2 'it has a `main`, which launches: nvcc -arch=sm_90a -lineinfo -o sum sum.cu and `ptxmc record --verify -- ./sum`' sum.cu
echo 'void broken( {}' > broken.cu
is 2 "'broken.cu': nvcc cannot compile it: nvcc -arch=sm_90a" broken.cu --block 1
[[ ! -e kernels.ptx && ! -e sum.ptx ]] || fail "a module was left beside the source"
# The suggested launch runs: what it finds is the kernel's, and no access is out of bounds.
line=$("$ptxmc" verify -q --list kernels.cu | grep -o 'verify kernels.cu --entry sum.*')
read -ra words <<< "$line"
is 1 'data race' "${words[@]}"
"$ptxmc" "${words[@]}" 2>&1 | grep -q 'out-of-bounds' && fail "the suggested launch leaves its buffers"

both=(-gencode 'arch=compute_90,code=[sm_90,compute_90]')
compile() { "$nvcc" -lineinfo "$@" || fail "nvcc $*"; }
compile -DWITH_MAIN -o app sum.cu "${both[@]}"
compile -DWITH_MAIN -rdc=true -o linked sum.cu "${both[@]}"
compile -DWITH_MAIN -shared -Xcompiler -fPIC -o libsum.so sum.cu "${both[@]}"
compile -c -o sum.o sum.cu "${both[@]}"
ar rc libsum.a sum.o
compile -fatbin -o sum.fatbin sum.cu "${both[@]}"
for file in app linked libsum.so sum.o libsum.a sum.fatbin; do
  is 1 "$file: 1 module of PTX taken out" "$file" "${sum[@]}"
  is 1 'sum.cu:10: error: data race' verify "$file" "${sum[@]}"
  is 0 'add<<<2, 128>>>: no race' "$file" "${add[@]}"
done
is 2 '`ptxmc record --verify -- ./app` runs it' app
is 2 'its PTX is for sm_90, which is newer than --target says' app --target sm_80 "${add[@]}"
is 2 "no entry is named \`none\`" app --entry none
compile -DWITH_MAIN -o bare sum.cu -gencode arch=compute_90,code=sm_90
is 2 "'bare' holds machine code and no PTX; add PTX with nvcc -gencode arch=compute_90a,code=[sm_90a,compute_90a]" bare "${add[@]}"
is 2 "'/bin/true' holds no kernels of CUDA; \`ptxmc record --verify -- /bin/true\`" verify /bin/true "${add[@]}"
compile -arch=sm_90 -cubin -o sum.cubin sum.cu
is 2 'holds machine code and no PTX' sum.cubin "${add[@]}"
compile -arch=sm_90 -ptx -o sum.ptx sum.cu
is 0 'sum.ptx, which lies beside it, is taken for its PTX' sum.cubin "${add[@]}"

# A program of two sources has two modules: the one that has the kernel is taken.
echo '__global__ void other(int* p) { *p = blockIdx.x; }' > other.cu
compile -DWITH_MAIN -o both sum.cu other.cu "${both[@]}"
is 1 'other<<<2, 1>>>: 1 error' both --entry other --grid 2 --arg buffer:4
is 0 'add<<<2, 128>>>: no race' both "${add[@]}"
is 2 'no kernel of that name (--entry none); there are sum, add, other' both --entry none
# A launch beside a source, or one that names it, needs no module; `ptxmc nvcc` verifies it with what it builds.
mkdir beside && cp kernels.cu beside/right.cu && cp kernels.cu beside/wrong.cu
launch() { echo "{\"module\": \"$1\", \"entry\": \"$2\", \"grid\": 2, \"block\": 64, \"memory\": {\"a\": {\"bytes\": 512}, \"b\": {\"bytes\": 512}}, \"arguments\": [$3]}"; }
launch right.cu add '{"buffer": "a"}, {"buffer": "b"}, {"s32": 128}' > beside/right.json
launch wrong.ptx sum '{"buffer": "a"}, {"buffer": "b"}' > beside/wrong.json
is 0 'beside/right.cu: launched as beside/right.json says' beside/right.cu
is 0 'add<<<2, 64>>>: no race' verify beside/right.json
is 1 'wrong.cu:10: error: data race' beside/wrong.cu
is 0 'compiled by nvcc -arch=sm_90a -lineinfo -ptx beside/right.cu -DHALF=4' verify beside/right.json -- -DHALF=4
is 2 "if this file names wrong.cu, \`ptxmc verify\` compiles it" verify beside/wrong.json
is 2 "module: 'right.cu' is CUDA source, which \`ptxmc verify\` alone compiles" races beside/right.json
is 0 'add<<<2, 64>>>: no race' nvcc -- -arch=sm_80 -std=c++17 -c beside/right.cu -o beside/right.o
[[ -s beside/right.o ]] || fail "nvcc made no object"
is 0 'compiled by nvcc -arch=sm_90 -lineinfo -ptx beside/right.cu -x cu' nvcc -- "$nvcc" "--generate-code=arch=compute_90,code=[compute_90,sm_90]" -MD -MT right.o -MF beside/right.d -x cu -c beside/right.cu -o beside/right.o
is 1 'wrong.cu:10: error: data race' nvcc -- -arch=sm_80 -c beside/wrong.cu -o beside/wrong.o
is 0 'findings of some rules are hidden' nvcc --ignore race --allow-incomplete -- -arch=sm_80 -c beside/wrong.cu -o beside/wrong.o
is 2 'ptxmc: nvcc ended with status' nvcc -- -c broken.cu -o broken.o
cp kernels.cu lone.cu
out=$("$ptxmc" nvcc -- -c lone.cu -o lone.o 2>&1) || fail "a source without launches: $out"
[[ -z $out ]] || fail "a source without launches says: $out"

echo "$wrong failures"
exit $((wrong != 0))
