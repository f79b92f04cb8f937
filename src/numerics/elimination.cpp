// SPDX-License-Identifier: BSD-3-Clause
#include "numerics/elimination.hpp"

#include <algorithm>

namespace cotangent::numerics {

namespace {

/// A tile and its operands fit into the registers.
#if defined(__AVX512F__)
template <class R>
constexpr int most = width_of<R> > native_width ? 2 : 4;
#else
template <class R>
constexpr int most = 2;
#endif

/// Rows of a matrix, one after the other at this distance.
template <class R>
struct Block {
  R* at;
  int stride;

  R* row(int i) const { return at + i * stride; }
};

template <class R, int I, int J>
using Tile = R[I][J];

enum class Order { forward, backward };

/// target - left right, over so many inner places, in this order. An entry's terms come in the same order
/// whatever the tiles' size, so that its bits don't depend on the processor's registers.
template <class R, int I, int J, Order order = Order::forward>
[[gnu::always_inline]] inline void load_remainder(const Block<R>& target, const Block<R>& left,
                                                  const Block<R>& right, int inner, Tile<R, I, J>& tile) {
#pragma GCC unroll 4
  for (int i = 0; i < I; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) tile[i][j] = target.row(i)[j];
  }
  for (int n = 0; n < inner; ++n) {
    const int q = order == Order::forward ? n : inner - 1 - n;
    const R* u = right.row(q);
#pragma GCC unroll 4
    for (int i = 0; i < I; ++i) {
      const R l = -left.row(i)[q];
#pragma GCC unroll 4
      for (int j = 0; j < J; ++j) tile[i][j] = fma(l, u[j], tile[i][j]);
    }
  }
}
template <class R, int I, int J>
[[gnu::always_inline]] inline void store(const Tile<R, I, J>& tile, const Block<R>& target) {
#pragma GCC unroll 4
  for (int i = 0; i < I; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) target.row(i)[j] = tile[i][j];
  }
}

/// On the diagonal: L (its diagonal is 1) and U, of whose diagonal the reciprocals are kept.
template <class R, int I>
void diagonal_tile(const Block<R>& target, const Block<R>& left, const Block<R>& above, int inner) {
  Tile<R, I, I> t;
  load_remainder<R, I, I>(target, left, above, inner, t);
#pragma GCC unroll 4
  for (int k = 0; k < I; ++k) {
    t[k][k] = R(1.0) / t[k][k];
#pragma GCC unroll 4
    for (int i = k + 1; i < I; ++i) {
      t[i][k] = t[i][k] * t[k][k];
#pragma GCC unroll 4
      for (int j = k + 1; j < I; ++j) t[i][j] = fma(-t[i][k], t[k][j], t[i][j]);
    }
  }
  store<R, I, I>(t, target);
}

/// Below the diagonal: X U = what is left.
template <class R, int I, int J>
void lower_tile(const Block<R>& target, const Block<R>& left, const Block<R>& above, const Block<R>& diagonal,
                int inner) {
  Tile<R, I, J> t;
  load_remainder<R, I, J>(target, left, above, inner, t);
#pragma GCC unroll 4
  for (int j = 0; j < J; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < I; ++i) {
#pragma GCC unroll 4
      for (int k = 0; k < j; ++k) t[i][j] = fma(-t[i][k], diagonal.row(k)[j], t[i][j]);
      t[i][j] = t[i][j] * diagonal.row(j)[j];
    }
  }
  store<R, I, J>(t, target);
}

/// Beside it, and of the right sides: L X = what is left.
template <class R, int I, int J>
void upper_tile(const Block<R>& target, const Block<R>& left, const Block<R>& above, const Block<R>& diagonal,
                int inner) {
  Tile<R, I, J> t;
  load_remainder<R, I, J>(target, left, above, inner, t);
#pragma GCC unroll 4
  for (int i = 1; i < I; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < i; ++k) {
#pragma GCC unroll 4
      for (int j = 0; j < J; ++j) t[i][j] = fma(-diagonal.row(i)[k], t[k][j], t[i][j]);
    }
  }
  store<R, I, J>(t, target);
}

/// U X = what is left of the right sides, from the last tile up; `right` are the solutions below.
template <class R, int I, int J>
void back_tile(const Block<R>& target, const Block<R>& left, const Block<R>& below, const Block<R>& diagonal,
               int inner) {
  Tile<R, I, J> t;
  load_remainder<R, I, J, Order::backward>(target, left, below, inner, t);
#pragma GCC unroll 4
  for (int i = I - 1; i >= 0; --i) {
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) {
#pragma GCC unroll 4
      for (int k = I - 1; k > i; --k) t[i][j] = fma(-diagonal.row(i)[k], t[k][j], t[i][j]);
      t[i][j] = t[i][j] * diagonal.row(i)[i];
    }
  }
  store<R, I, J>(t, target);
}

/// act.operator()<size>() for a size of 1 to `Most`.
template <int Most, class Act>
[[gnu::always_inline]] inline void with_size(int size, const Act& act) {
  if constexpr (Most > 1) {
    if (size < Most) return with_size<Most - 1>(size, act);
  }
  act.template operator()<Most>();
}
template <int Most, class Act>
[[gnu::always_inline]] inline void with_sizes(int rows, int columns, const Act& act) {
  with_size<Most>(
      rows, [&]<int I>() { with_size<Most>(columns, [&]<int J>() { act.template operator()<I, J>(); }); });
}

}  // namespace

template <class R>
void Elimination<R>::resize(int unknowns, int sides) {
  unknowns_ = unknowns;
  sides_ = sides;
  matrix_.resize(static_cast<std::size_t>(unknowns) * unknowns);
  right_.resize(static_cast<std::size_t>(unknowns) * sides);
}

template <class R>
void Elimination<R>::factorise() {
  constexpr int tile = most<R>;
  const int n = unknowns_;
  const auto block = [&](int i, int j) { return Block<R>{row(i) + j, n}; };
  for (int p = 0; p < n; p += tile) {
    const int size = std::min(tile, n - p);
    const Block<R> diagonal = block(p, p), left = block(p, 0), above = block(0, p);
    with_size<tile>(size, [&]<int I>() { diagonal_tile<R, I>(diagonal, left, above, p); });
    for (int i = p + tile; i < n; i += tile) {
      with_sizes<tile>(std::min(tile, n - i), size, [&]<int I, int J>() {
        lower_tile<R, I, J>(block(i, p), block(i, 0), above, diagonal, p);
        upper_tile<R, J, I>(block(p, i), left, block(0, i), diagonal, p);
      });
    }
  }
}

template <class R>
void Elimination<R>::solve() {
  factorise();
  constexpr int tile = most<R>;
  const int n = unknowns_;
  const auto block = [&](int i, int j) { return Block<R>{row(i) + j, n}; };
  const auto sides = [&](int i, int c) { return Block<R>{right(i) + c, sides_}; };
  for (int c = 0; c < sides_; c += tile) {
    const int columns = std::min(tile, sides_ - c);
    for (int p = 0; p < n; p += tile) {
      with_sizes<tile>(std::min(tile, n - p), columns, [&]<int I, int J>() {
        upper_tile<R, I, J>(sides(p, c), block(p, 0), sides(0, c), block(p, p), p);
      });
    }
    for (int p = (n - 1) / tile * tile; p >= 0; p -= tile) {
      const int below = std::min(p + tile, n);
      with_sizes<tile>(std::min(tile, n - p), columns, [&]<int I, int J>() {
        back_tile<R, I, J>(sides(p, c), block(p, below), sides(below, c), block(p, p), n - below);
      });
    }
  }
}

template class Elimination<double>;
template class Elimination<Lanes<native_width>>;
template class Elimination<Lanes<2 * native_width>>;

}  // namespace cotangent::numerics
