// SPDX-License-Identifier: Apache-2.0
#include "generate/access_kinds.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>

#include "support/refuse.h"

namespace ptxmc::generate {

namespace {

class Making {
 public:
  Making(const Cycle& cycle, const std::vector<Direction>& directions, const std::vector<int>& locations)
      : cycle_(cycle),
        directions_(directions),
        locations_(locations),
        count_(cycle.edges.size()),
        kinds_(count_, AccessKind::plain) {}

  std::vector<AccessKind> run() {
    for (std::size_t i = 0; i < count_; ++i) read(i);
    for (std::size_t i = 0; i < count_; ++i) share_tensor(i);
    for (std::size_t i = 0; i < count_; ++i) check(i);
    check_spaces();
    return std::move(kinds_);
  }

 private:
  const Edge& before(std::size_t i) const { return cycle_.edges[(i + count_ - 1) % count_]; }
  [[noreturn]] void refuse_at(const Position& position, std::string message) const {
    refuse(cycle_.source, position, std::move(message));
  }
  static bool ends_at_tensor(const Edge& edge) {
    return (edge.link == Link::tensor && edge.word != "before") || orders_tensor(edge);
  }
  static bool begins_at_tensor(const Edge& edge) {
    return (edge.link == Link::tensor && edge.word != "after") || orders_tensor(edge);
  }

  /// From the mark, or from an edge.
  void read(std::size_t i) {
    const Edge& edge = cycle_.edges[i];
    const std::optional<AccessKind>& said = cycle_.marks[i].access_kind;
    if (said) kinds_[i] = *said;
    if (said == AccessKind::tensor_copy && directions_[i] == Direction::read)
      kinds_[i] = AccessKind::copy_source;
    const bool begins = begins_at_tensor(edge), ends = ends_at_tensor(before(i));
    if (begins || ends) {
      if (said && !in_tensor(*said))
        refuse_at(cycle_.marks[i].position,
                  fmt::format("'{}' is of an access to tensor memory, and '{}' makes it another one",
                              begins ? edge.text : before(i).text, cycle_.marks[i].text));
      if (!said) kinds_[i] = AccessKind::tensor;
    }
    if (kinds_[i] == AccessKind::bulk && edge.link == Link::wait) kinds_[i] = AccessKind::bulk_group;
  }

  /// What is in tensor memory is there for all.
  void share_tensor(std::size_t i) {
    if (!in_tensor(kinds_[i])) return;
    for (std::size_t other = 0; other < count_; ++other) {
      if (locations_[other] != locations_[i]) continue;
      if (in_space(other))
        refuse_at(
            cycle_.marks[other].position,
            fmt::format("'{}' accesses a location in tensor memory; tcgen05.ld and tcgen05.st access it",
                        cycle_.marks[other].text));
      if (kinds_[other] == AccessKind::wgmma_a)
        refuse_at(cycle_.marks[other].position,
                  "'Wgmma.a' loads by ld, and the location is in tensor memory");
      if (kinds_[other] == AccessKind::plain) kinds_[other] = AccessKind::tensor;
    }
  }

  void check(std::size_t i) const {
    const Edge& edge = cycle_.edges[i];
    const Mark& mark = cycle_.marks[i];
    if (mark.unfenced && !by_wgmma(kinds_[i]))
      refuse_at(mark.position, "'Unfenced' is of Wgmma and of Wgmma.a");
    if (mark.pair && !committed(kinds_[i]))
      refuse_at(mark.position, "'Pair' is of Mma, of Cp and of their operands");
    if (kinds_[i] == AccessKind::plain) {
      if (edge.link == Link::wait)
        refuse_at(
            edge.position,
            fmt::format("'{}' waits for an asynchronous access: one of Bulk, CpAsync, Tensor, Mma, Cp and "
                        "Wgmma, or an operand of theirs, stands in front of it",
                        edge.text));
      return;
    }
    if (!ordered(kinds_[i]) && mark.semantics && *mark.semantics != isa::Semantics::weak)
      refuse_at(mark.position, fmt::format("an asynchronous access has no order: '{}'", mark.text));
    const bool writes_alone = opaque(kinds_[i]) || kinds_[i] == AccessKind::multicast;
    if (writes_alone && directions_[i] == Direction::read)
      refuse_at(mark.position, fmt::format("'{}' is of a write, and this access is a read", mark.text));
    if (edge.link == Link::tensor && edge.word == "commit" && !opaque(kinds_[i]))
      refuse_at(edge.position,
                fmt::format("'{}' commits a tcgen05.mma or tcgen05.cp: Mma or Cp stands in front of it",
                            edge.text));
    if (mark.alias && in_tensor(kinds_[i]))
      refuse_at(mark.position, "a location in tensor memory has one name");
    if (multiplies(kinds_[i])) check_operand(i);
    for (const Edge* end : {&before(i), &edge})
      if (end->link == Link::atomic || end->link == Link::dependency)
        refuse_at(end->position,
                  fmt::format("'{}' is of ld, st and atom, and an access of it is asynchronous", end->text));
  }

  /// What is multiplied is known for each value of the location.
  void check_operand(std::size_t i) const {
    const Position& at = cycle_.marks[i].position;
    if (directions_[i] == Direction::write)
      refuse_at(at, fmt::format("'{}' is of a read, and this access is a write", cycle_.marks[i].text));
    if (!of_matrix(kinds_[i])) return;
    if (cycle_.marks[i].alias) refuse_at(at, "an operand in shared memory has one name");
    bool words = false, bulks = false;
    for (std::size_t other = 0; other < count_; ++other) {
      if (locations_[other] != locations_[i] || directions_[other] == Direction::read) continue;
      const bool bulk = kinds_[other] == AccessKind::bulk || kinds_[other] == AccessKind::multicast;
      (bulk ? bulks : words) = true;
    }
    if (words && bulks)
      refuse_at(at, "of an operand in shared memory all writes are copies of 16 bytes, or none of them");
  }

  /// Copies are between shared and global memory: which of the two a location is in follows from each copy of it.
  void check_spaces() const {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t other = 0; other < i; ++other) {
        if (locations_[other] != locations_[i] || !in_space(i) || !in_space(other)) continue;
        if (shared(i) == shared(other)) continue;
        refuse_at(cycle_.marks[i].position,
                  fmt::format("this access has the location in {} memory, and another one in {} memory",
                              shared(i) ? "shared" : "global", shared(other) ? "shared" : "global"));
      }
    }
  }
  /// It says in which.
  bool in_space(std::size_t i) const { return copies(kinds_[i]) || of_matrix(kinds_[i]); }
  bool shared(std::size_t i) const {
    if (of_matrix(kinds_[i])) return true;
    return (directions_[i] == Direction::write) == (kinds_[i] != AccessKind::bulk_group);
  }

  const Cycle& cycle_;
  const std::vector<Direction>& directions_;
  const std::vector<int>& locations_;
  const std::size_t count_;
  std::vector<AccessKind> kinds_;
};

}  // namespace

std::vector<AccessKind> access_kinds_of(const Cycle& cycle, const std::vector<Direction>& directions,
                                        const std::vector<int>& locations) {
  return Making(cycle, directions, locations).run();
}

Operation barrier_end(std::string word, int number) {
  Operation o;
  o.kind = Kind::barrier;
  o.word = std::move(word);
  o.value = number;
  return o;
}

std::vector<Operation> wait_for(AccessKind access_kind, Direction direction, int object) {
  if (committed(access_kind))
    return {barrier_end("tcgen05.commit", object), barrier_end("mbarrier.wait", object)};
  Operation o;
  o.kind = Kind::wait;
  if (access_kind == AccessKind::bulk_group)
    o.word = "cp.async.bulk.wait_group 0";
  else if (access_kind == AccessKind::cp_async)
    o.word = "cp.async.wait_all";
  else if (by_wgmma(access_kind))
    o.word = "wgmma.wait_group.sync.aligned 0";
  else
    o.word = direction == Direction::read ? "tcgen05.wait::ld.sync.aligned" : "tcgen05.wait::st.sync.aligned";
  return {o};
}

void add_results(int object, Thread& thread) {
  const auto add = [&](const std::vector<Operation>& more) {
    thread.operations.insert(thread.operations.end(), more.begin(), more.end());
  };
  // Registers of wgmma hold the product behind a wait (9.7.14.7.3).
  const std::vector<Operation> waiting = wait_for(AccessKind::wgmma, Direction::read, 0);
  std::vector<Operation> results;
  bool under_way = false;
  for (std::size_t i = 0; i < thread.operations.size(); ++i) {
    const Operation& o = thread.operations[i];
    if (by_wgmma(o.access_kind)) under_way = true;
    if (o.word == waiting.front().word) under_way = false;
    if (!multiplies(o.access_kind) || by_wgmma(o.access_kind)) continue;
    results.emplace_back();
    results.back().kind = Kind::result;
    results.back().source = static_cast<int>(i);
  }
  if (under_way) add(waiting);
  if (results.empty()) return;
  // Tensor memory holds it behind a commit and a wait for that (9.7.16.6.4.1).
  add(wait_for(AccessKind::mma_a, Direction::read, object));
  add({tensor_fence(false)});
  add(results);
  add(wait_for(AccessKind::tensor, Direction::read, 0));
}

Operation tensor_fence(bool before) {
  Operation o;
  o.kind = Kind::proxy;
  o.word = before ? "tcgen05.fence::before_thread_sync" : "tcgen05.fence::after_thread_sync";
  return o;
}

}  // namespace ptxmc::generate
