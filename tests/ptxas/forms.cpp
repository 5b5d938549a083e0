// SPDX-License-Identifier: Apache-2.0
#include "forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace ptxmc::test {

namespace {

constexpr std::size_t kBatch = 60;  // kernels a module
constexpr int kKernelLines = 3;

/// What the forms name. They name `p`, a parameter of the kernel, and `l`, its local memory, too.
constexpr std::string_view kObjects =
    ".global .align 128 .b32 x[32];\n.shared .align 128 .b32 s[64];\n.shared .align 8 .b64 mb;\n"
    ".shared .align 128 .b32 ts[32];\n.const .align 128 .b32 c[32];\n.const .align 128 .b32 tmc[32];\n"
    ".global .align 128 .b32 tm[32];\n.global .align 128 .b32 tm1[32];\n.global .align 128 .b32 tm2[32];\n"
    ".global .align 128 .b32 tm3[32];\n.global .align 128 .b32 tm4[32];\n.global .align 128 .b32 tm5[32];\n";
constexpr std::string_view kRegisters =
    ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<264>; .reg .b64 %rd<64>; .reg .b128 %q<8>; "
    ".reg .b32 %tt, %id, %as, %am, %amb; .reg .b64 %ax, %st, %cp, %da, %db, %tp, %as64;";

/// Three lines, the form on the second.
std::string kernel(std::size_t number, const std::string& form) {
  return fmt::format(
      ".visible .entry k{}(.param .align 16 .b32 p[16]) {{ .local .align 128 .b32 l[32]; {}\n{}\nEND: ret; "
      "}}\n",
      number, kRegisters, form);
}

bool is_of_syntax(const std::string& message) {
  return message.find("syntax") != std::string::npos || message.find("Parsing") != std::string::npos;
}

/// FNV-1a
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash >> 17;
}

}  // namespace

std::string litmus_of(const std::string& form) {
  return fmt::format(
      "PTX form\n{{\n{}.param .align 16 .b32 p[16];\n.local .align 128 .b32 l[32];\n}}\nP0 @ cta 0 "
      "{{\n{}\n{}\nEND: ret;\n}}\n"
      "forall (true)\n",
      kObjects, kRegisters, form);
}

/// An error of syntax may hide what comes behind it, so that what it named is taken out and the rest tried again.
void assemble(const Assembler& assembler, const char* target, std::vector<Form*> left) {
  const std::string top = fmt::format(".version 9.0\n.target {}\n.address_size 64\n{}", target, kObjects);
  const int first = static_cast<int>(std::count(top.begin(), top.end(), '\n')) + 1;
  while (!left.empty()) {
    std::string text = top;
    for (std::size_t i = 0; i < left.size(); ++i) text += kernel(i, left[i]->text);
    const Assembly result = assembler.run(text, target);
    if (result.accepted) {
      for (Form* form : left) form->assembler.clear();
      return;
    }
    std::map<std::size_t, std::string> wrong;
    for (const auto& [line, message] : result.errors) {
      if (line < first) continue;  // some messages name no line of the text
      wrong.emplace(static_cast<std::size_t>((line - first) / kKernelLines), message);
      if (is_of_syntax(message)) break;
    }
    static const std::regex named(R"((?:error|fatal)\s*: (.*\bk(\d+)\b.*))");
    std::smatch match;
    if (wrong.empty() && std::regex_search(result.output, match, named))
      wrong.emplace(std::stoul(match[2]), match[1]);
    if (wrong.empty() && left.size() == 1) wrong.emplace(0, "no message: " + result.output.substr(0, 200));
    if (wrong.empty()) {
      const auto middle = left.begin() + static_cast<std::ptrdiff_t>(left.size() / 2);
      assemble(assembler, target, {left.begin(), middle});
      return assemble(assembler, target, {middle, left.end()});
    }
    std::vector<Form*> rest;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto found = wrong.find(i);
      if (found == wrong.end()) {
        rest.push_back(left[i]);
      } else {
        std::string& message = left[i]->assembler;
        if (message.empty() || message.find(".target") != std::string::npos) message = found->second;
        left[i]->malformed = is_of_syntax(found->second);
      }
    }
    left = std::move(rest);
  }
}

void assemble_left(const Assembler& assembler, const char* target, std::vector<Form>& forms) {
  std::vector<Form*> batch;
  const auto flush = [&] {
    assemble(assembler, target, batch);
    batch.clear();
  };
  for (Form& form : forms) {
    if (form.assembler.empty() || form.malformed) continue;
    batch.push_back(&form);
    if (batch.size() == kBatch) flush();
  }
  flush();
}

std::vector<Form> read_forms(const std::string& script, std::uint64_t every) {
  std::FILE* pipe = ::popen(fmt::format("python3 '{}' --list --limit 1000000", script).c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + script);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (::pclose(pipe) != 0) throw std::runtime_error("no forms from " + script);
  std::vector<Form> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string form = line.substr(line.rfind('\t') + 1);
    if (hash_of(form) % every == 0) out.push_back({form, "", false, ""});
  }
  return out;
}

}  // namespace ptxmc::test
