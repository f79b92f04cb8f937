// The checkpoint of study = "overland": one state, of a sample's time, by the vertices' ids on rank 0, so
// that a run goes on on any number of ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "overland/flow.hpp"

namespace cotangent::studies {

/// Numbers of all vertices, collected on rank 0, which writes.
class VertexRows {
 public:
  /// Rank 0 learns which vertices the ranks will send, in which order. Of a mesh that outlives it.
  /// Collective.
  explicit VertexRows(const overland::Mesh& mesh);
  /// Rows of so many numbers, of all vertices by id on rank 0; nothing elsewhere. Collective.
  std::vector<double> gathered(const std::vector<double>& values, std::size_t width) const;

 private:
  const overland::Mesh& mesh_;
  std::vector<std::int64_t> order_;
};

/// The bytes of a state on so many vertices.
std::int64_t overland_state_bytes(std::int64_t vertices);
/// The state after so many samples, on rank 0. Collective.
std::vector<double> overland_state(std::int64_t sample, const overland::Flow& flow, const VertexRows& rows);
/// Takes it over; returns its sample.
std::int64_t restore_overland(std::span<const std::byte> bytes, const overland::Mesh& mesh,
                              overland::Flow& flow);

}  // namespace cotangent::studies
