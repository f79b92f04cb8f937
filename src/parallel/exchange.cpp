// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/exchange.hpp"

#include <algorithm>
#include <limits>
#include <mpi.h>
#include <numeric>
#include <string>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

namespace {

bool alone() {
  return size() == 1;
}

/// MPI counts are 32 bits wide; counted in units of eight bytes, a message may have 16 GB.
constexpr std::int64_t unit = 8;

int as_int(std::int64_t x) {
  constexpr int most = std::numeric_limits<int>::max();
  if (x > most)
    throw MpiError("too much for one message: " + std::to_string(x) + " numbers, at most " +
                   std::to_string(most) + "; more ranks would do");
  return static_cast<int>(x);
}

/// All other ranks, each beginning behind itself, so that not all send to the same at once.
std::vector<int> others() {
  const int me = rank(), ranks = size();
  std::vector<int> result;
  for (int k = 1; k < ranks; ++k) result.push_back((me + k) % ranks);
  return result;
}

}  // namespace

/// By consensus without blocking: who has something for another sends its size, synchronously; whose sizes
/// have all arrived enters a barrier, and goes on listening until all are in it. So a rank hears of those
/// alone that have something for it, and no call takes a number from every rank. Reference: Hoefler, Siebert,
/// Lumsdaine, Scalable communication protocols for dynamic sparse data exchange (2010), algorithm 2.
std::vector<std::int64_t> detail::coming(std::span<const std::int64_t> to_each) {
  // Who leaves the barrier first may begin the next exchange while another still listens, but not the one
  // after.
  static bool odd = false;
  odd = !odd;
  const int tag = odd ? 42 : 43;
  std::vector<std::int64_t> from_each(to_each.size());
  std::vector<MPI_Request> sizes;
  for (const int other : others()) {
    const std::int64_t& size = to_each[static_cast<std::size_t>(other)];
    if (size > 0)
      check(MPI_Issend(&size, 1, MPI_INT64_T, other, tag, MPI_COMM_WORLD, &sizes.emplace_back()),
            "MPI_Issend");
  }
  const auto me = static_cast<std::size_t>(rank());
  from_each[me] = to_each[me];
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (int all_in = 0, here = 0; !all_in;) {
    MPI_Status of;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &here, &of), "MPI_Iprobe");
    if (here) {
      check(MPI_Recv(&from_each[static_cast<std::size_t>(of.MPI_SOURCE)], 1, MPI_INT64_T, of.MPI_SOURCE, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE),
            "MPI_Recv");
    } else if (barrier != MPI_REQUEST_NULL) {
      check(MPI_Test(&barrier, &all_in, MPI_STATUS_IGNORE), "MPI_Test");
    } else {
      int arrived = 0;
      check(MPI_Testall(as_int(std::ssize(sizes)), sizes.data(), &arrived, MPI_STATUSES_IGNORE),
            "MPI_Testall");
      if (arrived) check(MPI_Ibarrier(MPI_COMM_WORLD, &barrier), "MPI_Ibarrier");
    }
  }
  return from_each;
}

void detail::exchange(const std::byte* bytes, std::span<const std::int64_t> to_each,
                      std::span<const std::int64_t> from_each, std::byte* into) {
  constexpr int tag = 44;
  const auto places = [](std::span<const std::int64_t> sizes) {
    std::vector<std::int64_t> result(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), result.begin(), std::int64_t{0});
    return result;
  };
  const std::vector<std::int64_t> from = places(to_each), to = places(from_each);
  std::vector<MPI_Request> requests;
  for (const int other : others()) {
    const auto r = static_cast<std::size_t>(other);
    if (from_each[r] > 0)
      check(MPI_Irecv(into + to[r], as_int(from_each[r] / unit), MPI_INT64_T, other, tag, MPI_COMM_WORLD,
                      &requests.emplace_back()),
            "MPI_Irecv");
    if (to_each[r] > 0)
      check(MPI_Isend(bytes + from[r], as_int(to_each[r] / unit), MPI_INT64_T, other, tag, MPI_COMM_WORLD,
                      &requests.emplace_back()),
            "MPI_Isend");
  }
  const auto me = static_cast<std::size_t>(rank());
  std::copy_n(bytes + from[me], to_each[me], into + to[me]);
  check(MPI_Waitall(as_int(std::ssize(requests)), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
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
  std::vector<std::int64_t> out(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r] = std::ssize(rows[r]);
    if (out[r] > 0)
      transfers_->to.push_back({static_cast<int>(r), rows[r],
                                std::vector<double>(rows[r].size() * static_cast<std::size_t>(width))});
  }
  const std::vector<std::int64_t> in = detail::coming(out);
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
