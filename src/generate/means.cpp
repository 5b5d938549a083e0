// SPDX-License-Identifier: Apache-2.0
#include "generate/means.h"

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
        means_(count_, Means::plain) {}

  std::vector<Means> run() {
    for (std::size_t i = 0; i < count_; ++i) read(i);
    for (std::size_t i = 0; i < count_; ++i) share_tensor(i);
    for (std::size_t i = 0; i < count_; ++i) check(i);
    check_spaces();
    return std::move(means_);
  }

 private:
  const Edge& before(std::size_t i) const { return cycle_.edges[(i + count_ - 1) % count_]; }
  [[noreturn]] void refuse_at(const Position& position, std::string message) const {
    refuse(cycle_.source, position, std::move(message));
  }
  static bool ends_at_tensor(const Edge& edge) {
    return (edge.link == Link::tensor && edge.word != "before") ||
           (edge.link == Link::barrier && edge.word == "tcgen05");
  }
  static bool begins_at_tensor(const Edge& edge) {
    return (edge.link == Link::tensor && edge.word != "after") ||
           (edge.link == Link::barrier && edge.word == "tcgen05");
  }

  /// From the mark, or from an edge.
  void read(std::size_t i) {
    const Edge& edge = cycle_.edges[i];
    const std::optional<Means>& said = cycle_.marks[i].means;
    if (said) means_[i] = *said;
    const bool begins = begins_at_tensor(edge), ends = ends_at_tensor(before(i));
    if (begins || ends) {
      if (said && !in_tensor(*said))
        refuse_at(cycle_.marks[i].position,
                  fmt::format("'{}' is of an access to tensor memory, and '{}' makes it another one",
                              begins ? edge.text : before(i).text, cycle_.marks[i].text));
      if (!said) means_[i] = Means::tensor;
    }
    if (means_[i] == Means::bulk && edge.link == Link::wait) means_[i] = Means::bulk_group;
  }

  /// What is in tensor memory is there for all.
  void share_tensor(std::size_t i) {
    if (!in_tensor(means_[i])) return;
    for (std::size_t other = 0; other < count_; ++other) {
      if (locations_[other] != locations_[i]) continue;
      if (in_space(other))
        refuse_at(
            cycle_.marks[other].position,
            fmt::format("'{}' accesses a location in tensor memory; tcgen05.ld and tcgen05.st access it",
                        cycle_.marks[other].text));
      if (means_[other] == Means::plain) means_[other] = Means::tensor;
    }
  }

  void check(std::size_t i) const {
    const Edge& edge = cycle_.edges[i];
    const Mark& mark = cycle_.marks[i];
    if (means_[i] == Means::plain) {
      if (edge.link == Link::wait)
        refuse_at(
            edge.position,
            fmt::format("'{}' waits for an asynchronous access: one of Bulk, CpAsync, Tensor, Mma, Cp and "
                        "Wgmma stands in front of it",
                        edge.text));
      return;
    }
    if (mark.semantics && *mark.semantics != isa::Semantics::weak)
      refuse_at(mark.position, fmt::format("an asynchronous access has no order: '{}'", mark.text));
    const bool writes_alone = opaque(means_[i]) || means_[i] == Means::multicast;
    if (writes_alone && directions_[i] == Direction::read)
      refuse_at(mark.position, fmt::format("'{}' is of a write, and this access is a read", mark.text));
    if (edge.link == Link::tensor && edge.word == "commit" && !opaque(means_[i]))
      refuse_at(edge.position,
                fmt::format("'{}' commits a tcgen05.mma or tcgen05.cp: Mma or Cp stands in front of it",
                            edge.text));
    if (mark.alias && in_tensor(means_[i]))
      refuse_at(mark.position, "a location in tensor memory has one name");
    if (means_[i] == Means::wgmma) check_operand(i);
    for (const Edge* end : {&before(i), &edge})
      if (end->link == Link::atomic || end->link == Link::dependency)
        refuse_at(end->position,
                  fmt::format("'{}' is of ld, st and atom, and an access of it is asynchronous", end->text));
  }

  /// It is in shared memory, and what is multiplied is known for each value of the location.
  void check_operand(std::size_t i) const {
    const Position& at = cycle_.marks[i].position;
    if (directions_[i] == Direction::write)
      refuse_at(at, fmt::format("'{}' is of a read, and this access is a write", cycle_.marks[i].text));
    if (cycle_.marks[i].alias) refuse_at(at, "an operand of wgmma has one name");
    bool words = false, bulks = false;
    for (std::size_t other = 0; other < count_; ++other) {
      if (locations_[other] != locations_[i] || directions_[other] == Direction::read) continue;
      const bool bulk = means_[other] == Means::bulk || means_[other] == Means::multicast;
      (bulk ? bulks : words) = true;
    }
    if (words && bulks)
      refuse_at(at, "of an operand of wgmma all writes are copies of 16 bytes, or none of them");
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
  bool in_space(std::size_t i) const { return copies(means_[i]) || means_[i] == Means::wgmma; }
  bool shared(std::size_t i) const {
    if (means_[i] == Means::wgmma) return true;
    return (directions_[i] == Direction::write) == (means_[i] != Means::bulk_group);
  }

  const Cycle& cycle_;
  const std::vector<Direction>& directions_;
  const std::vector<int>& locations_;
  const std::size_t count_;
  std::vector<Means> means_;
};

}  // namespace

std::vector<Means> means_of(const Cycle& cycle, const std::vector<Direction>& directions,
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

std::vector<Operation> wait_for(Means means, Direction direction, int object) {
  if (opaque(means)) return {barrier_end("tcgen05.commit", object), barrier_end("mbarrier.wait", object)};
  Operation o;
  o.kind = Kind::wait;
  if (means == Means::bulk_group)
    o.word = "cp.async.bulk.wait_group 0";
  else if (means == Means::cp_async)
    o.word = "cp.async.wait_all";
  else if (means == Means::wgmma)
    o.word = "wgmma.wait_group.sync.aligned 0";
  else
    o.word = direction == Direction::read ? "tcgen05.wait::ld.sync.aligned" : "tcgen05.wait::st.sync.aligned";
  return {o};
}

Operation tensor_fence(bool before) {
  Operation o;
  o.kind = Kind::proxy;
  o.word = before ? "tcgen05.fence::before_thread_sync" : "tcgen05.fence::after_thread_sync";
  return o;
}

}  // namespace ptxmc::generate
