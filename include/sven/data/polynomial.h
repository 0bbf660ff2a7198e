// SPDX-License-Identifier: MIT
//
// Random polynomials in n variables with standard normal coefficients c_d, in
// two forms:
//
//   products   f(x) = sum_d c_d x_1^d_1 ... x_n^d_n, over all exponents d with
//              d_1 + ... + d_n <= degree; (n + degree)! / (n! degree!) terms
//   additive   f(x) = sum_d c_d (1 + x_1^d_1 + ... + x_n^d_n), with x^0 = 1,
//              over the same exponents but for those that have d_i = d_1 + ...
//              + d_n for some i: the constant, the linear terms and the pure
//              powers are not among them
//
// The first is the polynomial that the paper describes; the second is what its
// published code computes and its figures show. For six variables and degree
// four they have 210 and 185 terms. The second has no mixed terms: it comes to
//
//   a_0 + sum_i sum_{p=1}^{degree-1} a_ip x_i^p.
#ifndef SVEN_DATA_POLYNOMIAL_H_
#define SVEN_DATA_POLYNOMIAL_H_

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/fields.h"
#include "sven/base/random.h"
#include "sven/linalg/types.h"

namespace sven::data {

enum class PolynomialForm { kProducts, kAdditive };

// A normal number of RandomStream is below 8.6, so up to this degree and number
// of terms every value is finite, in float too.
inline constexpr Range kPolynomialDegrees = {.low = 1, .high = 32};
inline constexpr Index kMaxPolynomialTerms = 1'000'000;

class RandomPolynomial {
 public:
  // Draws the coefficients, those of lower degree first. Throws a UsageError
  // for a degree outside of the range, for more terms than the limit, and for
  // an additive form without terms (one variable, or degree 1).
  RandomPolynomial(PolynomialForm form, Index dimension, Index degree,
                   RandomStream& random);

  [[nodiscard]] Index NumTerms() const { return std::ssize(terms_); }
  [[nodiscard]] double Coefficient(Index term) const {
    return coefficients_[static_cast<std::size_t>(term)];
  }
  // d_1 ... d_n
  [[nodiscard]] std::vector<Index> Exponents(Index term) const;

  // y_a = f(x_a) for every row of `x`, which has a column per variable.
  void Evaluate(const ConstMatrixView<double>& x, std::span<double> y) const;

 private:
  // A monomial is another one, of a degree less, times a variable that is not
  // before any of its variables. The first is 1, and has neither.
  struct Monomial {
    Index parent;
    Index variable;
  };

  void ListMonomials(Index degree);
  void ListTerms(PolynomialForm form);
  void CollectPowers(Index degree);
  [[nodiscard]] bool IsPurePower(Index monomial) const;
  void EvaluateProducts(const ConstMatrixView<double>& x,
                        std::span<double> y) const;
  void EvaluateAdditive(const ConstMatrixView<double>& x,
                        std::span<double> y) const;

  PolynomialForm form_;
  Index dimension_;
  std::vector<Monomial> monomials_;  // by degree
  std::vector<Index> terms_;         // which of them are terms
  std::vector<double> coefficients_;
  double constant_ = 0;    // a_0 of the additive form
  Matrix<double> powers_;  // a_ip of it, dimension x degree
};

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::PolynomialForm> {
  static constexpr std::pair<std::string_view, data::PolynomialForm> kTable[] =
      {
          {"products", data::PolynomialForm::kProducts},
          {"additive", data::PolynomialForm::kAdditive},
      };
};

#endif  // SVEN_DATA_POLYNOMIAL_H_
