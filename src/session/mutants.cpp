// SPDX-License-Identifier: Apache-2.0
#include "session/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dynamic/claim/claim.h"
#include "explain/verify/claim_words.h"
#include "finding/rules.h"
#include "session/mutant_fragments.h"
#include "support/parallel.h"

namespace ptxmc::session {

namespace {

using claim::Verdict;
using exec::Change;
using exec::Changed;
using Changes = std::vector<Changed>;

constexpr std::uint64_t kLonger = 8,
                        kMoreSteps = 1'000'000;  // instructions, beyond those of the unchanged launch

constexpr const char* kNoTime = "there was no time to look for what stands for it";

/// What is known of a changed launch.
struct Judged {
  bool whole = false;  // its runs came to an end
  std::string found;   // beyond what the unchanged launch shows
  std::string again;   // what it shows, too, but less often; if nothing is found
  Verdict answer = Verdict::incomplete;
  std::string limit;                   // explain::Mutant::limit
  std::optional<trace::Finding> race;  // the first one that is found

  /// That something rests on what was changed.
  const std::string& shown() const { return found.empty() ? again : found; }
};

/// The changes of one instruction, that which takes most first.
struct Piece {
  Changes changes;
  std::vector<Judged> judged;
};

class Mutating {
 public:
  Mutating(const explore::VerificationTask& task, const Verification& unchanged,
           const MutantSettings& settings)
      : task_(task),
        unchanged_(unchanged),
        verified_(unchanged.verified),
        settings_(settings),
        baseline_(unchanged.verified),
        exact_(claim::verdict_of(unchanged.verified) == Verdict::proven),
        budget_(settings.verify.budget()) {}

  explain::Mutants run() {
    std::vector<Piece> pieces = find_pieces();
    in_parallel(pieces.size(), settings_.jobs, [&](std::size_t i) { try_piece(pieces[i]); });
    for (const Piece& piece : pieces) {
      for (std::size_t i = 0; i < piece.changes.size(); ++i) add(piece, i);
    }
    settle(spare_);
    if (settings_.exact != nullptr) ask_exactly(*settings_.exact);
    return std::move(out_);
  }

 private:
  std::vector<Piece> find_pieces() {
    std::vector<Piece> out;
    for (trace::Site site = 0; site < verified_.run->sites(); ++site) {
      if (verified_.outcome.executed[site] == 0) continue;
      Piece piece;
      for (const Change change : exec::changes_of(verified_.run->instruction(site)))
        piece.changes.push_back({site, change});
      all_ += piece.changes.size();
      if (!piece.changes.empty()) out.push_back(std::move(piece));
    }
    return out;
  }

  void try_piece(Piece& piece) {
    for (const Changed& changed : piece.changes) {
      piece.judged.push_back(may_be_left_out(piece) ? piece.judged.front() : judge({changed}));
      const std::lock_guard lock(mutex_);
      settings_.progress(++tried_, all_);
    }
  }

  /// Then it may be weakened, too: what is weaker orders less, and no instruction orders least.
  static bool may_be_left_out(const Piece& piece) {
    if (piece.judged.empty() || piece.changes.front().change != Change::leave_out) return false;
    const Judged& without = piece.judged.front();
    return without.whole && without.shown().empty();
  }

  Judged judge(const Changes& changes) const {
    VerifySettings settings = settings_.verify;
    settings.changes = changes;
    settings.detail = unchanged_.limits.detail;
    settings.steps = verified_.outcome.instructions * kLonger + kMoreSteps;
    settings.until = budget_;
    settings.note = {};
    settings.ends_at = [&](const exec::Run& run, const trace::Finding& finding) {
      return finding::severity_of(finding.rule) == Severity::error &&
             verified_.selection.takes(finding::name_of(finding.rule)) && baseline_.is_news(run, finding);
    };
    settings.is_enough = [&](claim::VerifyResult changed) {
      changed.selection = verified_.selection;
      return !baseline_.beyond(changed).empty();
    };
    Judged out;
    if (budget_.over() || settings.interrupted()) return out;
    const explore::VerificationTask task = explore::weakened(task_, *verified_.run, changes);
    const std::unique_ptr<Verification> changed = verify(task, settings);
    changed->verified.selection = verified_.selection;
    out.found = baseline_.beyond(changed->verified);
    if (out.found.empty()) out.again = baseline_.oftener(changed->verified);
    for (const trace::Finding& finding : changed->verified.findings) {
      if (!out.race && finding::is_race(finding.rule) && baseline_.is_news(changed->run, finding))
        out.race = finding;
    }
    const exec::End end = changed->verified.outcome.end;
    const bool ended = end == exec::End::finished || end == exec::End::deadlock;
    const bool cut = budget_.over() || settings.interrupted();  // other runs may have been, then
    out.whole = !out.found.empty() || (ended && !cut);
    const claim::Claim claim = claim::claim_of(changed->verified);
    out.answer = claim.verdict;
    if (exact_ && out.answer == Verdict::incomplete)
      out.limit = explain::open_text(changed->verified, claim.open.front());
    return out;
  }

  void add(const Piece& piece, std::size_t number) {
    const Judged& judged = piece.judged[number];
    if (!judged.whole) {
      ++out_.left;
      return;
    }
    const Changed& changed = piece.changes[number];
    if (judged.race) races_.push_back(*judged.race);
    changes_.push_back(changed);
    explain::Mutant& mutant = out_.tried.emplace_back();
    mutant.place = explain::place_of(verified_, changed.site);
    mutant.change = changed.change;
    mutant.caught = judged.found;
    if (!judged.found.empty()) return;
    mutant.without = judged.answer;
    mutant.limit = judged.limit;
    mutant.masked = !judged.again.empty();
    if (mutant.masked) {
      mutant.because = fmt::format("hidden by an existing error: {}", judged.again);
    } else if (number > 0 && may_be_left_out(piece)) {
      mutant.because = "it may be left out";
    } else {
      spare_.push_back(out_.tried.size() - 1);
    }
  }

  /// Without those that nothing rests on, and these: if nothing is found then, nothing rests on any of them. Else on some of
  /// them, each of which others before it stand for.
  void settle(std::span<const std::size_t> spare) {
    if (spare.empty()) return;
    Changes trial = needless_;
    for (const std::size_t number : spare) trial.push_back(changes_[number]);
    const Judged all = judge(trial);
    if (!all.whole) {
      for (const std::size_t number : spare) out_.tried[number].because = kNoTime;
    } else if (all.shown().empty()) {
      for (const std::size_t number : spare) {
        out_.tried[number].because =
            needless_.empty() ? "no ordering depends on it"
                              : fmt::format("no ordering depends on it or on {} before it", needless_.size());
        needless_.push_back(changes_[number]);
      }
      out_.needless = needless_.size();
      out_.without_needless = all.answer;
    } else if (spare.size() > 1) {
      settle(spare.first(spare.size() / 2));
      settle(spare.subspan(spare.size() / 2));
    } else {
      out_.tried[spare.front()].because = stand_ins(changes_[spare.front()]);
    }
  }

  /// Which of the needless ones stand for it: as few as are found one after the other.
  std::string stand_ins(const Changed& changed) {
    Changes needed{changed};
    std::string found;
    for (std::size_t end = needless_.size(); end > 0 && found.empty();) {
      end = shortest(needed, end) - 1;
      needed.push_back(needless_[end]);
      const Judged without = judge(needed);
      if (without.race) races_.push_back(*without.race);
      found = without.shown();
    }
    if (found.empty()) return kNoTime;
    std::string lines;
    for (std::size_t i = 1; i < needed.size(); ++i)
      lines += fmt::format("{}{}",
                           i == 1                   ? ""
                           : i + 1 == needed.size() ? " and "
                                                    : ", ",
                           explain::line_of(explain::place_of(verified_, needed[i].site)));
    return fmt::format("{} {} for it: {} without {}", lines, needed.size() > 2 ? "stand" : "stands", found,
                       needed.size() > 2 ? "all of them" : "both");
  }

  /// How many of the first `end` needless ones must be left out with `needed`, so that something is found.
  std::size_t shortest(const Changes& needed, std::size_t end) const {
    std::size_t few = 0;
    while (few + 1 < end) {
      const std::size_t middle = few + (end - few) / 2;
      Changes trial = needed;
      trial.insert(trial.end(), needless_.begin(), needless_.begin() + static_cast<std::ptrdiff_t>(middle));
      (judge(trial).shown().empty() ? few : end) = middle;
    }
    return end;
  }

  /// What other pieces are needed for, and nothing is not needed for, is where such a piece may stand.
  void ask_exactly(const Session& session) {
    exec::Options limits = unchanged_.limits;
    limits.budget = budget_;
    const Fragments fragments(session, task_, *verified_.run, limits, races_);
    for (std::size_t i = 0; i < changes_.size() && !budget_.over() && !settings_.verify.interrupted(); ++i) {
      explain::Mutant& mutant = out_.tried[i];
      if (!mutant.caught.empty() || mutant.masked) continue;
      const FragmentAnswers answers = fragments.without({changes_[i]});
      mutant.asked = answers.asked;
      mutant.ordered = answers.ordered;
      mutant.racing = answers.racing;
    }
  }

  const explore::VerificationTask& task_;
  const Verification& unchanged_;
  const claim::VerifyResult& verified_;
  const MutantSettings& settings_;
  explain::Baseline baseline_;
  bool exact_;
  Budget budget_;
  explain::Mutants out_;
  Changes changes_;                    // of those in it
  std::vector<trace::Finding> races_;  // without something
  std::vector<std::size_t> spare_;     // of which it is to be said why nothing is found
  Changes needless_;                   // without all of these nothing is found
  std::mutex mutex_;                   // guards the next one
  std::size_t tried_ = 0, all_ = 0;
};

}  // namespace

explain::Mutants try_mutants(const explore::VerificationTask& task, const Verification& unchanged,
                             const MutantSettings& settings) {
  return Mutating(task, unchanged, settings).run();
}

}  // namespace ptxmc::session
