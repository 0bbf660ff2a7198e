// SPDX-License-Identifier: MIT
//
// The largest eigenvalues of a positive semi-definite matrix by randomised
// subspace iteration: O(n^2 (k + p)) instead of O(n^3). Halko, Martinsson and
// Tropp, "Finding structure with randomness", SIAM Review 53 (2011),
// algorithms 4.4 and 5.3; the paper's "random projections".
#ifndef SVEN_LINALG_RANDOMISED_EIGEN_H_
#define SVEN_LINALG_RANDOMISED_EIGEN_H_

#include <span>
#include <vector>

#include "sven/base/fields.h"
#include "sven/base/random.h"
#include "sven/linalg/types.h"

namespace sven::linalg {

struct RandomisedEigenOptions {
  // Directions drawn in excess of k; the paper's p.
  Index oversampling = 5;
  // Further multiplications by K, each of which sharpens the subspace by the
  // ratio of the eigenvalues; the paper's q.
  Index power_iterations = 1;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"oversampling",
                "extra directions of the randomised road",
                {.low = 0}},
          self.oversampling);
    visit(Field{"power_iterations",
                "power iterations of the randomised road",
                {.low = 0}},
          self.power_iterations);
  }
};

class RandomisedEigen {
 public:
  // Reads the lower triangle of K (n x n). Keeps min(k, n) pairs. False for NaN
  // or infinite entries.
  [[nodiscard]] bool Factor(const ConstMatrixView<double>& K, Index k,
                            const RandomisedEigenOptions& options,
                            RandomStream& random);

  // Descending; min(k, n) of them.
  [[nodiscard]] std::span<const double> Eigenvalues() const {
    return eigenvalues_;
  }

  // coefficients = U^T b and b = U coefficients, with U (n x k) orthonormal.
  void ToEigenbasis(std::span<const double> b,
                    std::span<double> coefficients) const;
  void FromEigenbasis(std::span<const double> coefficients,
                      std::span<double> b) const;

 private:
  void Orthonormalise();

  Matrix<double> full_;   // K, both triangles
  Matrix<double> basis_;  // row i: the i-th direction, length n
  Matrix<double> image_;  // the same multiplied by K
  Matrix<double> small_;  // basis K basis^T
  Matrix<double> ritz_;   // its kept eigenvectors, one per row
  Matrix<double> vectors_;
  std::vector<double> all_eigenvalues_;
  std::vector<double> eigenvalues_;
  std::vector<double> tau_;
  std::vector<double> work_;
};

}  // namespace sven::linalg

#endif  // SVEN_LINALG_RANDOMISED_EIGEN_H_
