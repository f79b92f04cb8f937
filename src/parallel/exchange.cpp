// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/exchange.hpp"

#include <algorithm>
#include <limits>
#include <mpi.h>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

namespace {

bool alone() {
  return size() == 1;
}

/// MPI counts are 32 bits wide; counted in units of eight bytes, a message may have 16 GB.
constexpr std::int64_t unit = 8;

int as_int(std::int64_t x) {
  if (x > std::numeric_limits<int>::max()) throw MpiError("too much for one message: more ranks would do");
  return static_cast<int>(x);
}

}  // namespace

std::vector<std::int64_t> detail::coming(std::span<const std::int64_t> to_each) {
  std::vector<std::int64_t> from_each(to_each.size());
  check(MPI_Alltoall(to_each.data(), 1, MPI_INT64_T, from_each.data(), 1, MPI_INT64_T, MPI_COMM_WORLD),
        "MPI_Alltoall");
  return from_each;
}

void detail::exchange(const std::byte* bytes, std::span<const std::int64_t> to_each,
                      std::span<const std::int64_t> from_each, std::byte* into) {
  const std::size_t ranks = to_each.size();
  std::vector<int> sent(ranks), sent_from(ranks), came(ranks), came_to(ranks);
  std::int64_t out = 0, in = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    sent[r] = as_int(to_each[r] / unit);
    came[r] = as_int(from_each[r] / unit);
    sent_from[r] = as_int(out / unit);
    came_to[r] = as_int(in / unit);
    out += to_each[r];
    in += from_each[r];
  }
  check(MPI_Alltoallv(bytes, sent.data(), sent_from.data(), MPI_INT64_T, into, came.data(), came_to.data(),
                      MPI_INT64_T, MPI_COMM_WORLD),
        "MPI_Alltoallv");
}

struct HaloPlan::Transfers {
  struct To {
    int rank;
    std::vector<std::int32_t> rows;
    std::vector<double> buffer;
  };
  struct From {
    int rank;
    std::int64_t rows;
  };
  int width = 0;
  std::vector<To> to;
  std::vector<From> from;
  std::vector<MPI_Request> requests;
};

HaloPlan::HaloPlan() = default;
HaloPlan::~HaloPlan() {
  if (transfers_ && !transfers_->requests.empty()) finish();
}
HaloPlan::HaloPlan(HaloPlan&&) noexcept = default;
HaloPlan& HaloPlan::operator=(HaloPlan&&) noexcept = default;

HaloPlan::HaloPlan(const std::vector<std::vector<std::int32_t>>& rows, int width)
    : transfers_(std::make_unique<Transfers>()) {
  transfers_->width = width;
  if (alone()) return;
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<std::int64_t> out(ranks), in(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r] = std::ssize(rows[r]);
    if (out[r] > 0)
      transfers_->to.push_back({static_cast<int>(r), rows[r],
                                std::vector<double>(rows[r].size() * static_cast<std::size_t>(width))});
  }
  check(MPI_Alltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, MPI_COMM_WORLD), "MPI_Alltoall");
  for (std::size_t r = 0; r < ranks; ++r) {
    if (in[r] > 0) transfers_->from.push_back({static_cast<int>(r), in[r]});
  }
}

int HaloPlan::incoming() const {
  std::int64_t sum = 0;
  if (transfers_) {
    for (const auto& from : transfers_->from) sum += from.rows;
  }
  return as_int(sum);
}

int HaloPlan::outgoing() const {
  std::int64_t sum = 0;
  if (transfers_) {
    for (const auto& to : transfers_->to) sum += std::ssize(to.rows);
  }
  return as_int(sum);
}

void HaloPlan::start(const double* from, double* into) {
  if (!transfers_) return;
  Transfers& t = *transfers_;
  constexpr int tag = 41;
  for (const auto& source : t.from) {
    const std::int64_t numbers = source.rows * t.width;
    check(MPI_Irecv(into, as_int(numbers), MPI_DOUBLE, source.rank, tag, MPI_COMM_WORLD,
                    &t.requests.emplace_back()),
          "MPI_Irecv");
    into += numbers;
  }
  for (auto& target : t.to) {
    double* out = target.buffer.data();
    for (const std::int32_t row : target.rows)
      out = std::copy_n(from + std::int64_t{t.width} * row, t.width, out);
    check(MPI_Isend(target.buffer.data(), as_int(std::ssize(target.buffer)), MPI_DOUBLE, target.rank, tag,
                    MPI_COMM_WORLD, &t.requests.emplace_back()),
          "MPI_Isend");
  }
}

void HaloPlan::finish() {
  if (!transfers_ || transfers_->requests.empty()) return;
  auto& requests = transfers_->requests;
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  requests.clear();
}

}  // namespace cotangent::parallel
