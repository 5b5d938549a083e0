// SPDX-License-Identifier: Apache-2.0
#include "random_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "random.h"

namespace ptxmc::testing {
namespace {

class ModelGenerator {
 public:
  ModelGenerator(std::uint64_t seed, const relation::Signature& signature) : seed_(seed), random_(seed) {
    for (const relation::BaseRow& row : signature.rows()) {
      const bool reserved = row.name == "co" || row.name == "fr" || row.name == "_";
      if (reserved) continue;
      if (row.provider == relation::Provider::enumerated) {
        barriers_.push_back(row.name);
      } else {
        (row.sort == relation::Sort::set ? sets_ : base_).push_back(row.name);
      }
    }
  }

  std::string run() {
    const std::size_t style = random_.weighted({35, 30, 35});
    if (style == 1) text_ += "PTX\n";
    text_ += fmt::format("(* drawn at random, seed {} *)\n", seed_);
    relations_ = base_;
    if (style == 2) {
      declare_orders();
    } else {
      relations_.insert(relations_.end(), {"co", "fr"});
    }
    define();
    constrain();
    return text_;
  }

 private:
  static std::string join(std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
  }

  /// Relations that matter come up more often than the many that are empty on these programs.
  std::string leaf() {
    if (random_.chance(55)) {
      const std::string name = random_.pick<std::string>(
          {"po", "rf", "rf", "co", "co", "fr", "fr", "ploc", "mscope", "rmw", "dep"});
      if (std::find(relations_.begin(), relations_.end(), name) != relations_.end()) return name;
    }
    return random_.pick(relations_);
  }

  std::string set(int depth) {
    if (depth == 0 || random_.chance(50)) {
      return random_.chance(50) ? random_.pick<std::string>({"R", "W", "M", "_"}) : random_.pick(sets_);
    }
    switch (random_.weighted({3, 3, 2, 1, 1})) {
      case 0:
        return join({"(", set(depth - 1), " | ", set(depth - 1), ")"});
      case 1:
        return join({"(", set(depth - 1), " & ", set(depth - 1), ")"});
      case 2:
        return join({"(", set(depth - 1), " \\ ", set(depth - 1), ")"});
      case 3:
        return join({"domain(", relation(depth - 1), ")"});
      default:
        return join({"range(", relation(depth - 1), ")"});
    }
  }

  std::string relation(int depth) {
    if (depth == 0 || random_.chance(20)) return leaf();
    switch (random_.weighted({20, 14, 14, 20, 5, 5, 4, 4, 8, 4, 2})) {
      case 0:
        return join({"(", relation(depth - 1), " | ", relation(depth - 1), ")"});
      case 1:
        return join({"(", relation(depth - 1), " & ", relation(depth - 1), ")"});
      case 2:
        return join({"(", relation(depth - 1), " \\ ", relation(depth - 1), ")"});
      case 3:
        return join({"(", relation(depth - 1), "; ", relation(depth - 1), ")"});
      case 4:
        return join({"(", relation(depth - 1), ")+"});
      case 5:
        return join({"(", relation(depth - 1), ")^-1"});
      case 6:
        return join({"(", relation(depth - 1), ")?"});
      case 7:
        return join({"(", relation(depth - 1), ")*"});
      case 8:
        return join({"([", set(1), "]; ", relation(depth - 1), "; [", set(1), "])"});
      case 9:
        return join({"(", set(1), " * ", set(1), ")"});
      default:
        return join({"(~(", relation(depth - 1), "))"});
    }
  }

  /// An expression that grows with `variable`.
  std::string monotone(int depth, const std::string& variable) {
    if (depth == 0) return random_.chance(60) ? variable : leaf();
    switch (random_.weighted({4, 2, 4, 1, 1, 1, 1})) {
      case 0:
        return join({"(", monotone(depth - 1, variable), " | ", monotone(depth - 1, variable), ")"});
      case 1:
        return join({"(", monotone(depth - 1, variable), " & ", relation(1), ")"});
      case 2:
        return join({"(", monotone(depth - 1, variable), "; ", monotone(depth - 1, variable), ")"});
      case 3:
        return join({"(", monotone(depth - 1, variable), " \\ ", relation(1), ")"});
      case 4:
        return join({"(", monotone(depth - 1, variable), ")^-1"});
      case 5:
        return join({"(", monotone(depth - 1, variable), ")+"});
      default:
        return relation(1);
    }
  }

  void declare_orders() {
    const std::string pairs =
        random_.pick<std::string>({"(W * W) & ploc", "[W]; (ploc & mscope); [W]", "(W * W) & ploc & mscope"});
    text_ += fmt::format("order cochoice over {}\n", pairs);
    relations_.push_back("cochoice");
    if (random_.chance(40)) {
      text_ +=
          fmt::format("order fchoice over (F * F) & {}\n", random_.pick<std::string>({"mscope", "(_ * _)"}));
      relations_.push_back("fchoice");
    }
    switch (random_.below(4)) {
      case 0:
        text_ += "let co = cochoice\n";
        break;
      case 1:
        text_ += "let co = (cochoice | IW * W & ploc)+\n";
        break;
      case 2:
        text_ += "let co = (cochoice | (IW * W & ploc) | ([W]; (po & ploc); [W]))+\n";
        break;
      default:
        text_ += join({"let extra = ", relation(2),
                       "\nlet co = (cochoice | ((IW * W) | ([W]; extra; [W])) & ploc)+\n"});
    }
    relations_.insert(relations_.end(), {"co", "fr"});
    if (random_.chance(80)) text_ += "acyclic co as CoherenceOrder\n";
  }

  void define() {
    const int count = random_.between(1, 3);
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("e{}", i);
      if (random_.chance(30)) {
        const std::string other = name + "x";
        if (random_.chance(30)) {
          text_ += join({"let rec ", name, " = ", monotone(2, random_.pick<std::string>({name, other})),
                         "\n    and ", other, " = ", monotone(2, random_.pick<std::string>({name, other})),
                         " | ", leaf(), "\n"});
          relations_.push_back(other);
        } else {
          text_ += join({"let rec ", name, " = ", leaf(), " | ", monotone(2, name), "\n"});
        }
      } else {
        text_ += join({"let ", name, " = ", relation(3), "\n"});
      }
      relations_.push_back(name);
    }
  }

  /// Axioms: a plausible core most of the time (else nearly every model has no execution at all), then random
  /// ones.
  void constrain() {
    // A relation of barriers forbids executions that hang, so it is named where an axiom certainly depends on
    // it.
    if (random_.chance(40)) {
      const std::string name = random_.pick(barriers_);
      text_ += join({random_.pick<const char*>({"acyclic ", "irreflexive "}), "(", name, " | ", relation(2),
                     ")", random_.pick<const char*>({" as Barriers\n", "; (po | rf) as Barriers\n"})});
      relations_.push_back(name);
    }
    if (random_.chance(92)) text_ += "acyclic rf | dep as NoThinAir\n";
    if (random_.chance(40)) {
      text_ +=
          join({"acyclic (rf | co | fr | ",
                random_.pick<std::string>({"po & ploc", "po", "e0", "po & (e0 | ploc)"}), ") as Order\n"});
    }
    if (random_.chance(30)) text_ += "empty rmw & (fr; co) as Atomicity\n";
    const int count = random_.between(1, 2);
    for (int i = 0; i < count; ++i) {
      switch (random_.weighted({45, 25, 25, 5})) {
        case 0:
          text_ += join({"acyclic ", relation(2)});
          break;
        case 1:
          text_ += join({"irreflexive ", relation(3)});
          break;
        case 2:
          text_ += join({"empty ", relation(3)});
          break;
        default:
          text_ += join({"~empty ", relation(2)});
          break;
      }
      text_ += fmt::format(" as Axiom{}\n", i);
    }
    const char* test = random_.pick<const char*>({"~empty", "~acyclic", "~irreflexive", "empty"});
    text_ += join({"flag ", test, " ", relation(2), " as raised\n"});
  }

  std::uint64_t seed_;
  Random random_;
  std::string text_;
  std::vector<std::string> sets_, base_, barriers_, relations_;
};

}  // namespace

std::string generate_model(std::uint64_t seed, const relation::Signature& signature) {
  return ModelGenerator(seed, signature).run();
}

}  // namespace ptxmc::testing
