// SPDX-License-Identifier: MIT
#include "sven/data/polynomial.h"

#include <fmt/format.h>

#include "sven/base/error.h"

namespace sven::data {
namespace {

// The number of monomials in n variables up to `degree`, the binomial
// coefficient (n + degree) over degree; the limit + 1 if it is more.
Index CountMonomials(Index n, Index degree) {
  constexpr Index kTooMany = kMaxPolynomialTerms + 1;
  if (n >= kMaxPolynomialTerms) return kTooMany;
  Index count = 1;
  for (Index d = 1; d <= degree; ++d) {
    count = count * (n + d) / d;  // (n + d) over d; no overflow: both < 2^21
    if (count > kMaxPolynomialTerms) return kTooMany;
  }
  return count;
}

void CheckSizes(PolynomialForm form, Index dimension, Index degree) {
  const std::string what = fmt::format(
      "polynomial of dimension = {}, degree = "
      "{}",
      dimension, degree);
  if (dimension < 1) {
    throw UsageError(what + ": must satisfy dimension >= 1");
  }
  if (!kPolynomialDegrees.Contains(static_cast<double>(degree))) {
    throw UsageError(what + ": must satisfy " +
                     kPolynomialDegrees.Describe("degree"));
  }
  if (form == PolynomialForm::kAdditive && (dimension < 2 || degree < 2)) {
    throw UsageError(what + ": has no terms in the additive form; must " +
                     "satisfy dimension >= 2 and degree >= 2");
  }
  if (CountMonomials(dimension, degree) > kMaxPolynomialTerms) {
    throw UsageError(fmt::format("{}: more than {} terms; lower one of the two",
                                 what, kMaxPolynomialTerms));
  }
}

}  // namespace

RandomPolynomial::RandomPolynomial(PolynomialForm form, Index dimension,
                                   Index degree, RandomStream& random)
    : form_(form), dimension_(dimension) {
  CheckSizes(form, dimension, degree);
  ListMonomials(degree);
  ListTerms(form);
  coefficients_.resize(terms_.size());
  for (double& coefficient : coefficients_) coefficient = random.Normal();
  if (form == PolynomialForm::kAdditive) CollectPowers(degree);
}

void RandomPolynomial::ListMonomials(Index degree) {
  monomials_.reserve(
      static_cast<std::size_t>(CountMonomials(dimension_, degree)));
  monomials_.push_back({.parent = -1, .variable = 0});
  Index begin = 0;  // of the last degree
  for (Index d = 1; d <= degree; ++d) {
    const Index end = std::ssize(monomials_);
    for (Index parent = begin; parent < end; ++parent) {
      for (Index v = monomials_[parent].variable; v < dimension_; ++v) {
        monomials_.push_back({.parent = parent, .variable = v});
      }
    }
    begin = end;
  }
}

void RandomPolynomial::ListTerms(PolynomialForm form) {
  for (Index m = 0; m < std::ssize(monomials_); ++m) {
    if (form == PolynomialForm::kProducts || !IsPurePower(m)) {
      terms_.push_back(m);
    }
  }
}

// Whether one variable has all of the degree, as it has where there is none.
// The variables of a monomial ascend, so the first and the last one tell.
bool RandomPolynomial::IsPurePower(Index monomial) const {
  const Index last = monomials_[monomial].variable;
  Index first = last;
  for (Index m = monomial; m > 0; m = monomials_[m].parent) {
    first = monomials_[m].variable;
  }
  return first == last;
}

std::vector<Index> RandomPolynomial::Exponents(Index term) const {
  std::vector<Index> exponents(static_cast<std::size_t>(dimension_), 0);
  for (Index m = terms_[term]; m > 0; m = monomials_[m].parent) {
    ++exponents[monomials_[m].variable];
  }
  return exponents;
}

// a_ip = sum of the c_d with d_i = p, and a_0 = sum_d c_d (1 + number of zeros
// in d).
void RandomPolynomial::CollectPowers(Index degree) {
  powers_.setZero(dimension_, degree);
  for (Index t = 0; t < NumTerms(); ++t) {
    const double c = coefficients_[t];
    Index zeros = dimension_;
    for (Index m = terms_[t]; m > 0;) {
      const Index variable = monomials_[m].variable;
      Index exponent = 0;
      for (; m > 0 && monomials_[m].variable == variable;
           m = monomials_[m].parent) {
        ++exponent;
      }
      powers_(variable, exponent) += c;
      --zeros;
    }
    constant_ += c * static_cast<double>(1 + zeros);
  }
}

void RandomPolynomial::Evaluate(const ConstMatrixView<double>& x,
                                std::span<double> y) const {
  Check(x.cols() == dimension_ && std::ssize(y) == x.rows(),
        "a column per variable, and a value per row");
  if (form_ == PolynomialForm::kProducts) {
    EvaluateProducts(x, y);
  } else {
    EvaluateAdditive(x, y);
  }
}

// One product per monomial, from those of lower degree.
void RandomPolynomial::EvaluateProducts(const ConstMatrixView<double>& x,
                                        std::span<double> y) const {
  std::vector<double> values(monomials_.size());
  values[0] = 1;
  for (Index a = 0; a < x.rows(); ++a) {
    double sum = coefficients_[0];
    for (std::size_t m = 1; m < monomials_.size(); ++m) {
      const auto [parent, variable] = monomials_[m];
      values[m] = values[parent] * x(a, variable);
      sum += coefficients_[m] * values[m];
    }
    y[a] = sum;
  }
}

void RandomPolynomial::EvaluateAdditive(const ConstMatrixView<double>& x,
                                        std::span<double> y) const {
  for (Index a = 0; a < x.rows(); ++a) {
    y[a] = constant_;
    for (Index i = 0; i < dimension_; ++i) {
      double power = 1;
      for (Index p = 1; p < powers_.cols(); ++p) {
        power *= x(a, i);
        y[a] += powers_(i, p) * power;
      }
    }
  }
}

}  // namespace sven::data
