// SPDX-License-Identifier: Apache-2.0
// Running a list of tests on a GPU, one after the other, in a child process: a test may hang the GPU, and
// then only the end of the process that launched it stops it (workers.h). What becomes of the results is a
// sink's matter; internal to `run`.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "input/litmus/test.h"

namespace ptxmc::cli {

/// A test to run, or what is wrong with its file.
struct RunItem {
  std::string file;
  std::string error;
  std::optional<litmus::Test> test;
};

/// The tests of these files and folders, in order.
std::vector<RunItem> run_items_of(const std::vector<std::string>& files, const Options& launched,
                                  Streams& streams);

/// What a test came to when there is no histogram of it.
enum class Fate : std::uint8_t {
  skipped,  ///< it cannot run on this GPU, or on none
  hung,     ///< the driver did not come back
  refused,  ///< its file is wrong, or says what PTX cannot
  failed,   ///< the driver refuses it, or an internal error
};

/// A sink cannot store its results: nothing more needs to run.
class CannotWrite : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where results go. Called in the child; missed() in the parent too.
class RunSink {
 public:
  virtual ~RunSink() = default;
  /// A part of a campaign: that a test cannot run is no error, and there is no summary.
  virtual bool sweeping() const { return false; }
  /// Right before a test: may change how long and from which seed. False: no more tests.
  virtual bool begin(std::uint64_t item, gpu::RunOptions& run) = 0;
  /// Asked between launches: has the test at hand had its time?
  virtual bool over() { return false; }
  /// A log of what was observed. `stuck`: it ends with a launch that did not.
  virtual void ran(std::uint64_t item, const std::string& log, bool stuck) = 0;
  /// `why` is a line, or several. The user has been told.
  virtual void missed(std::uint64_t item, Fate fate, const std::string& why) = 0;
  /// Makes room on standard error for a message. `adopt`: a child that died may have left something there.
  virtual void make_room(bool adopt) = 0;
};

/// Tells the user on standard error what does not run, and at the end how many did. `options.files` is not
/// used. Interruptible (interrupt.h) must live.
Status run_items(const GpuOptions& options, const std::vector<RunItem>& items, RunSink& sink,
                 Streams& streams);

/// The command line that repeats one run.
std::string command_of(const GpuOptions& options, const std::string& file);
/// With these options in place of the harness's parameters.
std::string command_of(const GpuOptions& options, const std::string& file, const std::string& parameters);

}  // namespace ptxmc::cli
