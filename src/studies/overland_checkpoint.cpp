#include "studies/overland_checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

namespace {
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t progress_numbers = sizeof(overland::Progress) / sizeof(double);
}  // namespace

VertexRows::VertexRows(const overland::Mesh& mesh) : mesh_(mesh) {
  std::vector<std::vector<std::int64_t>> to(static_cast<std::size_t>(parallel::size()));
  to[0].assign(mesh.id.begin(), mesh.id.begin() + mesh.own);
  order_ = parallel::exchange(std::move(to));
}

std::vector<double> VertexRows::gathered(const std::vector<double>& values, std::size_t width) const {
  std::vector<std::vector<double>> to(static_cast<std::size_t>(parallel::size()));
  to[0].assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width) * mesh_.own);
  const auto came = parallel::exchange(std::move(to));
  std::vector<double> rows(came.size());
  for (std::size_t k = 0; k < order_.size(); ++k)
    std::copy_n(&came[k * width], width, &rows[static_cast<std::size_t>(order_[k]) * width]);
  return rows;
}

std::int64_t overland_state_bytes(std::int64_t vertices) {
  return static_cast<std::int64_t>(sizeof(double)) *
         (2 + static_cast<std::int64_t>(progress_numbers) + 5 * vertices +
          overland::most_earlier * (1 + 3 * vertices));
}

std::vector<double> overland_state(std::int64_t sample, const overland::Flow& flow, const VertexRows& rows) {
  const overland::Water& water = flow.water();
  std::vector<double> state(2 + progress_numbers);
  state[0] = static_cast<double>(sample);
  state[1] = water.time;
  std::memcpy(state.data() + 2, &flow.progress(), sizeof(overland::Progress));
  for (const auto& [values, width] :
       {std::pair{&water.depth, 1}, {&water.discharge, 2}, {&water.soaked, 1}}) {
    const auto all = rows.gathered(*values, static_cast<std::size_t>(width));
    state.insert(state.end(), all.begin(), all.end());
  }
  const auto rate =
      rows.gathered(water.rate.empty() ? std::vector<double>(water.depth.size(), 0.0) : water.rate, 1);
  state.insert(state.end(), rate.begin(), rate.end());
  for (std::size_t k = 0; k < std::size_t{overland::most_earlier}; ++k) {
    const overland::Earlier one = k < water.earlier.size() ? water.earlier[k] : overland::Earlier{};
    state.push_back(k < water.earlier.size() ? one.time : nan);
    for (const auto& [values, width] : {std::pair{&one.depth, 1}, {&one.discharge, 2}}) {
      const std::size_t size = static_cast<std::size_t>(width) * water.depth.size();
      const auto all = rows.gathered(values->empty() ? std::vector<double>(size, 0.0) : *values,
                                     static_cast<std::size_t>(width));
      state.insert(state.end(), all.begin(), all.end());
    }
  }
  return state;
}

std::int64_t restore_overland(std::span<const std::byte> bytes, const overland::Mesh& mesh,
                              overland::Flow& flow) {
  std::vector<double> state(bytes.size() / sizeof(double));
  std::memcpy(state.data(), bytes.data(), state.size() * sizeof(double));
  const std::int64_t vertices = mesh.all_vertices;
  overland::Progress progress;
  std::memcpy(static_cast<void*>(&progress), bytes.subspan(2 * sizeof(double)).data(), sizeof progress);
  overland::Water water;
  water.time = state[1];
  const double* field = state.data() + 2 + progress_numbers;
  for (const auto& [values, width] :
       {std::pair{&water.depth, 1}, {&water.discharge, 2}, {&water.soaked, 1}, {&water.rate, 1}}) {
    for (const std::int64_t id : mesh.id)
      values->insert(values->end(), field + id * width, field + (id + 1) * width);
    field += width * vertices;
  }
  for (std::int64_t k = 0; k < overland::most_earlier; ++k, field += 3 * vertices) {
    overland::Earlier one;
    one.time = *field++;
    if (std::isnan(one.time)) break;
    for (const std::int64_t id : mesh.id) {
      const double* discharge = field + vertices + 2 * id;
      one.depth.push_back(field[id]);
      one.discharge.insert(one.discharge.end(), discharge, discharge + 2);
    }
    water.earlier.push_back(std::move(one));
  }
  flow.restore(std::move(water), progress);
  return static_cast<std::int64_t>(state[0]);
}

}  // namespace cotangent::studies
