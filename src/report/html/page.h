// SPDX-License-Identifier: Apache-2.0
// The skeleton of all pages: one file that needs no other, light and dark as the reader has it, with an index where it
// is about several things. Its script links what belongs together (parts with the same data-e) under the pointer, and
// makes pictures larger and smaller; without a script all is there to be read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxmc::report {

/// How an entry of the index is coloured.
enum class Tone : std::uint8_t { plain, good, bad, open };

struct Entry {
  std::string id;         ///< of its section: section_id()
  std::string name;       ///< of the test, the launch
  std::string answer;     ///< "Forbidden"
  std::string note = {};  ///< "not as stated"; may be empty
  Tone tone = Tone::plain;
  std::string file = {};  ///< that it is from; may be empty
};

class Page {
 public:
  /// `what`: the verb, as in the title; `things`: what there is an index of, "tests".
  Page(std::string what, std::string things) : what_(std::move(what)), things_(std::move(things)) {}

  /// `content` is HTML: what stands in the section after its heading.
  void add(Entry entry, std::string_view content);
  /// As another part of this program made it by section(). The entry's id, name and answer are read there.
  void add_section(std::string_view section, std::string note, Tone tone);
  /// HTML before all sections.
  void lead(std::string_view content) { lead_ += content; }
  /// What made the page: the command, as text, and the version.
  void made_by(std::string command, std::string version) {
    command_ = std::move(command);
    version_ = std::move(version);
  }
  std::string print() const;

 private:
  std::string index() const;

  std::string what_, things_, lead_, sections_, command_, version_;
  std::vector<Entry> entries_;
};

/// One section, as a page takes it: its heading is the entry's name.
std::string section(const Entry& entry, std::string_view content);
/// An id that no other test of the page has; `names`: of the file and the test.
std::string section_id(std::string_view names);

/// Around a picture: what makes it larger and smaller. `about`: what it shows, for who does not see it.
std::string zoomable(std::string_view svg, std::string_view about);

}  // namespace ptxmc::report
