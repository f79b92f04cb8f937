// SPDX-License-Identifier: BSD-3-Clause
// Motion on surfaces, t = 0 and t = 5, computed with 40 to 60 digits and rounded to double: see ORIGIN.md.
#pragma once

#include <array>

namespace cotangent::reference {

/// A start and where it is at t = 5.
struct SurfaceStates {
  std::array<double, 3> q, v, q_end, v_end;
};

/// Lemniscate with r = 1/6, gravity 1, from the top in the direction 0.7.
inline constexpr SurfaceStates genus2_gravity{
    {0.0, 0.0, 0.16666666666666666},
    {0.7648421872844884, 0.644217687237691, 0.0},
    {-0.2715151223674199, -0.23596641990890346, 0.16666162936211434},
    {0.7493975809669942, 0.6621275040971438, -0.0007131395436928837}};

/// Torus with R = 1, r = 0.4, no force.
inline constexpr SurfaceStates torus_geodesic{{1.4, 0.0, 0.0},
                                              {0.0, 0.7648421872844884, 0.644217687237691},
                                              {-1.2139302515663242, -0.6720703696633169, -0.0990057514273247},
                                              {0.23606130295929442, -0.751385224874587, 0.6161942105256478}};

/// Sphere of radius 1, gravity 1: the spherical pendulum; velocities at the end aren't known.
inline constexpr SurfaceStates spherical_pendulum{{0.8414709848078965, 0.0, -0.5403023058681398},
                                                  {0.0, 0.7, 0.0},
                                                  {.53142864908204, -.22696090749575, -.81613254891809},
                                                  {}};

}  // namespace cotangent::reference
