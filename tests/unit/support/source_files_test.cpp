// SPDX-License-Identifier: Apache-2.0
#include "support/source_files.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

namespace ptxmc {

namespace {

namespace fs = std::filesystem;

/// A folder of its own, which goes with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("ptxmc-source-files-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

}  // namespace

TEST_CASE("a source file is found in the folders that are named, by its own path, or beside the module") {
  const Folder folder;
  folder.write("module/k.cu", "beside\n");
  folder.write("tree/src/k.cu", "in the tree\n");
  SourceFiles beside({}, folder.path / "module/k.ptx");
  REQUIRE(beside.find("/nowhere/src/k.cu") != nullptr);
  CHECK_EQ(beside.find("/nowhere/src/k.cu")->line(1), "beside");
  CHECK_EQ(beside.find((folder.path / "tree/src/k.cu").string())->line(1), "in the tree");
  CHECK_EQ(beside.find("/nowhere/other.cu"), nullptr);
  SourceFiles named({folder.path / "tree"}, folder.path / "module/k.ptx");
  CHECK_EQ(named.find("/nowhere/src/k.cu")->line(1), "in the tree");
  CHECK_EQ(named.find("/nowhere/k.cu")->line(1), "beside");
}

TEST_CASE("what is no file is not read, and a path with .. stays in the folder that is named") {
  const Folder folder;
  folder.write("secret.cu", "outside\n");
  folder.write("tree/a.cu", "a\n");
  SourceFiles files({folder.path / "tree"}, folder.path / "tree/k.ptx");
  CHECK_EQ(files.find("../secret.cu"), nullptr);
  CHECK_EQ(files.find(""), nullptr);
  CHECK_EQ(files.find(folder.path.string()), nullptr);
  CHECK_EQ(files.find("/dev/zero"), nullptr);
}

TEST_CASE("a file below the current folder is named from there") {
  const Folder folder;
  folder.write("sub/k.cu", "x\n");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  SourceFiles files({}, "");
  const SourcePtr found = files.find((folder.path / "sub/k.cu").string());
  fs::current_path(before);
  REQUIRE(found != nullptr);
  CHECK_EQ(found->name, "sub/k.cu");
}

}  // namespace ptxmc
