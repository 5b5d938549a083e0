// SPDX-License-Identifier: Apache-2.0
// Manual pages, in man's macros (groff_man(7)).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string>

#include "face/cli/describe.h"

namespace ptxmc::cli {

namespace {

/// Text that roff takes as it is.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '`')
      out += "\\(ga";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

std::string title(std::string_view page, std::string_view version) {
  std::string upper;
  for (const char c : page) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"ptxmc {}\" \"User Commands\"\n", escaped(upper), escaped(version));
}

std::string options_of(const VerbText& verb) {
  std::string out;
  for (const OptionText& option : verb.options) {
    std::string names;
    for (const std::string& name : option.names)
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
    if (!option.value.empty() && !option.is_positional())
      names += fmt::format(" \\fI{}\\fR", escaped(option.value));
    out += fmt::format(".TP\n{}\n{}\n", names, escaped(option.help));
  }
  return out;
}

// Paragraphs of a footer; "Example:" begins a section, and indented lines stand as they are.
std::string prose(const std::string& footer) {
  std::istringstream lines(footer);
  std::string out, line;
  bool as_it_is = false, begins = true;
  while (std::getline(lines, line)) {
    const bool indented = line.starts_with(" ");
    if (as_it_is && !indented) {
      out += ".EE\n";
      as_it_is = false;
    }
    if (line.empty()) {
      begins = true;
      continue;
    }
    if (line == "Example:" || line == "Examples:") {
      out += ".SH EXAMPLES\n";
      begins = false;
      continue;
    }
    if (indented && !as_it_is) {
      out += ".EX\n";
      as_it_is = true;
    } else if (begins && !indented) {
      out += ".PP\n";
    }
    begins = false;
    out += escaped(line) + "\n";
  }
  return out + (as_it_is ? ".EE\n" : "");
}

std::string synopsis(const std::string& name, const VerbText& verb) {
  std::string out = fmt::format(".B {}\n", escaped(name));
  out += verb.verbs.empty() ? "[\\fIoptions\\fR]" : "\\fIsubcommand\\fR [\\fIoptions\\fR]";
  for (const OptionText& option : verb.options)
    if (option.is_positional()) out += fmt::format(" \\fI{}\\fR ...", escaped(option.names.front()));
  return out + "\n";
}

}  // namespace

std::string man_page(const VerbText& verb, std::string_view version) {
  std::string out = title("ptxmc-" + verb.name, version);
  out += fmt::format(".SH NAME\nptxmc\\-{} \\- {}\n", escaped(verb.name), escaped(verb.summary));
  out += ".SH SYNOPSIS\n" + synopsis("ptxmc " + verb.name, verb);
  out += fmt::format(".SH DESCRIPTION\n{}\n", escaped(verb.description));
  for (const VerbText& inner : verb.verbs) {
    out += fmt::format(".SS {}\n", escaped("ptxmc " + verb.name + " " + inner.name));
    out += escaped(inner.description) + "\n" + options_of(inner);
  }
  out += ".SH OPTIONS\n" + options_of(verb);
  const std::string rest = prose(verb.footer);
  if (!rest.empty()) out += (rest.starts_with(".SH") ? "" : ".SH NOTES\n") + rest;
  return out + ".SH SEE ALSO\n.BR ptxmc (1)\n";
}

std::string man_page(const std::vector<VerbText>& verbs, std::string_view version) {
  std::string out = title("ptxmc", version);
  out += ".SH NAME\nptxmc \\- find data races, missing fences and deadlocks in CUDA kernels, without a GPU\n";
  out += ".SH SYNOPSIS\n.B ptxmc\n\\fIverb\\fR [\\fIoptions\\fR] \\fIFILE\\fR ...\n";
  out +=
      ".SH DESCRIPTION\nFinds data races, missing fences and deadlocks in CUDA kernels, without a GPU, in every "
      "schedule of a launch.\nReads the PTX that nvcc makes.\nProves the launch free of them, or shows which two "
      "accesses race, in the lines of the .cu file.\nAlso checks litmus tests against the memory model of the PTX ISA "
      "(chapter 8).\n";
  out += "Without a verb, files are checked.\n.SH VERBS\n";
  std::string pages;
  for (const VerbText& verb : verbs) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(verb.name), escaped(verb.summary));
    pages += fmt::format("{}.BR ptxmc\\-{} (1)", pages.empty() ? "" : ",\n", escaped(verb.name));
  }
  return out + ".SH SEE ALSO\n" + pages + "\n";
}

}  // namespace ptxmc::cli
