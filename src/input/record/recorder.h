// SPDX-License-Identifier: Apache-2.0
// What a recorded program did, from the messages of its driver to the files of its launches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "input/record/looked.h"
#include "input/record/memory.h"
#include "input/record/module.h"
#include "input/record/scene.h"
#include "input/record/wire.h"

namespace ptxmc::record {

/// What the driver is told of the device, and how much is recorded.
struct RecordOptions {
  std::string forward_to;  ///< the path of a driver; empty: pretend
  unsigned major = 9, minor = 0, multiprocessors = 4;
  std::vector<std::string> ptx_folders;  ///< PtxFolders
  std::vector<std::string> ptx_caches;   ///< the same
  std::uint64_t contents = 1 << 16;      ///< bytes of a buffer whose contents are kept, at most
  std::size_t launches = 16;             ///< different ones of a kernel, at most
  std::string folder = "recorded";
  bool keep = false;  ///< what an earlier run left in the folder

  unsigned architecture() const { return major * 10 + minor; }
};

/// A folder that was written.
struct Recorded {
  std::string file;    ///< launch.json or sequence.json
  std::string kernel;  ///< the first one's
  bool sequence = false, programmatic = false;
  std::size_t times = 1;  ///< that the program did this
  /// Those of a sequence, by file, in order; none for one that was left out.
  std::vector<std::string> launches = {};
};

/// One process's.
class Process {
 public:
  Process(const RecordOptions& options, class Writing& writing, std::uint64_t session = 1);
  /// The reply, if the message is a question. Throws BadMessage.
  std::optional<std::string> handle(Kind kind, Reader message);
  /// Nothing will follow.
  void end();

 private:
  std::string answer(Kind kind, Reader& message);
  void change_memory(Kind kind, Reader& message);
  std::string describe(Module& module, const std::string& name);
  /// Where addresses may be that a launch reads, and that were not looked at yet.
  std::string look(Reader& message);
  void launch(const LaunchCall& call);
  std::optional<Scene> scene_of(const LaunchCall& call, Module& module, const KernelFacts& facts);
  std::optional<SceneArgument> argument(const Parameter& parameter, const LaunchCall& call, Scene& scene);
  std::optional<Value> value(std::uint64_t word, Scene& scene);
  void add_buffer(Allocation& allocation, std::uint64_t offset, Scene& scene);
  void add_address(SceneBuffer& buffer, std::uint64_t place, std::uint64_t word, Scene& scene);
  void add_known(const std::pair<const std::uint64_t, Allocation::Known>& known, SceneBuffer& buffer,
                 Scene& scene);
  bool add_map(std::uint64_t number, Scene& scene);
  void add_variables(const KernelFacts& facts, Module& module, Scene& scene);
  void add_to_sequence(Scene scene);
  void end_sequence(std::uint64_t stream);
  /// Those of which the predicate of a stream and its scenes holds.
  template <typename Predicate>
  void end_sequences(Predicate&& ends);
  /// The host writes there: what launches before it saw is no more.
  void disturb(std::uint64_t address);
  /// A launch of another stream does.
  void disturb(const Scene& scene);
  Module* module(std::uint64_t number);

  std::uint64_t session_;
  const RecordOptions& options_;
  Writing& writing_;
  PtxFolders folders_;
  Memory memory_;
  AccessedBytes looked_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> variables_;  // addresses, by module and name
  struct Map {
    std::string bytes;
    MapCall call;
  };
  std::vector<Map> maps_;
  std::map<std::string, std::uint64_t> map_of_bytes_;
  std::map<std::uint64_t, std::vector<Scene>> sequences_;  // by stream
};

/// Files of the launches of all processes, each once.
class Writing {
 public:
  /// Removes what an earlier run left in the folder, unless that is kept. Throws InputError: it cannot.
  explicit Writing(const RecordOptions& options);
  /// Writes it if it is new.
  void add(const std::vector<Scene>& scenes, const std::string& module_text);
  /// A sentence for the summary.
  void trouble(const std::string& sentence) { ++troubles_[sentence]; }
  /// The same of a kernel that cannot be recorded.
  void leave_out(const std::string& kernel, const std::string& why) { unknown_[why].insert(kernel); }

  const std::vector<Recorded>& recorded() const { return recorded_; }
  std::string summary() const;

 private:
  std::string folder_for(const std::string& stem);
  std::vector<std::string> files_of(const std::vector<Scene>& scenes, const std::string& module_text) const;
  const RecordOptions& options_;
  /// By the text of a plan and its module: the number in recorded_; nothing: it was left out.
  std::map<std::string, std::optional<std::size_t>> seen_;
  std::map<std::string, std::size_t> kernels_;  // different launches of each
  std::map<std::string, std::size_t> troubles_, left_out_, stems_;
  std::map<std::string, std::set<std::string>> unknown_;  // kernels, by why they are not recorded
  std::vector<Recorded> recorded_;
  std::size_t launches_ = 0;
  std::size_t without_lines_ = 0;  // modules that do not say what they were compiled from
};

}  // namespace ptxmc::record
