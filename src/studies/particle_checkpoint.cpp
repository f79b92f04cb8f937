#include "studies/particle_checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

using particles::Particle;

namespace {

constexpr std::int64_t chunk = 1024;  // particles in a slot

}  // namespace

std::int64_t ParticleCheckpoint::chunks() const {
  return (count_ + chunk - 1) / chunk;
}

int ParticleCheckpoint::lanes() const {
  return 2 * static_cast<int>((chunks() + parallel::size() - 1) / parallel::size() + 1);
}

std::int64_t ParticleCheckpoint::payload() const {
  const auto numbers = std::max<std::int64_t>(sizeof(Particle) / sizeof(double) * chunk, numbers_);
  return static_cast<std::int64_t>(sizeof(double)) * (2 + numbers);
}

std::vector<Particle> ParticleCheckpoint::gathered(const particles::Cloud& cloud) {
  std::vector<std::vector<Particle>> to(static_cast<std::size_t>(parallel::size()));
  for (int i = 0; i < cloud.own; ++i) {
    const Particle p = cloud.particle(i);
    to[static_cast<std::size_t>(p.id / chunk % parallel::size())].push_back(p);
  }
  auto mine = parallel::exchange(std::move(to));
  std::ranges::sort(mine, {}, &Particle::id);
  return mine;
}

void ParticleCheckpoint::write(io::CheckpointFile& file, std::int64_t step, const std::vector<Particle>& mine,
                               const std::vector<double>& whole) {
  const std::int64_t generation = generation_++ % 2;
  const auto put = [&](int lane, std::int64_t id, std::span<const std::byte> what) {
    const std::int64_t size = std::ssize(what);
    std::vector<std::byte> bytes(16 + what.size());
    std::memcpy(bytes.data(), &step, 8);
    std::memcpy(bytes.data() + 8, &size, 8);
    std::ranges::copy(what, bytes.begin() + 16);
    file.write(2 * lane + static_cast<int>(generation), 2 * id + generation, bytes);
  };
  int lane = 0;
  for (std::size_t i = 0; i < mine.size(); ++lane) {
    const std::int64_t number = mine[i].id / chunk;
    std::size_t end = i;
    while (end < mine.size() && mine[end].id / chunk == number) ++end;
    put(lane, number, std::as_bytes(std::span(mine).subspan(i, end - i)));
    i = end;
  }
  if (parallel::rank() == 0) put(lane, chunks(), std::as_bytes(std::span(whole)));
  file.sync();
}

std::optional<ParticleCheckpoint::State> ParticleCheckpoint::restored(
    const std::vector<io::CheckpointState>& carried) {
  std::map<std::int64_t, std::vector<const io::CheckpointState*>> by_step;
  for (const auto& state : carried) {
    std::int64_t step = 0;
    std::memcpy(&step, state.payload.data(), 8);
    by_step[step].push_back(&state);
  }
  for (auto at = by_step.rbegin(); at != by_step.rend(); ++at) {
    if (std::ssize(at->second) < chunks() + 1) continue;
    State found;
    found.step = at->first;
    for (const auto* state : at->second) {
      const std::int64_t number = state->id / 2;
      const std::span<const std::byte> what = std::span(state->payload).subspan(16);
      if (number == chunks()) {
        found.whole.resize(what.size() / sizeof(double));
        std::memcpy(found.whole.data(), what.data(), what.size());
      } else if (number % parallel::size() == parallel::rank()) {
        const std::size_t before = found.particles.size();
        found.particles.resize(before + what.size() / sizeof(Particle));
        std::memcpy(static_cast<void*>(found.particles.data() + before), what.data(), what.size());
      }
    }
    generation_ = (at->second.front()->id + 1) % 2;
    return found;
  }
  return std::nullopt;
}

}  // namespace cotangent::studies
