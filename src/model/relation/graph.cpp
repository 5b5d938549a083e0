// SPDX-License-Identifier: Apache-2.0
#include "model/relation/graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/strong_components.hpp>

namespace ptxmc::relation {

struct Graph::Implementation {
  explicit Implementation(std::size_t vertices) : graph(vertices) {}

  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                        boost::property<boost::edge_weight_t, std::uint32_t>>
      graph;
};

Graph::Graph(std::size_t vertices) : implementation_(std::make_unique<Implementation>(vertices)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

void Graph::add(std::size_t from, std::size_t to, std::uint32_t cost) {
  boost::add_edge(from, to, cost, implementation_->graph);
}

std::vector<std::size_t> Graph::components() const {
  std::vector<std::size_t> out(boost::num_vertices(implementation_->graph));
  boost::strong_components(implementation_->graph, out.data());
  return out;
}

Graph::Paths Graph::cheapest_from(std::size_t vertex) const {
  const std::size_t size = boost::num_vertices(implementation_->graph);
  Paths paths{std::vector<std::uint32_t>(size, kFar), std::vector<std::size_t>(size)};
  boost::dijkstra_shortest_paths(
      implementation_->graph, vertex,
      boost::distance_map(paths.distance.data()).predecessor_map(paths.previous.data()).distance_inf(kFar));
  return paths;
}

}  // namespace ptxmc::relation
