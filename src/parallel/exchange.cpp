// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/exchange.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mpi.h>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

namespace {

void checked(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw MpiError(std::string(call) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

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
  checked(MPI_Alltoall(to_each.data(), 1, MPI_INT64_T, from_each.data(), 1, MPI_INT64_T, MPI_COMM_WORLD),
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
  checked(MPI_Alltoallv(bytes, sent.data(), sent_from.data(), MPI_INT64_T, into, came.data(), came_to.data(),
                        MPI_INT64_T, MPI_COMM_WORLD),
          "MPI_Alltoallv");
}

std::vector<double> sums_in_turn(std::span<const double> rows, std::size_t width) {
  std::vector<double> sums(width, 0.0);
  constexpr int tag = 42;
  const int numbers = as_int(std::ssize(sums));
  if (rank() > 0)
    checked(MPI_Recv(sums.data(), numbers, MPI_DOUBLE, rank() - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
            "MPI_Recv");
  for (std::size_t k = 0; k < rows.size(); ++k) sums[k % width] += rows[k];
  if (rank() + 1 < size())
    checked(MPI_Send(sums.data(), numbers, MPI_DOUBLE, rank() + 1, tag, MPI_COMM_WORLD), "MPI_Send");
  if (!alone()) checked(MPI_Bcast(sums.data(), numbers, MPI_DOUBLE, size() - 1, MPI_COMM_WORLD), "MPI_Bcast");
  return sums;
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
  checked(MPI_Alltoall(out.data(), 1, MPI_INT64_T, in.data(), 1, MPI_INT64_T, MPI_COMM_WORLD),
          "MPI_Alltoall");
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
    checked(MPI_Irecv(into, as_int(numbers), MPI_DOUBLE, source.rank, tag, MPI_COMM_WORLD,
                      &t.requests.emplace_back()),
            "MPI_Irecv");
    into += numbers;
  }
  for (auto& target : t.to) {
    double* out = target.buffer.data();
    for (const std::int32_t row : target.rows)
      out = std::copy_n(from + std::int64_t{t.width} * row, t.width, out);
    checked(MPI_Isend(target.buffer.data(), as_int(std::ssize(target.buffer)), MPI_DOUBLE, target.rank, tag,
                      MPI_COMM_WORLD, &t.requests.emplace_back()),
            "MPI_Isend");
  }
}

void HaloPlan::finish() {
  if (!transfers_ || transfers_->requests.empty()) return;
  auto& requests = transfers_->requests;
  checked(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  requests.clear();
}

namespace {

/// Calls use(x) for each number of a column.
template <class Use>
void for_each(const Numbers& column, const Use& use) {
  std::array<double, 256> room;
  for (std::size_t first = 0; first < column.count; first += room.size()) {
    const auto piece = std::span(room).first(std::min(room.size(), column.count - first));
    column.work_out(first, piece);
    for (const double x : piece) use(x);
  }
}

}  // namespace

std::vector<double> reproducible_sums(std::span<const Numbers> columns) {
  constexpr std::size_t folds = 3;
  const std::size_t n = columns.size();
  std::vector<double> largest(n, 0.0);
  std::vector<std::int64_t> count(n);
  for (std::size_t c = 0; c < n; ++c) {
    count[c] = static_cast<std::int64_t>(columns[c].count);
    double most = 0;
    for_each(columns[c], [&](double x) { most = std::max(most, std::isfinite(x) ? std::abs(x) : HUGE_VAL); });
    largest[c] = most;
  }
  largest = maximum(std::move(largest));
  count = sum(std::move(count));
  std::vector<double> parts(n * folds, 0.0);
  for (std::size_t c = 0; c < n; ++c) {
    if (!(largest[c] > 0) || !std::isfinite(largest[c])) continue;
    // All multiples of one unit, and their sum less than 2^53 of these: every sum of them is exact.
    const double room = std::ldexp(1.0, std::ilogb(static_cast<double>(count[c] + 2)) + 2);
    std::array<double, folds> level{room * std::ldexp(1.0, std::ilogb(largest[c]) + 1)};
    for (std::size_t fold = 1; fold < folds; ++fold) level[fold] = level[fold - 1] * room * 0x1p-52;
    std::array<double, folds> part{};
    for_each(columns[c], [&](double rest) {
      for (std::size_t fold = 0; fold < folds; ++fold) {
        const double coarse = (rest + level[fold]) - level[fold];
        part[fold] += coarse;
        rest -= coarse;
      }
    });
    std::ranges::copy(part, parts.begin() + static_cast<std::ptrdiff_t>(c * folds));
  }
  parts = sum(std::move(parts));
  std::vector<double> result(n);
  for (std::size_t c = 0; c < n; ++c) {
    const double* part = parts.data() + c * folds;
    result[c] =
        std::isfinite(largest[c]) ? part[0] + (part[1] + part[2]) : std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

std::vector<double> reproducible_sums(std::span<const std::span<const double>> columns) {
  std::vector<Numbers> numbers;
  for (const auto column : columns)
    numbers.push_back({column.size(), [column](std::size_t first, std::span<double> into) {
                         std::ranges::copy(column.subspan(first, into.size()), into.begin());
                       }});
  return reproducible_sums(numbers);
}

}  // namespace cotangent::parallel
