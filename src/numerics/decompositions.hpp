// SPDX-License-Identifier: BSD-3-Clause
// Decompositions of small dense matrices by Eigen, compiled once: its headers take as long with each use.
#pragma once

#include <Eigen/Core>
#include <complex>

#include "numerics/polynomials.hpp"

namespace cotangent::numerics {

using ExtendedDense = Eigen::Matrix<Extended, Eigen::Dynamic, Eigen::Dynamic>;
using ExtendedColumn = Eigen::Matrix<Extended, Eigen::Dynamic, 1>;

ExtendedDense dense(const ExtendedMatrix& m);

/// Eigenvalues, and as the columns of `vectors` their eigenvectors, of unit length.
struct ExtendedEigenpairs {
  Eigen::Matrix<std::complex<Extended>, Eigen::Dynamic, 1> values;
  Eigen::Matrix<std::complex<Extended>, Eigen::Dynamic, Eigen::Dynamic> vectors;
};
ExtendedEigenpairs eigenpairs(const ExtendedDense& square);
/// Eigenvalues alone, in no order.
Eigen::Matrix<std::complex<Extended>, Eigen::Dynamic, 1> eigenvalues(const ExtendedDense& square);
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& square);

double determinant(const Eigen::MatrixXd& square);
ExtendedDense inverse(const ExtendedDense& square);
/// x of square x = right, by partial pivoting.
ExtendedColumn solve(const ExtendedDense& square, const ExtendedColumn& right);
Eigen::VectorXd solve(const Eigen::MatrixXd& square, const Eigen::VectorXd& right);
/// The shortest x with the smallest |a x - right|; what is below the threshold, of the largest pivot, counts
/// as zero.
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& right, double threshold);
/// x with the smallest |a x - right|, where a has full rank: by column pivoting.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& right);

/// An orthonormal basis whose first columns span those of a.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& a);
/// All right singular vectors as columns, those of the smallest singular values last.
Eigen::MatrixXd right_singular_vectors(const Eigen::MatrixXd& a);

}  // namespace cotangent::numerics
