// SPDX-License-Identifier: BSD-3-Clause
#include "particles/particle_arrays.hpp"

#include <algorithm>

namespace cotangent::particles {

namespace {

/// A column's rows of so many numbers, in another order; the column and the room change places.
template <std::size_t width, class Column>
void put_in_order(Column& column, std::span<const std::int32_t> rows, Column& room) {
  room.resize(width * rows.size());
  auto to = room.begin();
  for (const std::int32_t row : rows)
    to = std::copy_n(column.begin() + width * static_cast<std::ptrdiff_t>(row), width, to);
  std::swap(column, room);
}

}  // namespace

Particle ParticleArrays::particle(int row) const {
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

void ParticleArrays::put(int row, const Particle& p) {
  const auto i = static_cast<std::size_t>(row);
  id[i] = p.id;
  for (std::size_t n = 0; n < 3; ++n) {
    position[4 * i + n] = p.q[n];
    velocity[n][i] = p.v[n];
    start[n][i] = p.start[n];
  }
  multiplier[i] = p.multiplier;
  status[i] = static_cast<std::int32_t>(p.status);
}

void ParticleArrays::resize(int rows) {
  const auto size = static_cast<std::size_t>(rows);
  position.resize(4 * size, far_away);
  for (std::size_t n = 0; n < 3; ++n) {
    velocity[n].resize(size, 0.0);
    start[n].resize(size, 0.0);
  }
  multiplier.resize(size, 0.0);
  id.resize(size, -1);
  status.resize(size, static_cast<std::int32_t>(Status::finished));
}

void ParticleArrays::assign(const std::vector<Particle>& particles) {
  resize(0);
  resize(static_cast<int>(particles.size()));
  for (int i = 0; i < static_cast<int>(particles.size()); ++i) put(i, particles[static_cast<std::size_t>(i)]);
  fill_up(static_cast<int>(particles.size()));
}

void ParticleArrays::fill_up(int count) {
  own = count;
  padded = (own + unit - 1) / unit * unit;
  resize(padded);
  expect_ghosts(0);
  next = position;
}

void ParticleArrays::arrange(std::span<const std::int32_t> rows, const std::vector<Particle>& come) {
  resize(own);
  resize(own + static_cast<int>(come.size()));
  for (int k = 0; k < static_cast<int>(come.size()); ++k) put(own + k, come[static_cast<std::size_t>(k)]);
  put_in_order<4>(position, rows, next);
  numerics::AlignedVector<double> room;
  for (std::size_t n = 0; n < 3; ++n) {
    put_in_order<1>(velocity[n], rows, room);
    put_in_order<1>(start[n], rows, room);
  }
  put_in_order<1>(multiplier, rows, room);
  std::vector<std::int64_t> names;
  put_in_order<1>(id, rows, names);
  std::vector<std::int32_t> statuses;
  put_in_order<1>(status, rows, statuses);
  fill_up(static_cast<int>(rows.size()));
}

void ParticleArrays::expect_ghosts(int count) {
  ghosts = count;
  const std::size_t rows = 4 * static_cast<std::size_t>(padded + count + 1);
  position.resize(rows);
  std::fill(position.end() - 4, position.end(), far_away);
  next.resize(rows);
  std::fill(next.end() - 4, next.end(), far_away);
}

}  // namespace cotangent::particles
