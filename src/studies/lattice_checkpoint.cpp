#include "studies/lattice_checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "parallel/mpi.hpp"

namespace cotangent::studies {

namespace {
constexpr std::int64_t chunk = 1024;  // sites in a slot
constexpr std::int64_t head = 3;      // numbers that say what a slot holds: step, first site, how many
}  // namespace

int LatticeCheckpoint::lanes() const {
  const std::int64_t most = (sites_ + parallel::size() - 1) / parallel::size();
  return 2 * static_cast<int>((most + chunk - 1) / chunk + 1);
}

std::int64_t LatticeCheckpoint::payload() const {
  return static_cast<std::int64_t>(sizeof(double)) * std::max<std::int64_t>(head + chunk * components_, 64);
}

void LatticeCheckpoint::write(io::CheckpointFile& file, std::int64_t step,
                              const std::vector<double*>& components, const std::vector<double>& common) {
  const std::int64_t generation = generation_++ % 2;
  int lane = 0;
  const auto put = [&](std::int64_t first, std::int64_t count, const std::vector<double>& what) {
    std::vector<double> slot{static_cast<double>(step), static_cast<double>(first),
                             static_cast<double>(count)};
    slot.insert(slot.end(), what.begin(), what.end());
    const std::int64_t id = 2 * (count == 0 ? sites_ : first) + generation;
    file.write(2 * lane++ + static_cast<int>(generation), id, std::as_bytes(std::span(slot)));
  };
  for (std::int64_t at = 0; at < range_.own; at += chunk) {
    const std::int64_t count = std::min(chunk, range_.own - at);
    std::vector<double> what;
    for (const double* component : components)
      what.insert(what.end(), component + at, component + at + count);
    put(range_.first + at, count, what);
  }
  if (parallel::rank() == 0) put(0, 0, common);
  file.sync();
}

std::optional<LatticeCheckpoint::State> LatticeCheckpoint::restored(
    const std::vector<io::CheckpointState>& carried) {
  std::map<std::int64_t, std::pair<std::int64_t, State>> by_step;  // an id of each, and what was found
  for (const auto& state : carried) {
    std::vector<double> slot(state.payload.size() / sizeof(double));
    std::memcpy(slot.data(), state.payload.data(), slot.size() * sizeof(double));
    auto& [id, found] = by_step[static_cast<std::int64_t>(slot.at(0))];
    id = state.id;
    if (slot.at(2) == 0)
      found.common.assign(slot.begin() + head, slot.end());
    else
      found.runs.push_back(std::move(slot));
  }
  for (auto at = by_step.rbegin(); at != by_step.rend(); ++at) {
    auto& [id, found] = at->second;
    std::int64_t sites = 0;
    for (const auto& run : found.runs) sites += static_cast<std::int64_t>(run[2]);
    if (sites < sites_ || found.common.empty()) continue;
    found.step = at->first;
    generation_ = (id + 1) % 2;
    return std::move(found);
  }
  return std::nullopt;
}

void LatticeCheckpoint::read(const State& state, const std::vector<double*>& components) const {
  for (const auto& run : state.runs) {
    const auto first = static_cast<std::int64_t>(run[1]), count = static_cast<std::int64_t>(run[2]);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = first + i - range_.first;
      if (place < 0 || place >= range_.own) continue;
      for (std::size_t c = 0; c < components.size(); ++c)
        components[c][place] = run[static_cast<std::size_t>(head + static_cast<std::int64_t>(c) * count + i)];
    }
  }
}

}  // namespace cotangent::studies
