// SPDX-License-Identifier: BSD-3-Clause
#include "numerics/decompositions.hpp"

#include <Eigen/Dense>

namespace cotangent::numerics {

ExtendedDense dense(const ExtendedMatrix& m) {
  ExtendedDense result(m.rows, m.columns);
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) result(i, j) = m(i, j);
  }
  return result;
}

ExtendedEigenpairs eigenpairs(const ExtendedDense& square) {
  const Eigen::EigenSolver<ExtendedDense> solver(square);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
Eigen::Matrix<std::complex<Extended>, Eigen::Dynamic, 1> eigenvalues(const ExtendedDense& square) {
  return Eigen::EigenSolver<ExtendedDense>(square, false).eigenvalues();
}
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& square) {
  return square.eigenvalues();
}

double determinant(const Eigen::MatrixXd& square) {
  return square.determinant();
}
ExtendedDense inverse(const ExtendedDense& square) {
  return square.inverse();
}
ExtendedColumn solve(const ExtendedDense& square, const ExtendedColumn& right) {
  return square.partialPivLu().solve(right);
}
Eigen::VectorXd solve(const Eigen::MatrixXd& square, const Eigen::VectorXd& right) {
  return square.partialPivLu().solve(right);
}
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& right, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(threshold);
  return solver.compute(a).solve(right);
}
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& right) {
  return a.colPivHouseholderQr().solve(right);
}

Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& a) {
  return a.householderQr().householderQ();
}
Eigen::MatrixXd right_singular_vectors(const Eigen::MatrixXd& a) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(a, Eigen::ComputeFullV).matrixV();
}

}  // namespace cotangent::numerics
