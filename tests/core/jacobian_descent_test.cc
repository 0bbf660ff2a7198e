// SPDX-License-Identifier: MIT
//
// G = K / trace(K) + regularisation I; v = l + z solves argmin v^T G v for
// v >= l, with y = G v. P is the set of j with z_j > 0.
#include "sven/core/jacobian_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sven/base/random.h"
#include "testing/decompositions.h"
#include "testing/matrices.h"
#include "testing/problems.h"
#include "testing/tolerances.h"

namespace sven::core::jacobian_descent_test {
namespace {

using testing::kInf;
using testing::kNan;
using testing::RandomMatrix;
using testing::RelativeError;
using testing::Rounding;
using testing::Span;
using testing::WithoutUpper;

constexpr Aggregation kBoth[] = {Aggregation::kUpGrad, Aggregation::kDualProj};

Vector<double> Weights(const Matrix<double>& K, Aggregation aggregation,
                       double regularisation = kRegularisation) {
  const Matrix<double> lower = WithoutUpper(K);
  Vector<double> w(K.rows());
  ConflictFreeWeights weights;
  EXPECT_EQ(weights.Compute(View(lower), aggregation, regularisation, Span(w)),
            StepStatus::kOk);
  return w;
}

Matrix<double> Scaled(const Matrix<double>& K, double regularisation) {
  Matrix<double> G = K / K.trace();
  G.diagonal().array() += regularisation;
  return G;
}

Matrix<double> GramOf(const Matrix<double>& M) { return M * M.transpose(); }

// The bounds l of the problems whose solutions are summed.
std::vector<Vector<double>> Bounds(Aggregation aggregation, Index B) {
  if (aggregation == Aggregation::kDualProj) return {Vector<double>::Ones(B)};
  std::vector<Vector<double>> bounds;
  for (Index i = 0; i < B; ++i) {
    bounds.emplace_back(Vector<double>::Unit(B, i));
  }
  return bounds;
}

using Solver = std::function<Vector<double>(const Matrix<double>& G,
                                            const Vector<double>& bound)>;

Vector<double> WeightsBy(const Solver& solver, const Matrix<double>& K,
                         Aggregation aggregation, double regularisation) {
  const Matrix<double> G = Scaled(K, regularisation);
  Vector<double> sum = Vector<double>::Zero(K.rows());
  for (const Vector<double>& bound : Bounds(aggregation, K.rows())) {
    sum += solver(G, bound);
  }
  return sum / static_cast<double>(K.rows());
}

// z with z_P = -G_PP^-1 (G l)_P.
Vector<double> SolveOn(const std::vector<Index>& P, const Matrix<double>& G,
                       const Vector<double>& bound) {
  Vector<double> z = Vector<double>::Zero(G.rows());
  if (P.empty()) return z;
  const Vector<double> q = G * bound;
  const Vector<double> solution = testing::SolvePlain(G(P, P), -q(P));
  for (std::size_t k = 0; k < P.size(); ++k) {
    z[P[k]] = solution[static_cast<Index>(k)];
  }
  return z;
}

// Of all sets P, the one whose z is feasible and best.
Vector<double> ByTryingEverySet(const Matrix<double>& G,
                                const Vector<double>& bound) {
  const Index B = G.rows();
  Vector<double> best = bound;
  for (unsigned set = 0; set < 1U << B; ++set) {
    std::vector<Index> P;
    for (Index j = 0; j < B; ++j) {
      if ((set >> j & 1U) != 0) P.push_back(j);
    }
    const Vector<double> z = SolveOn(P, G, bound);
    const Vector<double> v = bound + z;
    if (z.minCoeff() >= 0 && v.dot(G * v) < best.dot(G * best)) best = v;
  }
  return best;
}

Vector<double> ByProjectedGradients(const Matrix<double>& G,
                                    const Vector<double>& bound) {
  const double step = 1 / G.trace();
  Vector<double> v = bound;
  for (int iteration = 0; iteration < 20000; ++iteration) {
    v = (v - step * (G * v)).cwiseMax(bound);
  }
  return v;
}

// P grows by the most negative y_j at a time; what becomes negative leaves. The
// result must satisfy the conditions of optimality, whatever way led there.
Vector<double> ByOneAtATime(const Matrix<double>& G,
                            const Vector<double>& bound) {
  const Index B = G.rows();
  std::vector<Index> P;
  Vector<double> z = Vector<double>::Zero(B);
  for (Index round = 0; round < 20 * B; ++round) {
    Vector<double> y = G * (bound + z);
    for (const Index j : P) y[j] = 0;
    Index entering = 0;
    if (y.minCoeff(&entering) > -1e-14) break;
    P.push_back(entering);
    while (true) {
      const Vector<double> target = SolveOn(P, G, bound);
      double step = 1;
      for (const Index j : P) {
        if (target[j] < 0) step = std::min(step, z[j] / (z[j] - target[j]));
      }
      z += step * (target - z);
      if (step == 1) break;
      std::erase_if(P, [&](Index j) {
        const bool leaves = target[j] < 0 && z[j] <= 1e-16;
        if (leaves) z[j] = 0;
        return leaves;
      });
    }
  }
  return bound + z;
}

// To what |v| and G of trace 1 leave of rounding.
void ExpectOptimal(const Matrix<double>& G, const Vector<double>& bound,
                   const Vector<double>& v, double tolerance) {
  const Vector<double> y = G * v;
  const double size = v.norm();
  EXPECT_GE((v - bound).minCoeff(), -tolerance * size);
  EXPECT_GE(y.minCoeff(), -tolerance * size);
  EXPECT_LE((v - bound).cwiseProduct(y).cwiseAbs().maxCoeff(),
            tolerance * size * size);
}

struct Family {
  std::string name;
  std::function<Matrix<double>(Index B, std::uint64_t seed)> jacobian;
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

Matrix<double> WithCommonPart(Index B, std::uint64_t seed, double noise) {
  Matrix<double> M = noise * RandomMatrix(B, 2 * B + 3, seed);
  M.rowwise() += RandomMatrix(1, M.cols(), seed + 1).row(0);
  return M;
}

Matrix<double> WithAlternatingSigns(Matrix<double> M) {
  for (Index i = 0; i < M.rows(); i += 2) M.row(i) *= -1;
  return M;
}

const Family kFamilies[] = {
    {"independent",
     [](Index B, std::uint64_t seed) {
       return RandomMatrix(B, 3 * B + 2, seed);
     }},
    {"square",
     [](Index B, std::uint64_t seed) { return RandomMatrix(B, B, seed); }},
    {"rank_deficient",
     [](Index B, std::uint64_t seed) {
       return RandomMatrix(B, 1 + B / 3, seed);
     }},
    // The block exchanges cycle for many of these.
    {"rank_two",
     [](Index B, std::uint64_t seed) { return RandomMatrix(B, 2, seed); }},
    {"one_line",
     [](Index B, std::uint64_t seed) { return RandomMatrix(B, 1, seed); }},
    {"decaying_spectrum",
     [](Index B, std::uint64_t seed) {
       Matrix<double> M = RandomMatrix(B, B, seed);
       for (Index j = 0; j < B; ++j) M.col(j) *= std::exp(-0.5 * double(j));
       return M;
     }},
    {"aligned",
     [](Index B, std::uint64_t seed) { return WithCommonPart(B, seed, 1.5); }},
    {"strong_conflict",
     [](Index B, std::uint64_t seed) {
       return WithAlternatingSigns(WithCommonPart(B, seed, 0.1));
     }},
    {"duplicated_rows",
     [](Index B, std::uint64_t seed) {
       Matrix<double> M = RandomMatrix(B, B + 2, seed);
       for (Index i = 1; i < B; i += 2) M.row(i) = M.row(i - 1);
       return M;
     }},
    {"opposite_rows",
     [](Index B, std::uint64_t seed) {
       Matrix<double> M = RandomMatrix(B, B + 2, seed);
       for (Index i = 1; i < B; i += 2) M.row(i) = -M.row(i - 1);
       return M;
     }},
    {"zero_rows",
     [](Index B, std::uint64_t seed) {
       Matrix<double> M = RandomMatrix(B, B + 2, seed);
       for (Index i = 1; i < B; i += 3) M.row(i).setZero();
       return M;
     }},
    {"rows_of_many_sizes",
     [](Index B, std::uint64_t seed) {
       Matrix<double> M = RandomMatrix(B, 1 + B / 2, seed);
       const Matrix<double> logs = 2 * RandomMatrix(B, 1, seed + 1);
       for (Index i = 0; i < B; ++i) M.row(i) *= std::exp(logs(i, 0));
       return M;
     }},
};

class FamilyTest : public ::testing::TestWithParam<Family> {
 protected:
  static Matrix<double> Gram(Index B, std::uint64_t seed) {
    return GramOf(GetParam().jacobian(B, seed));
  }
};

INSTANTIATE_TEST_SUITE_P(All, FamilyTest, ::testing::ValuesIn(kFamilies),
                         [](const auto& family) { return family.param.name; });

TEST_P(FamilyTest, SmallProblemsAgreeWithTryingEverySet) {
  for (Index B = 1; B <= 6; ++B) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Matrix<double> K = Gram(B, seed);
      for (const Aggregation aggregation : kBoth) {
        for (const double regularisation : {1e-1, 1e-4}) {
          const Vector<double> expected =
              WeightsBy(ByTryingEverySet, K, aggregation, regularisation);
          EXPECT_LT(
              RelativeError(Weights(K, aggregation, regularisation), expected),
              Rounding<double>(1 / regularisation))
              << Name(aggregation) << " B = " << B << " seed " << seed;
        }
      }
    }
  }
}

TEST_P(FamilyTest, LongRunsOfProjectedGradientsEndAtTheSameWeights) {
  // Condition number 1 / regularisation: converged to exp(-20000 / 50).
  constexpr double kLarge = 0.02;
  const Matrix<double> K = Gram(12, 5);
  for (const Aggregation aggregation : kBoth) {
    const Vector<double> expected =
        WeightsBy(ByProjectedGradients, K, aggregation, kLarge);
    EXPECT_LT(RelativeError(Weights(K, aggregation, kLarge), expected),
              Rounding<double>(1 / kLarge))
        << Name(aggregation);
  }
}

void ExpectUpGradIsTheSumOfOptimalSolutions(const Matrix<double>& K) {
  const Solver certified = [](const auto& G, const auto& bound) {
    Vector<double> v = ByOneAtATime(G, bound);
    ExpectOptimal(G, bound, v, 1e-13);
    return v;
  };
  const Vector<double> expected =
      WeightsBy(certified, K, Aggregation::kUpGrad, kRegularisation);
  EXPECT_LT(RelativeError(Weights(K, Aggregation::kUpGrad), expected),
            Rounding<double>(1 / kRegularisation))
      << "B = " << K.rows();
}

TEST_P(FamilyTest, UpGradIsTheSumOfOptimalSolutions) {
  for (const Index B : {1, 2, 7, 8, 9, 20, 33, 64}) {
    ExpectUpGradIsTheSumOfOptimalSolutions(Gram(B, 7));
  }
}

TEST(JacobianDescent, UpGradIsTheSumOfManyOptimalSolutions) {
  ExpectUpGradIsTheSumOfOptimalSolutions(GramOf(RandomMatrix(130, 50, 1)));
}

TEST_P(FamilyTest, DualProjIsOptimal) {
  for (const Index B : {1, 2, 3, 8, 31, 64, 100, 150}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Matrix<double> K = Gram(B, seed);
      for (const double regularisation : {1.0, 1e-2, 1e-4, 1e-8, 1e-12}) {
        SCOPED_TRACE(std::to_string(B) + " seed " + std::to_string(seed));
        const Vector<double> v =
            static_cast<double>(B) *
            Weights(K, Aggregation::kDualProj, regularisation);
        ExpectOptimal(Scaled(K, regularisation), Vector<double>::Ones(B), v,
                      Rounding<double>(1 / std::sqrt(regularisation)));
      }
    }
  }
}

TEST_P(FamilyTest, NoConditionGetsWorse) {
  for (const Index B : {1, 5, 40, 100, 150}) {
    const Matrix<double> K = Gram(B, 9);
    for (const Aggregation aggregation : kBoth) {
      for (const double regularisation : {1e-2, 1e-4, 1e-8, 1e-12}) {
        const Vector<double> w = Weights(K, aggregation, regularisation);
        const double tolerance =
            Rounding<double>(1 / std::sqrt(regularisation)) * w.norm();
        const Vector<double> change = K * w / K.trace();
        EXPECT_GE((change + regularisation * w).minCoeff(), -tolerance);
        EXPECT_GE(w.minCoeff(), 1 / static_cast<double>(B));
      }
    }
  }
}

TEST_P(FamilyTest, TheScaleOfKDoesNotMatter) {
  const Matrix<double> K = Gram(40, 11);
  const Matrix<double> unit = K / K.maxCoeff();
  for (const Aggregation aggregation : kBoth) {
    const Vector<double> expected = Weights(unit, aggregation);
    // A power of two to the bit.
    EXPECT_EQ(Weights(std::ldexp(1.0, -700) * unit, aggregation), expected);
    // The last has an infinite trace.
    for (const double scale : {1e-290, 1e-200, 1e-4, 1e150, 1.7e308}) {
      EXPECT_LT(RelativeError(Weights(scale * unit, aggregation), expected),
                Rounding<double>(1 / kRegularisation))
          << scale;
    }
  }
}

TEST_P(FamilyTest, TheOrderOfConditionsDoesNotMatter) {
  constexpr Index kB = 40;
  const Matrix<double> K = Gram(kB, 13);
  RandomStream random(1, RandomUse::kShuffling);
  std::vector<Index> order;
  RandomPermutation(kB, random, order);
  for (const Aggregation aggregation : kBoth) {
    const Vector<double> w = Weights(K, aggregation);
    EXPECT_LT(RelativeError(Weights(K(order, order), aggregation), w(order)),
              Rounding<double>(1 / kRegularisation));
  }
}

TEST_P(FamilyTest, ObjectUsedBeforeGivesTheSameAsAFreshOne) {
  ConflictFreeWeights used;
  for (const Index B : {30, 3, 70, 9, 1}) {
    const Matrix<double> K = Gram(B, 15);
    for (const Aggregation aggregation : kBoth) {
      Vector<double> w(B);
      ASSERT_EQ(used.Compute(View(K), aggregation, kRegularisation, Span(w)),
                StepStatus::kOk);
      EXPECT_EQ(w, Weights(K, aggregation));
    }
  }
}

TEST(JacobianDescent, TheExampleInTheHeaderHolds) {
  Matrix<double> M(2, 2);
  M << 1, 0, -2, 1;
  const Matrix<double> K = GramOf(M);
  EXPECT_EQ(K, (Matrix<double>{{1, -2}, {-2, 5}}));
  const auto expect = [&](Aggregation aggregation, const Vector<double>& w) {
    EXPECT_LT(RelativeError(Weights(K, aggregation, 1e-9), w), 1e-7);
  };
  expect(Aggregation::kUpGrad, Vector<double>{{1.5, 0.7}});
  expect(Aggregation::kDualProj, Vector<double>{{1.0, 0.5}});
}

TEST(JacobianDescent, WithoutConflictTheMeanIsLeftAlone) {
  for (const Index B : {1, 2, 7, 64, 150}) {
    const Matrix<double> K = GramOf(RandomMatrix(B, B, 1).cwiseAbs());
    for (const Aggregation aggregation : kBoth) {
      EXPECT_EQ(Weights(K, aggregation),
                (Vector<double>::Constant(B, 1 / static_cast<double>(B))));
    }
  }
}

TEST(JacobianDescent, OppositeGradientsCancel) {
  // v_1 = (1, z) with z = 1/2 / (1/2 + regularisation).
  const Matrix<double> K{{1, -1}, {-1, 1}};
  const double z = 0.5 / (0.5 + kRegularisation);
  for (const double entry : Weights(K, Aggregation::kUpGrad)) {
    EXPECT_NEAR(entry, (1 + z) / 2, Rounding<double>());
  }
  for (const double entry : Weights(K, Aggregation::kDualProj)) {
    EXPECT_EQ(entry, 0.5);
  }
}

TEST(JacobianDescent, OneConflictMovesOnlyTheTwoItIsBetween) {
  Matrix<double> K = Matrix<double>::Identity(20, 20);
  K(11, 4) = K(4, 11) = -0.5;
  const double z = 0.5 / (1 + 20 * kRegularisation);
  const Vector<double> w = Weights(K, Aggregation::kUpGrad);
  for (Index j = 0; j < 20; ++j) {
    const double expected = j == 4 || j == 11 ? 1 + z : 1.0;
    EXPECT_NEAR(w[j], expected / 20, Rounding<double>()) << j;
  }
}

TEST(JacobianDescent, AConditionWithoutGradientDoesNotDisturbTheOthers) {
  const Matrix<double> M = RandomMatrix(12, 8, 3);
  Matrix<double> with_zero = Matrix<double>::Zero(13, 8);
  with_zero.topRows(12) = M;
  for (const Aggregation aggregation : kBoth) {
    const Vector<double> w = Weights(GramOf(with_zero), aggregation);
    const Vector<double> others = Weights(GramOf(M), aggregation);
    EXPECT_EQ(w[12], 1.0 / 13);
    EXPECT_LT(RelativeError(13 * w.head(12), 12 * others),
              Rounding<double>(1 / kRegularisation));
  }
}

TEST(JacobianDescent, AZeroGramMatrixHasRankZero) {
  for (const Index B : {1, 5, 40}) {
    const Matrix<double> K = Matrix<double>::Zero(B, B);
    for (const Aggregation aggregation : kBoth) {
      Vector<double> w = Vector<double>::Ones(B);
      ConflictFreeWeights weights;
      EXPECT_EQ(weights.Compute(View(K), aggregation, kRegularisation, Span(w)),
                StepStatus::kRankZero);
      EXPECT_EQ(w, (Vector<double>::Zero(B)));
    }
  }
}

TEST(JacobianDescent, NanAndInfinityAreRefusedAnywhere) {
  constexpr Index kB = 6;
  const Matrix<double> good = GramOf(RandomMatrix(kB, 9, 1));
  ConflictFreeWeights weights;
  for (const Aggregation aggregation : kBoth) {
    for (const double bad : {kNan, kInf, -kInf}) {
      for (Index r = 0; r < kB; ++r) {
        for (Index c = 0; c <= r; ++c) {
          Matrix<double> K = good;
          K(r, c) = bad;
          Vector<double> w = Vector<double>::Ones(kB);
          EXPECT_EQ(
              weights.Compute(View(K), aggregation, kRegularisation, Span(w)),
              StepStatus::kNonFiniteJacobian);
          EXPECT_EQ(w, (Vector<double>::Zero(kB)));
        }
      }
    }
  }
}

TEST(JacobianDescent, WhatIsNoGramMatrixIsRefused) {
  Matrix<double> indefinite = Matrix<double>::Identity(30, 30);
  indefinite(1, 0) = indefinite(0, 1) = -2;
  Matrix<double> negative = Matrix<double>::Identity(3, 3);
  negative(2, 2) = -1;
  ConflictFreeWeights weights;
  for (const Matrix<double>& K : {indefinite, negative}) {
    Vector<double> w = Vector<double>::Ones(K.rows());
    EXPECT_EQ(weights.Compute(View(K), Aggregation::kUpGrad, kRegularisation,
                              Span(w)),
              StepStatus::kNonFiniteStep);
    EXPECT_EQ(w, (Vector<double>::Zero(K.rows())));
  }
}

TEST(JacobianDescent, SizesThatDoNotFitAreMistakes) {
  ConflictFreeWeights weights;
  std::vector<double> w(3);
  const auto compute = [&](const Matrix<double>& K, double regularisation) {
    return weights.Compute(View(K), Aggregation::kUpGrad, regularisation, w);
  };
  const Matrix<double> K = Matrix<double>::Identity(3, 3);
  EXPECT_EQ(compute(K, 1e-4), StepStatus::kOk);
  EXPECT_THROW((void)compute(Matrix<double>::Zero(3, 4), 1e-4),
               std::logic_error);
  EXPECT_THROW((void)compute(Matrix<double>::Zero(4, 4), 1e-4),
               std::logic_error);
  EXPECT_THROW((void)compute(K, 0), std::logic_error);
  EXPECT_THROW((void)compute(K, kNan), std::logic_error);
}

TEST(JacobianDescent, NamesAndDefaultsAreThePapers) {
  EXPECT_EQ(FromName<Aggregation>("upgrad"), Aggregation::kUpGrad);
  EXPECT_EQ(FromName<Aggregation>("dualproj"), Aggregation::kDualProj);
  EXPECT_EQ(kRegularisation, 1e-4);
}

}  // namespace
}  // namespace sven::core::jacobian_descent_test
