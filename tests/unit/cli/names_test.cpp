// SPDX-License-Identifier: Apache-2.0
// The names of a model text mean nothing: under a text whose definitions and flags all have other names, every
// report is the same but for the names it prints.
#include <doctest/doctest.h>

#include <cctype>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "axiomatic/event/base.h"
#include "model/cat/print.h"
#include "model/models.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

constexpr const char* kPrefix = "renamed-";

std::set<std::string> names_of(const relation::MemoryModel& model) {
  std::set<std::string> out;
  for (const auto& definition : model.definitions) out.insert(definition.name);
  for (const auto& order : model.orders) out.insert(order.name);
  for (const auto& flag : model.flags) out.insert(flag.name);
  out.erase("co");  // what the language calls coherence
  out.erase("fr");
  return out;
}

/// Every word of the text that is one of these names, in front of which no `role` stands.
std::string renamed(const std::string& text, const std::set<std::string>& names) {
  static const std::regex word(R"((role )?[A-Za-z_][A-Za-z0-9_'.-]*)");
  std::string out;
  auto last = text.begin();
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) {
    out.append(last, text.begin() + it->position());
    const std::string found = it->str();
    out += (names.contains(found) ? kPrefix : "") + found;
    last = text.begin() + it->position() + it->length();
  }
  return out.append(last, text.end());
}

std::string without_prefix(std::string text) {
  const std::string prefix = kPrefix;
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

/// A racing bulk copy, a fence in the wrong place, a misused mbarrier object, a wait that comes too late.
const std::vector<std::string> kTests = {
    "PTX A\n{ .global .b32 g[4]; .shared .b32 s[4] = {1, 1, 1, 1}; .global .b32 f = 0; }\n"
    "P0 @ cta 0 {\n cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;\n"
    " cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;\n st.relaxed.gpu.global.b32 [f], 1;\n}\n"
    "P1 @ cta 1 {\n ld.acquire.gpu.global.b32 %r0, [f];\n ld.weak.global.b32 %r1, [g];\n}\n"
    "exists (P1:%r1 == 0)\n",
    "PTX B\n{ .global .b32 g[4]; .shared .b32 s[4] = {1, 1, 1, 1}; .shared .b64 bar = 1; }\n"
    "P0 @ cta 0 {\n st.weak.shared.b32 [s], 2;\n cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;\n"
    " mbarrier.arrive.shared::cta.b64 _, [bar];\n mbarrier.arrive.shared::cta.b64 _, [bar];\n"
    " mbarrier.arrive.noComplete.shared::cta.b64 %rd0, [bar], 1;\n}\n"
    "exists (g[0] == 0)\n",
    "PTX C\n{ .global .b32 x = 0; y aliases x; .global .b32 f = 0; }\n"
    "P0 @ cta 0 {\n st.weak.global.b32 [x], 1;\n st.release.cta.global.b32 [f], 1;\n}\n"
    "P1 @ cta 1 {\n ld.acquire.gpu.global.b32 %r0, [f];\n ld.weak.global.b32 %r1, [y];\n}\n"
    "exists (P1:%r1 == 0)\n",
};

}  // namespace

TEST_CASE("renaming what a model text defines changes no report") {
  const relation::MemoryModel model = model::load("ptx-9.4", event::base_signature());
  const std::string printed = cat::print(model, event::base_signature());
  const Workplace place;
  const std::string same = place.file("same.cat", printed);
  const std::string other = place.file("other.cat", renamed(printed, names_of(model)));
  for (const std::string& test : kTests) {
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"races"}, {"check", "--flags"}, {"check", "--property", "liveness"}}) {
      const auto run = [&](const std::string& text) {
        std::vector<std::string> line = verb;
        line.insert(line.end(), {"--engine", "explicit", "--model", text, "-"});
        Ran ran = run_line(line, test);
        ran.out = std::regex_replace(ran.out, std::regex(R"(Time .*)"), "");
        ran.out = std::regex_replace(ran.out, std::regex(R"(\[([a-z-]+): [^\]]*\])"),
                                     "[$1]");  // flags of other names
        return ran;
      };
      const Ran before = run(same), after = run(other);
      CAPTURE(verb.front());
      CHECK(before.out == without_prefix(after.out));
      CHECK(before.status == after.status);
      CHECK(before.status <= 1);
      CHECK(before.out.find("renamed") == std::string::npos);
    }
    CHECK(run_line({"races", "--engine", "explicit", "--model", other, "-"}, test).out.find(kPrefix) !=
          std::string::npos);
  }
}
