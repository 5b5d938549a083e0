// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs of the driver, and a module with several entries; each is given back at its end,
// unless the driver is abandoned.
#pragma once

#include <string>
#include <vector>

#include "gpu/driver/driver.h"

namespace ptxmc::gpu {

class Stream {
 public:
  /// `blocking`: it and the legacy stream wait for each other.
  Stream(const Driver& driver, bool blocking);
  /// cudaStreamLegacy.
  static Stream legacy(const Driver& driver);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;

  abi::Stream handle() const { return handle_; }
  void synchronize() const;
  /// Are all of its tasks complete? Throws what went wrong in them.
  bool complete() const;

 private:
  explicit Stream(const Driver& driver) : driver_(driver) {}
  const Driver& driver_;
  abi::Stream handle_ = nullptr;
  bool owned_ = true;
};

/// Without a time.
class Event {
 public:
  explicit Event(const Driver& driver);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;

  void record(const Stream& stream) const;
  /// The stream goes on when the latest record is complete; without a record at once.
  void hold(const Stream& stream) const;
  /// False: not within this time. Throws what went wrong in the work before it.
  bool complete_within(double seconds) const;
  /// Is it? Throws likewise.
  bool complete() const;
  void synchronize() const;

 private:
  const Driver& driver_;
  abi::Event handle_ = nullptr;
};

class LoadedModule {
 public:
  /// Throws DriverError with the assembler's log.
  LoadedModule(const Driver& driver, const std::string& ptx)
      : driver_(driver), handle_(load_module(driver, ptx)) {}
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  abi::Function entry(const std::string& name) const;
  abi::ModuleHandle handle() const { return handle_; }

 private:
  const Driver& driver_;
  abi::ModuleHandle handle_;
};

/// A graph of kernels, ready to be launched.
class Graph {
 public:
  struct Node {
    abi::Function function = nullptr;
    LaunchShape shape;
    std::vector<void*> arguments;  ///< copied when the graph is made
  };
  struct Edge {
    std::size_t from = 0, to = 0;  ///< nodes
    bool programmatic = false;
  };
  Graph(const Driver& driver, std::vector<Node> nodes, const std::vector<Edge>& edges);
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&&) = delete;

  void launch(const Stream& stream) const;

 private:
  const Driver& driver_;
  abi::Graph graph_ = nullptr;
  abi::GraphExec executable_ = nullptr;
};

}  // namespace ptxmc::gpu
