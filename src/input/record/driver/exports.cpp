// SPDX-License-Identifier: Apache-2.0
#include "input/record/driver/exports.h"

// A jump leaves every argument where it is. The number of the name goes along in a register that carries none.
#if defined(__x86_64__)
#define PTXMC_JUMP "movl $ptxmc_number, %eax\n  jmp *(ptxmc_slots + 8 * ptxmc_number)(%rip)\n"
#define PTXMC_REFUSE "movl %eax, %edi\n  jmp ptxmc_refuse\n"
#elif defined(__aarch64__)
#define PTXMC_JUMP                                    \
  "mov w17, #ptxmc_number\n  adrp x16, ptxmc_slots\n" \
  "  add x16, x16, #:lo12:ptxmc_slots\n  ldr x16, [x16, w17, uxtw #3]\n  br x16\n"
#define PTXMC_REFUSE "mov w0, w17\n  b ptxmc_refuse\n"
#else
#error "the recording driver knows x86-64 and AArch64"
#endif

asm(".text\n.hidden ptxmc_slots\n.hidden ptxmc_refuse\nptxmc_number = 0\n");
#define PTXMC_NAME(name)                                                                                   \
  asm(".globl " #name "\n.type " #name ", @function\n.balign 16\n" #name ":\n  " PTXMC_JUMP ".size " #name \
      ", . - " #name "\nptxmc_number = ptxmc_number + 1\n");
#include "input/record/driver/names.inc"
#undef PTXMC_NAME
asm(".globl ptxmc_unsupported\n.hidden ptxmc_unsupported\n.type ptxmc_unsupported, @function\n"
    "ptxmc_unsupported:\n  " PTXMC_REFUSE);

extern "C" {

#define PTXMC_NAME(name) void name();
#include "input/record/driver/names.inc"
#undef PTXMC_NAME

#define PTXMC_NAME(name) #name,
extern const char* const ptxmc_names[] = {
#include "input/record/driver/names.inc"
};
#undef PTXMC_NAME

#define PTXMC_NAME(name) reinterpret_cast<void*>(name),
extern void* const ptxmc_exports[] = {
#include "input/record/driver/names.inc"
};
#undef PTXMC_NAME

constexpr std::size_t kCount = sizeof ptxmc_names / sizeof *ptxmc_names;
extern const std::size_t ptxmc_count = kCount;
void* ptxmc_slots[kCount] = {};
}
