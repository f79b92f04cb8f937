// SPDX-License-Identifier: BSD-3-Clause
#include "la/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace cotangent::la {

namespace {

constexpr std::size_t entries = 9, padded = 12;

/// A column of a block; its fourth number has no meaning.
using Column [[gnu::vector_size(32)]] = double;

void read(Column& to, const double* from) {
  std::memcpy(&to, from, sizeof to);
}
void write(const Column& from, double* to) {
  std::memcpy(to, &from, sizeof from);
}

struct Block {
  Column column[3];
  /// From columns of four in `from`.
  void load_padded(const double* from) {
    for (int c = 0; c < 3; ++c) read(column[c], from + 4 * c);
  }
  /// To columns of three; writes one number beyond.
  void store_packed(double* to) const {
    for (int c = 0; c < 3; ++c) write(column[c], to + 3 * c);
  }
};

/// a b, of b by its nine entries.
void multiply(const Block& a, const double* b, Block& product) {
  for (int c = 0; c < 3; ++c)
    product.column[c] = a.column[0] * b[3 * c] + a.column[1] * b[3 * c + 1] + a.column[2] * b[3 * c + 2];
}

/// The inverse of a block of padded columns, by cofactors. False where it is singular.
bool invert(const double* a, double* to) {
  const auto minor = [&](int i, int j, int k, int l) {
    return a[4 * j + i] * a[4 * l + k] - a[4 * l + i] * a[4 * j + k];
  };
  const double first[3] = {minor(1, 1, 2, 2), minor(1, 2, 2, 0), minor(1, 0, 2, 1)};
  const double determinant = a[0] * first[0] + a[4] * first[1] + a[8] * first[2];
  if (determinant == 0 || !std::isfinite(determinant)) return false;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      to[3 * j + i] = minor((j + 1) % 3, (i + 1) % 3, (j + 2) % 3, (i + 2) % 3) / determinant;
  }
  return true;
}

}  // namespace

BlockLU::BlockLU(std::span<const int> begin, std::span<const int> column, std::span<const int> order)
    : begin_(begin.begin(), begin.end()),
      column_(column.begin(), column.end()),
      order_(order.begin(), order.end()),
      rank_(order.size()) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) rank_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
  first_ = {0};
  for (std::size_t k = 0; k < n; ++k) {
    const auto row = static_cast<std::size_t>(order_[k]);
    std::set<int> places;
    for (int at = begin_[row]; at < begin_[row + 1]; ++at)
      places.insert(rank_[static_cast<std::size_t>(column_[static_cast<std::size_t>(at)])]);
    // What is above the diagonal in the rows subtracted fills this one; the set grows as it is read.
    auto next = places.begin();
    for (; *next < static_cast<int>(k); ++next) {
      const auto above = static_cast<std::size_t>(*next);
      places.insert(place_.begin() + middle_[above], place_.begin() + first_[above + 1]);
    }
    place_.insert(place_.end(), places.begin(), next);
    middle_.push_back(static_cast<int>(place_.size()));
    place_.insert(place_.end(), std::next(next), places.end());
    first_.push_back(static_cast<int>(place_.size()));
  }
  entry_.assign(entries * place_.size() + 1, 0.0);
  inverse_.assign(entries * n + 1, 0.0);
  row_.assign(padded * n, 0.0);
  x_.assign(4 * n, 0.0);
}

void BlockLU::load(std::size_t row, const double* values, const std::vector<char>& free) {
  for (auto at = static_cast<std::size_t>(begin_[row]); at < static_cast<std::size_t>(begin_[row + 1]);
       ++at) {
    const auto column = static_cast<std::size_t>(column_[at]);
    double* to = &row_[padded * static_cast<std::size_t>(rank_[column])];
    for (std::size_t e = 0; e < entries; ++e) {
      const std::size_t i = e % block, j = e / block;
      to[4 * j + i] = free[block * row + i] ? values[entries * at + e] : column == row && i == j ? 1.0 : 0.0;
    }
  }
}

bool BlockLU::factorise(const double* values, const std::vector<char>& free) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (int at = first_[k]; at < first_[k + 1]; ++at)
      std::fill_n(&row_[padded * static_cast<std::size_t>(place_[static_cast<std::size_t>(at)])], padded,
                  0.0);
    load(static_cast<std::size_t>(order_[k]), values, free);
    for (auto at = static_cast<std::size_t>(first_[k]); at < static_cast<std::size_t>(middle_[k]); ++at) {
      const auto above = static_cast<std::size_t>(place_[at]);
      Block here, factor;
      here.load_padded(&row_[padded * above]);
      multiply(here, &inverse_[entries * above], factor);
      factor.store_packed(&entry_[entries * at]);
      const int* place = place_.data() + middle_[above];
      const int* const end = place_.data() + first_[above + 1];
      const double* u = &entry_[entries * static_cast<std::size_t>(middle_[above])];
      double* const row = row_.data();
      for (; place != end; ++place, u += entries) {
        double* const to = row + padded * static_cast<std::size_t>(*place);
        for (int c = 0; c < 3; ++c) {
          Column sum;
          read(sum, to + 4 * c);
          sum -= factor.column[0] * u[3 * c];
          sum -= factor.column[1] * u[3 * c + 1];
          sum -= factor.column[2] * u[3 * c + 2];
          write(sum, to + 4 * c);
        }
      }
    }
    if (!invert(&row_[padded * k], &inverse_[entries * k])) return false;
    for (auto at = static_cast<std::size_t>(middle_[k]); at < static_cast<std::size_t>(first_[k + 1]); ++at) {
      Block here;
      here.load_padded(&row_[padded * static_cast<std::size_t>(place_[at])]);
      here.store_packed(&entry_[entries * at]);
    }
  }
  return true;
}

void BlockLU::solve(const double* b, double* x) {
  const std::size_t n = order_.size();
  const int* const places = place_.data();
  double* const all = x_.data();
  // Less the entries from..to of a row times x.
  const auto subtract = [&](Column* sum, int from, int to) {
    const int* const end = places + to;
    const double* m = &entry_[entries * static_cast<std::size_t>(from)];
    for (const int* place = places + from; place != end; ++place, m += entries) {
      const double* y = all + 4 * static_cast<std::size_t>(*place);
      for (int c = 0; c < 3; ++c) {
        Column column;
        read(column, m + 3 * c);
        sum[c] -= column * y[c];
      }
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    const double* from = b + block * order_[k];
    Column sum[3] = {{from[0], from[1], from[2], 0}, {}, {}};
    subtract(sum, first_[k], middle_[k]);
    write(sum[0] + sum[1] + sum[2], &x_[4 * k]);
  }
  for (std::size_t k = n; k-- > 0;) {
    Column sum[3] = {{}, {}, {}};
    read(sum[0], &x_[4 * k]);
    subtract(sum, middle_[k], first_[k + 1]);
    const Column rest = sum[0] + sum[1] + sum[2];
    Column result = {};
    for (int c = 0; c < 3; ++c) {
      Column column;
      read(column, &inverse_[entries * k + 3 * static_cast<std::size_t>(c)]);
      result += column * rest[c];
    }
    write(result, &x_[4 * k]);
    std::copy_n(&x_[4 * k], block, x + block * order_[k]);
  }
}

}  // namespace cotangent::la
