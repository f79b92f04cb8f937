// SPDX-License-Identifier: BSD-3-Clause
// What a run of study = "overland" stores: the mesh, samples, frames and the checkpoint's fields, each rank
// those of the vertices that it owns, by their ids.
#pragma once

#include "overland/flow.hpp"
#include "run/evolution.hpp"
#include "studies/overland/deck.hpp"

namespace cotangent::studies {

std::vector<io::DataSetSpec> overland_data_sets(const OverlandPlan& plan);

/// Vertices, cells, bed and conveyance. Collective, as all below.
void write_landscape(run::Records& records, const overland::Landscape& landscape);
/// All that is known of the water at this sample; `balance` is its error of the ledger.
void write_sample(run::Records& records, std::int64_t row, const overland::Flow& flow, double balance);
void write_frame(run::Records& records, std::int64_t row, const overland::Mesh& mesh,
                 const overland::Water& water);
/// NaN from this sample on.
void blank_overland_rows(run::Records& records, const OverlandPlan& plan, std::int64_t known);

/// What the end says; `balance` is the worst error of the ledger in the samples.
std::vector<run::Line> overland_summary(const OverlandPlan& plan, const overland::Flow& flow, Status status,
                                        double balance);
/// The water and what the run tells of itself, written to a state or read from it.
void visit_water(run::StateFields& state, const overland::Mesh& mesh, overland::Water& water,
                 overland::Progress& progress);

}  // namespace cotangent::studies
