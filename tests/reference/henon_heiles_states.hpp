// SPDX-License-Identifier: BSD-3-Clause
// States of one Henon-Heiles orbit, (q1, q2, q1', q2') = (0, -0.1, 0.3783906541, 0) at t = 0, E = 1/13
// (V. P. Chan, The design, implementation, and applications of a novel numerical solver: the Lagrangian
// solver (master's thesis, OIST, 2018), (3.50)). Computed by Taylor series of high order with 40 and with
// 60 digits, which agree to 5e-35, from right-hand sides derived by hand.
#pragma once

#include <array>

namespace cotangent::reference {

struct HenonHeilesState {
  double time;
  std::array<double, 4> state;  ///< q1, q2, q1', q2'
};

inline constexpr std::array<double, 4> henon_heiles_start{0.0, -0.1, 0.3783906541, 0.0};
inline constexpr std::array<HenonHeilesState, 7> henon_heiles_states{
    {{1.0, {0.32827452459601053, -0.060480358792405015, 0.22942072796887342, 0.05174930199448882}},
     {2.0, {0.38752657656590056, -0.05424211286476857, -0.1208113858982103, -0.048136609220353434}},
     {5.0, {-0.40328940574974803, -0.030811212844906725, -0.006544815839327353, 0.01464784347319139}},
     {10.0, {0.02380329882835202, -0.12525783699960624, -0.3689850498023094, 0.016487816759870932}},
     {20.0, {0.016581846863066043, -0.06852622729110318, 0.3808131720520264, -0.06066167056470391}},
     {50.0, {0.19127893285844164, -0.14678565292467247, -0.16250762700774513, 0.27917093938056}},
     {100.0, {0.04351018170884624, 0.37356475550264506, 0.06986541472188716, -0.20214086149833227}}}};

}  // namespace cotangent::reference
