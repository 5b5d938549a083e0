// SPDX-License-Identifier: Apache-2.0
#include "input/record/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/demangle.h"

namespace ptxmc::record {

namespace {

constexpr std::size_t kMostOfSequence = 16;  // launches

}  // namespace

Process::Process(const RecordOptions& options, Writing& writing, std::uint64_t session)
    : session_(session),
      options_(options),
      writing_(writing),
      folders_(options.ptx_folders, options.ptx_caches),
      memory_(options.contents) {}

Module* Process::module(std::uint64_t number) {
  return number >= 1 && number <= modules_.size() ? modules_[number - 1].get() : nullptr;
}

std::optional<std::string> Process::handle(Kind kind, Reader message) {
  switch (kind) {
    case Kind::hello:
    case Kind::load:
    case Kind::describe_kernel:
    case Kind::describe_variable:
    case Kind::list_kernels:
    case Kind::look:
      return answer(kind, message);
    case Kind::variable:
    case Kind::allocate:
    case Kind::release:
    case Kind::share:
    case Kind::write:
    case Kind::fill:
    case Kind::forget:
      change_memory(kind, message);
      return std::nullopt;
    case Kind::tensor_map: {
      Map map{std::string(message.text()), {}};
      map.call.read(message);
      map_of_bytes_[map.bytes] = maps_.size();
      maps_.push_back(std::move(map));
      return std::nullopt;
    }
    case Kind::launch: {
      LaunchCall call;
      call.read(message);
      launch(call);
      return std::nullopt;
    }
    case Kind::seen: {
      const std::uint64_t address = message.number();
      looked_.see(memory_, address, message.text());
      return std::nullopt;
    }
    case Kind::forget_all:
      memory_.forget_everything();
      end();
      return std::nullopt;
    case Kind::trouble:
      writing_.trouble(std::string(message.text()));
      return std::nullopt;
    case Kind::reply:
      break;
  }
  throw BadMessage();
}

std::string Process::answer(Kind kind, Reader& message) {
  Writer reply;
  if (kind == Kind::hello) {
    reply.text(options_.forward_to);
    for (const unsigned number : {options_.major, options_.minor, options_.multiprocessors})
      reply.number(number);
    reply.number(session_);
    return reply.bytes();
  }
  if (kind == Kind::load) {
    modules_.push_back(std::make_unique<Module>(modules_.size() + 1, std::string(message.text())));
    reply.number(modules_.size());
    return reply.bytes();
  }
  if (kind == Kind::look) return look(message);
  Module* of = module(message.number());
  if (of == nullptr) throw BadMessage();
  if (kind == Kind::describe_kernel) return describe(*of, std::string(message.text()));
  of->read(options_.architecture(), folders_);
  if (kind == Kind::describe_variable) {
    const auto bytes = of->variable_bytes(std::string(message.text()));
    reply.number(bytes ? 1 : 0);
    reply.number(bytes.value_or(0));
    return reply.bytes();
  }
  const auto names = of->kernels();
  reply.number(names.size());
  for (const std::string& name : names) reply.text(name);
  return reply.bytes();
}

void Process::change_memory(Kind kind, Reader& message) {
  if (kind == Kind::variable) {
    const std::uint64_t of = message.number();
    const std::string name(message.text());
    const std::uint64_t address = message.number(), bytes = message.number();
    if (!variables_.emplace(std::pair(of, name), address).second) return;
    Allocation& made = memory_.allocate(address, bytes);
    made.module = of;
    made.variable = name;
    return;
  }
  const std::uint64_t address = message.number();
  if (kind == Kind::allocate) {
    memory_.allocate(address, message.number());
    return;
  }
  disturb(address);
  if (kind == Kind::share) {
    if (Allocation* allocation = memory_.find(address)) allocation->shared = true;
    return;
  }
  if (kind == Kind::release) memory_.release(address);
  if (kind == Kind::write) memory_.write(address, message.text());
  if (kind == Kind::fill) memory_.fill(address, message.number());
  if (kind == Kind::forget) memory_.forget(address, message.number());
}

std::string Process::describe(Module& module, const std::string& name) {
  Writer reply;
  const KernelFacts* facts = module.read(options_.architecture(), folders_) ? module.kernel(name) : nullptr;
  std::vector<std::uint64_t> offsets, bytes;
  if (facts != nullptr) {
    for (const Parameter& parameter : facts->parameters) {
      offsets.push_back(parameter.offset);
      bytes.push_back(parameter.bytes);
    }
  } else {
    writing_.leave_out(name,
                       module.why().empty() ? "the module's PTX has no kernel of that name" : module.why());
  }
  if (facts != nullptr && !module.found_by_name().empty())
    writing_.trouble(fmt::format(
        "the PTX of `{}` is that of {}: its kernels have the same names, and nothing else was compared",
        demangled(name), module.found_by_name()));
  reply.number(facts != nullptr ? 1 : 0);
  reply.numbers(offsets);
  reply.numbers(bytes);
  reply.number(facts != nullptr ? facts->shared : 0);
  return reply.bytes();
}

std::string Process::look(Reader& message) {
  const bool first = message.number() == 0;
  LaunchCall call;
  call.read(message);
  Module* of = module(call.module);
  const KernelFacts* facts = of == nullptr ? nullptr : of->kernel(call.kernel);
  if (facts == nullptr) throw BadMessage();
  if (first) {
    looked_.start();
    for (const Parameter& parameter : facts->parameters) {
      if (parameter.offset + parameter.bytes > call.parameters.size()) throw BadMessage();
      for (std::size_t at = 0; at + kWord <= parameter.bytes; at += kWord) {
        if (parameter.read[at]) looked_.follow(word_at(call.parameters, parameter.offset + at, kWord));
      }
    }
  }
  std::vector<std::uint64_t> places;
  for (const AccessedBytes::Window& window : looked_.wanted(memory_))
    places.insert(places.end(), {window.address, window.bytes});
  Writer reply;
  reply.numbers(places);
  return reply.bytes();
}

// ---- Launches -------------------------------------------------------------------------------------------------

void Process::launch(const LaunchCall& call) {
  Module* of = module(call.module);
  const KernelFacts* facts = of == nullptr ? nullptr : of->kernel(call.kernel);
  if (facts == nullptr) throw BadMessage();
  for (const auto* sides : {&call.grid, &call.block}) {
    if (sides->size() != 3) throw BadMessage();
  }
  auto scene = scene_of(call, *of, *facts);
  // A kernel may write what it reaches; nothing is known of what it reaches by addresses in unknown memory.
  of->touched.insert(facts->variables.begin(), facts->variables.end());
  looked_.start();
  if (!scene) {  // it may write anywhere
    memory_.forget_everything();
    return end();
  }
  writing_.add({*scene}, of->text());
  if (call.in_graph != 0) return;
  disturb(*scene);
  add_to_sequence(std::move(*scene));
}

std::optional<Scene> Process::scene_of(const LaunchCall& call, Module& module, const KernelFacts& facts) {
  Scene scene;
  scene.module = module.number();
  scene.call = call;
  for (const Parameter& parameter : facts.parameters) {
    if (parameter.offset + parameter.bytes > call.parameters.size()) throw BadMessage();
    auto one = argument(parameter, call, scene);
    if (!one) return std::nullopt;
    scene.arguments.push_back(std::move(*one));
  }
  add_variables(facts, module, scene);
  if (call.in_graph != 0) scene.forget_contents();  // what there is when the graph runs is not known
  std::vector<std::uint64_t> reached;
  for (const auto& [number, buffer] : scene.buffers) reached.push_back(number);
  memory_.forget_all(reached);
  return scene;
}

// ---- Sequences ------------------------------------------------------------------------------------------------

void Process::add_to_sequence(Scene scene) {
  const std::uint64_t stream = scene.call.stream;
  // It is not known between which launches writers outside write.
  if (std::any_of(scene.buffers.begin(), scene.buffers.end(),
                  [](const auto& one) { return one.second.shared; }))
    return end_sequence(stream);
  std::vector<Scene>& open = sequences_[stream];
  if (!open.empty() && (open.back().module != scene.module || open.size() == kMostOfSequence))
    end_sequence(stream);
  sequences_[stream].push_back(std::move(scene));
}

void Process::end_sequence(std::uint64_t stream) {
  const auto found = sequences_.find(stream);
  if (found == sequences_.end()) return;
  if (found->second.size() > 1) writing_.add(found->second, module(found->second.front().module)->text());
  sequences_.erase(found);
}

template <typename Predicate>
void Process::end_sequences(Predicate&& ends) {
  std::vector<std::uint64_t> ended;
  for (const auto& [stream, scenes] : sequences_) {
    if (ends(stream, scenes)) ended.push_back(stream);
  }
  for (const std::uint64_t stream : ended) end_sequence(stream);
}

void Process::disturb(std::uint64_t address) {
  const Allocation* allocation = memory_.find(address);
  if (allocation == nullptr) return;
  end_sequences([&](std::uint64_t /*stream*/, const std::vector<Scene>& scenes) {
    return std::any_of(scenes.begin(), scenes.end(), [&](const Scene& scene) {
      return scene.buffers.contains(allocation->number) || scene.variables.contains(allocation->variable) ||
             allocation->module == scene.module;
    });
  });
}

void Process::disturb(const Scene& scene) {
  const auto shares = [](const auto& a, const auto& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& one) { return b.contains(one.first); });
  };
  end_sequences([&](std::uint64_t stream, const std::vector<Scene>& scenes) {
    return stream != scene.call.stream && std::any_of(scenes.begin(), scenes.end(), [&](const Scene& other) {
             return shares(scene.buffers, other.buffers) || shares(scene.variables, other.variables);
           });
  });
}

void Process::end() {
  while (!sequences_.empty()) end_sequence(sequences_.begin()->first);
}

}  // namespace ptxmc::record
