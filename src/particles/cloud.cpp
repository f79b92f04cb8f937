#include "particles/cloud.hpp"

#include <algorithm>

namespace cotangent::particles {

Particle Cloud::particle(int row) const {
  const auto i = static_cast<std::size_t>(row);
  Particle p;
  p.id = id[i];
  for (std::size_t n = 0; n < 3; ++n) {
    p.q[n] = position[4 * i + n];
    p.v[n] = velocity[n][i];
    p.start[n] = start[n][i];
  }
  p.multiplier = multiplier[i];
  p.status = status[i];
  return p;
}

void Cloud::assign(const std::vector<Particle>& particles) {
  own = static_cast<int>(particles.size());
  padded = (own + unit - 1) / unit * unit;
  ghosts = 0;
  const auto size = static_cast<std::size_t>(padded);
  for (std::size_t n = 0; n < 3; ++n) {
    velocity[n].assign(size, 0.0);
    start[n].assign(size, 0.0);
  }
  multiplier.assign(size, 0.0);
  id.assign(size, -1);
  status.assign(size, static_cast<std::int32_t>(Status::finished));
  position.assign(4 * (size + 1), far_away);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Particle& p = particles[i];
    id[i] = p.id;
    for (std::size_t n = 0; n < 3; ++n) {
      position[4 * i + n] = p.q[n];
      velocity[n][i] = p.v[n];
      start[n][i] = p.start[n];
    }
    multiplier[i] = p.multiplier;
    status[i] = static_cast<std::int32_t>(p.status);
  }
  next = position;
}

void Cloud::expect_ghosts(int count) {
  ghosts = count;
  const std::size_t rows = 4 * static_cast<std::size_t>(padded + count + 1);
  position.resize(rows);
  std::fill(position.end() - 4, position.end(), far_away);
  next.resize(rows);
  std::fill(next.end() - 4, next.end(), far_away);
}

}  // namespace cotangent::particles
