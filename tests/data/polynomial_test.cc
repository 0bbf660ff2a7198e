// SPDX-License-Identifier: MIT
#include "sven/data/polynomial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "sven/base/error.h"
#include "sven/data/tasks.h"

namespace sven::data::polynomial_test {
namespace {

using enum PolynomialForm;

RandomPolynomial Make(PolynomialForm form, Index dimension, Index degree,
                      std::uint64_t seed = 3) {
  RandomStream random(seed, RandomUse::kData);
  return {form, dimension, degree, random};
}

double At(const RandomPolynomial& polynomial, const std::vector<double>& x) {
  double y = 0;
  polynomial.Evaluate({x.data(), 1, std::ssize(x)}, {&y, 1});
  return y;
}

// The definitions, with std::pow.
double PlainValue(const RandomPolynomial& polynomial, PolynomialForm form,
                  const std::vector<double>& x) {
  double sum = 0;
  for (Index t = 0; t < polynomial.NumTerms(); ++t) {
    const std::vector<Index> exponents = polynomial.Exponents(t);
    double term = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double power = std::pow(x[i], double(exponents[i]));
      term = form == kProducts ? term * power : term + power;
    }
    sum += polynomial.Coefficient(t) * term;
  }
  return sum;
}

std::vector<double> NormalPoint(Index dimension, RandomStream& random) {
  std::vector<double> x(static_cast<std::size_t>(dimension));
  for (double& value : x) value = random.Normal();
  return x;
}

struct Case {
  PolynomialForm form;
  Index dimension;
  Index degree;
  Index terms;
};

class RandomPolynomials : public ::testing::TestWithParam<Case> {};

TEST_P(RandomPolynomials, HaveEveryTermOnce) {
  const auto [form, dimension, degree, terms] = GetParam();
  const RandomPolynomial polynomial = Make(form, dimension, degree);
  EXPECT_EQ(polynomial.NumTerms(), terms);
  std::set<std::vector<Index>> seen;
  for (Index t = 0; t < polynomial.NumTerms(); ++t) {
    const std::vector<Index> d = polynomial.Exponents(t);
    const Index total = std::accumulate(d.begin(), d.end(), Index{0});
    ASSERT_LE(total, degree);
    if (form == kAdditive) {
      for (const Index exponent : d) ASSERT_LT(exponent, total);
    }
    ASSERT_TRUE(seen.insert(d).second);
  }
}

TEST_P(RandomPolynomials, AreTheSumOfTheirTerms) {
  const auto [form, dimension, degree, terms] = GetParam();
  const RandomPolynomial polynomial = Make(form, dimension, degree);
  RandomStream random(11, RandomUse::kData);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> x = NormalPoint(dimension, random);
    const double expected = PlainValue(polynomial, form, x);
    // Rounding grows with the terms, not with their sum.
    double size = 1;
    for (const double value : x) size += std::pow(std::abs(value), degree);
    ASSERT_NEAR(At(polynomial, x), expected, 1e-12 * size * double(terms));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RandomPolynomials,
    ::testing::Values(Case{kProducts, 6, 4, 210}, Case{kAdditive, 6, 4, 185},
                      Case{kProducts, 1, 5, 6}, Case{kProducts, 5, 1, 6},
                      Case{kAdditive, 2, 2, 1}, Case{kAdditive, 3, 3, 10},
                      Case{kProducts, 2, 32, 561}));

// f(x + h e_i + k e_j) - f(x + h e_i) - f(x + k e_j) + f(x)
double MixedDifference(const RandomPolynomial& polynomial,
                       std::vector<double> x, std::size_t i, std::size_t j) {
  const double base = At(polynomial, x);
  x[i] += 0.5;
  const double first = At(polynomial, x);
  x[j] += 0.25;
  const double both = At(polynomial, x);
  x[i] -= 0.5;
  return both - first - At(polynomial, x) + base;
}

TEST(RandomPolynomial, OnlyTheAdditiveFormIsASumOverVariables) {
  const RandomPolynomial additive = Make(kAdditive, 6, 4);
  const RandomPolynomial products = Make(kProducts, 6, 4);
  const std::vector<double> x = {0.3, -1.1, 0.7, 1.4, -0.2, 0.9};
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(MixedDifference(additive, x, i, j), 0, 1e-10);
      largest = std::max(largest, std::abs(MixedDifference(products, x, i, j)));
    }
  }
  EXPECT_GT(largest, 0.1);
}

TEST(RandomPolynomial, CoefficientsAreStandardNormal) {
  const RandomPolynomial polynomial = Make(kProducts, 10, 6);  // 8008 terms
  double sum = 0;
  double squares = 0;
  for (Index t = 0; t < polynomial.NumTerms(); ++t) {
    sum += polynomial.Coefficient(t);
    squares += polynomial.Coefficient(t) * polynomial.Coefficient(t);
  }
  const auto n = double(polynomial.NumTerms());
  // Five standard deviations of the mean and of the mean square.
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
}

TEST(RandomPolynomial, AbsurdSizesAreRefused) {
  for (const auto& [dimension, degree] : {std::pair<Index, Index>{100, 30},
                                          {6, 33},
                                          {6, 0},
                                          {0, 4},
                                          {6, -1},
                                          {-3, 2},
                                          {1'000'000, 1},
                                          {Index{1} << 62, 2},
                                          {1413, 2}}) {
    EXPECT_THROW(Make(kProducts, dimension, degree), UsageError)
        << dimension << " " << degree;
  }
  EXPECT_EQ(Make(kProducts, 999'999, 1).NumTerms(), 1'000'000);
  EXPECT_THROW(Make(kAdditive, 1, 4), UsageError);
  EXPECT_THROW(Make(kAdditive, 6, 1), UsageError);
}

TEST(PolynomialTask, TargetsAreThePolynomialOfTheInputs) {
  for (const PolynomialForm form : {kProducts, kAdditive}) {
    const Task<double> task =
        MakePolynomial<double>({.form = form,
                                .train = 200,
                                .validation = 100,
                                .standardise = TaskStandardise::kNone});
    ASSERT_EQ(task.train.x.cols(), 6);
    const RandomPolynomial polynomial = Make(form, 6, 4, 57728);
    for (const auto* part : {&task.train, &task.validation}) {
      for (Index a = 0; a < part->Size(); ++a) {
        const std::vector<double> x(part->x.row(a).begin(),
                                    part->x.row(a).end());
        ASSERT_DOUBLE_EQ(part->y(a, 0), At(polynomial, x));
      }
    }
  }
}

TEST(PolynomialTask, StandardisationIsThatOfTheTrainingPart) {
  const auto make = [](TaskStandardise standardise) {
    return MakePolynomial<double>(
        {.train = 400, .validation = 100, .standardise = standardise});
  };
  const Task<double> raw = make(TaskStandardise::kNone);
  const Task<double> targets = make(TaskStandardise::kDefault);
  EXPECT_EQ(targets.train.x, raw.train.x);
  EXPECT_NEAR(targets.train.y.mean(), 0, 1e-13);
  EXPECT_NEAR(targets.train.y.squaredNorm() / 399, 1, 1e-12);
  const Scaling& scaling = targets.normalisation.targets;
  for (Index a = 0; a < 100; ++a) {
    ASSERT_NEAR(
        targets.validation.y(a, 0),
        (raw.validation.y(a, 0) - scaling.mean[0]) / scaling.deviation[0],
        1e-12);
  }
  const Task<double> inputs = make(TaskStandardise::kInputs);
  EXPECT_EQ(inputs.train.y, raw.train.y);
  EXPECT_EQ(inputs.normalisation.inputs.mean.size(), 6U);
  for (Index j = 0; j < 6; ++j) {
    EXPECT_NEAR(inputs.train.x.col(j).mean(), 0, 1e-13);
    EXPECT_NEAR(inputs.train.x.col(j).squaredNorm() / 399, 1, 1e-12);
  }
}

TEST(PolynomialTask, DefaultsAreThePapers) {
  const Task<float> task = MakePolynomial<float>();
  EXPECT_EQ(task.train.Size(), 10000);
  EXPECT_EQ(task.validation.Size(), 10000);
  EXPECT_TRUE(task.train.x.allFinite() && task.train.y.allFinite());
  // Standard normal inputs: five standard deviations of the estimates.
  EXPECT_NEAR(task.train.x.mean(), 0, 5 / std::sqrt(60000.0));
  EXPECT_NEAR(task.train.x.squaredNorm() / 60000, 1,
              5 * std::sqrt(2 / 60000.0));
}

TEST(PolynomialTask, TheSeedDecidesAndValidationSamplesAreOthers) {
  const auto make = [](std::uint64_t seed) {
    return MakePolynomial<double>(
        {.train = 100, .validation = 100, .seed = seed});
  };
  EXPECT_EQ(make(1).train.x, make(1).train.x);
  EXPECT_EQ(make(1).validation.y, make(1).validation.y);
  EXPECT_NE(make(1).train.x, make(2).train.x);
  const Task<double> task = make(1);
  for (Index a = 0; a < 100; ++a) {
    ASSERT_EQ((task.train.x.col(0).array() == task.validation.x(a, 0)).count(),
              0);
  }
}

TEST(PolynomialTask, FloatsAreTheDoublesRounded) {
  const PolynomialOptions options{
      .form = kAdditive, .train = 50, .validation = 20};
  const Task<double> wide = MakePolynomial<double>(options);
  const Task<float> task = MakePolynomial<float>(options);
  EXPECT_EQ(task.train.x, wide.train.x.cast<float>());
  EXPECT_EQ(task.validation.y, wide.validation.y.cast<float>());
}

TEST(PolynomialTask, ValuesAreFiniteInFloatAtTheLargestDegree) {
  const Task<float> task =
      MakePolynomial<float>({.dimension = 4,
                             .degree = 32,
                             .train = 100,
                             .validation = 1,
                             .standardise = TaskStandardise::kNone});
  EXPECT_TRUE(task.train.y.allFinite());
}

TEST(PolynomialTask, SizesThatCannotBeAreRefused) {
  EXPECT_THROW(MakePolynomial<float>({.train = 1}), UsageError);
  EXPECT_THROW(MakePolynomial<float>({.validation = 0}), UsageError);
  EXPECT_THROW(MakePolynomial<float>({.dimension = 0}), UsageError);
  EXPECT_THROW(MakePolynomial<float>({.degree = 40}), UsageError);
}

}  // namespace
}  // namespace sven::data::polynomial_test
