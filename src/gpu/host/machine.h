// SPDX-License-Identifier: Apache-2.0
// Executes the code of a host thread on the calling CPU thread, one instance of the test at a time. Memory is
// accessed with std::atomic operations of the access's size, each once, in the order of the text; the
// compiler cannot know what the code does, and so moves none of them beyond what their orders allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/host/code.h"

namespace ptxmc::gpu {

enum class HostEnd : std::uint8_t {
  done,
  hung,   ///< it jumped backwards too often
  fault,  ///< an address outside of the memory, or no multiple of the access's size
  call,   ///< it waits for the result of a call of the CUDA API
};

class HostMachine {
 public:
  /// Memory outside of [memory, memory + bytes) is never accessed. The code must outlive the machine.
  HostMachine(const HostCode& code, unsigned char* memory, std::size_t bytes, unsigned fuel);

  /// `places`: where this instance has each of HostCode::variables; null: nowhere.
  HostEnd run(const std::vector<unsigned char*>& places);
  /// The same in steps, which a call of the CUDA API ends: `places` must live until the last.
  void begin(const std::vector<unsigned char*>& places);
  HostEnd proceed();
  /// No more than so many jumps backwards from here.
  void limit(unsigned fuel) { left_ = left_ < fuel ? left_ : fuel; }
  /// After HostEnd::call: which one it is, and what a query returned.
  std::uint32_t call() const { return code_.operations[at_ - 1].call; }
  void answer(std::uint64_t result) { write(code_.operations[at_ - 1].destination, {result, 32, true}); }
  /// After run(): final value of a result's register, zero-extended from its bits.
  std::uint64_t result(const HostResult& result) const;

 private:
  struct Register {
    std::uint64_t value = 0;
    event::Width width = 64;
    bool is_signed = true;
  };

  std::uint64_t value(const HostOperand& operand, event::Width width) const;
  bool truth(const HostOperand& operand) const;
  void write(std::int32_t destination, Register value);
  void compute(const HostOperation& operation);
  void product(const HostOperation& operation);
  void compare(const HostOperation& operation);
  bool holds(isa::Compare relation, bool is_signed, event::Width width, std::uint64_t a,
             std::uint64_t b) const;
  bool access(const HostOperation& operation);
  void atomic(const HostOperation& operation, unsigned char* place);
  std::uint64_t combined(const HostOperation& operation, std::uint64_t old, std::uint64_t operand) const;

  const HostCode& code_;
  unsigned char* memory_;
  std::size_t bytes_;
  unsigned fuel_;
  std::vector<Register> start_, registers_;
  const std::vector<unsigned char*>* places_ = nullptr;
  std::uint32_t at_ = 0;  // the next operation
  unsigned left_ = 0;     // fuel
};

}  // namespace ptxmc::gpu
