// SPDX-License-Identifier: MIT
#ifndef SVEN_SOLVE_SURVEY_H_
#define SVEN_SOLVE_SURVEY_H_

#include <vector>

#include "scaled_columns.h"
#include "sven/solve/solve.h"

namespace sven::solve {

// What there is to know of a place before a step: the gradient, how long the
// columns of M are, and which parameters are held by their bounds.
template <class T>
class Survey {
 public:
  // Looks at the system where MoveTo has taken it. Bounds must be valid.
  void Look(System<T>& system, std::span<const T> theta,
            const Bounds<T>& bounds);

  // The conditions, without the columns of parameters that are held.
  [[nodiscard]] core::Linearization<T>& Conditions() { return *conditions_; }

  // Of all columns: their norms, or if M is large its largest singular value.
  [[nodiscard]] std::span<const double> Norms() const { return norms_; }
  // Their norms, or if M is large estimates, within a factor of two or three.
  [[nodiscard]] std::span<const double> Sizes() const { return sizes_; }
  // Whether parameter i stays where it is: at a bound, or without a condition
  // that depends on it.
  [[nodiscard]] bool Holds(std::size_t i) const {
    return free_[i] == 0 || norms_[i] == 0;
  }
  // "the derivative of condition 3 in parameter 0 is nan", or empty.
  [[nodiscard]] std::string NonFiniteEntry(const System<T>& system) const;
  [[nodiscard]] double Largest() const { return largest_; }
  // M is small enough for its singular values.
  [[nodiscard]] bool Dense() const { return dense_; }
  // The largest cosine between R and a column that may move.
  [[nodiscard]] double Gradient() const { return gradient_; }
  // |R_a| <= 4 eps sum_i |M_ai theta_i| for every condition a: what is left is
  // rounding. If M is large the same of |R| and the sizes of the columns.
  [[nodiscard]] bool Met() const { return met_; }

 private:
  void Hold(std::span<const T> theta, const Bounds<T>& bounds);
  void LookAtEntries(System<T>& system, std::span<const T> theta);
  void EstimateSizes(core::Linearization<T>& conditions);
  void EstimateLargest(core::Linearization<T>& conditions);

  AlignedVector<T> g_;          // M^T R / |R|
  std::vector<double> free_;    // 1, or 0 if held
  std::vector<double> norms_;   // N
  std::vector<double> sizes_;   // N
  AlignedVector<T> direction_;  // close to the first singular vector
  std::vector<double> image_;   // B
  AlignedVector<T> probe_;      // N
  MatrixBuffer<double> M_;
  ScaledColumns<T> held_;
  core::Linearization<T>* conditions_ = nullptr;
  double largest_ = 0;
  double gradient_ = 0;
  bool looked_at_ = false;  // M_ is that of this place
  bool dense_ = false;
  bool met_ = false;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_SURVEY_H_
