// SPDX-License-Identifier: MIT
#include "sven/core/loss_conditions.h"

#include <gtest/gtest.h>

#include <limits>

#include "sven/core/dense_linearization.h"
#include "testing/problems.h"
#include "testing/tolerances.h"

namespace sven::core::loss_conditions_test {
namespace {

using testing::RandomMatrix;
using testing::RandomVector;
using testing::Rounding;

struct Case {
  Index losses;
  Index micro_batch;
  double kappa;
};

class LossConditionsTest : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr Index kParameters = 11;

  LossConditionsTest()
      : l_(RandomVector(GetParam().losses, 1).cwiseAbs()),
        J_(RandomMatrix(GetParam().losses, kParameters, 2)),
        losses_(l_, J_) {
    conditions_.Bind(losses_, {.kappa = GetParam().kappa},
                     GetParam().micro_batch);
  }

  // The definition, row by row.
  void Expected(Vector<double>& R, Matrix<double>& M) const {
    const auto [B, size, kappa] = GetParam();
    const Index groups = (B - 1) / size + 1;
    R.setZero(groups);
    M.setZero(groups, kParameters);
    for (Index a = 0; a < B; ++a) {
      R[a / size] += l_[a];
      M.row(a / size) += J_.row(a);
    }
    for (Index A = 0; A < groups; ++A) {
      M.row(A) *= kappa / 2 * std::pow(R[A], kappa / 2 - 1);
      R[A] = std::pow(R[A], kappa / 2);
    }
  }

  Vector<double> l_;
  Matrix<double> J_;
  DenseLinearization<double> losses_;
  LossConditions<double> conditions_;
};

INSTANTIATE_TEST_SUITE_P(All, LossConditionsTest,
                         ::testing::Values(Case{6, 1, 2}, Case{6, 1, 1},
                                           Case{6, 1, 0.5}, Case{6, 2, 2},
                                           Case{7, 3, 1}, Case{7, 3, 1.5},
                                           Case{5, 5, 2}, Case{5, 9, 1},
                                           Case{1, 1, 1}));

TEST_P(LossConditionsTest, EveryProductFollowsFromTheDefinition) {
  Vector<double> R;
  Matrix<double> M;
  Expected(R, M);
  const double tolerance = Rounding<double>(1e2);
  ASSERT_EQ(conditions_.NumConditions(), R.size());
  EXPECT_LT((testing::ToVector<double>(conditions_.Residuals()) - R).norm(),
            tolerance * R.norm());

  Matrix<double> K(R.size(), R.size());
  conditions_.Gram(linalg::Accumulation::kDouble, K);
  const Matrix<double> lower = K.triangularView<Eigen::Lower>();
  const Matrix<double> full = M * M.transpose();
  const Matrix<double> expected_lower = full.triangularView<Eigen::Lower>();
  EXPECT_LT((lower - expected_lower).norm(), tolerance * full.norm());

  Matrix<double> jacobian(R.size(), kParameters);
  conditions_.Jacobian(jacobian);
  EXPECT_LT((jacobian - M).norm(), tolerance * M.norm());

  const Vector<double> w = RandomVector(R.size(), 3);
  std::vector<double> pulled(kParameters);
  conditions_.PullBack({w.data(), std::size_t(w.size())}, pulled);
  EXPECT_LT((testing::ToVector<double>(pulled) - M.transpose() * w).norm(),
            tolerance * M.norm() * w.norm());

  const Vector<double> v = RandomVector(kParameters, 4);
  std::vector<double> pushed(R.size());
  conditions_.PushForward({v.data(), std::size_t(v.size())}, pushed);
  EXPECT_LT((testing::ToVector<double>(pushed) - M * v).norm(),
            tolerance * M.norm() * v.norm());
}

TEST_P(LossConditionsTest, TheLossIsTheMeanOfTheSingleLosses) {
  EXPECT_NEAR(conditions_.Loss(), l_.mean(), Rounding<double>());
}

TEST(Linearization, TheJacobianByPullBacksIsTheJacobian) {
  // Only the three products: the default Jacobian is used.
  class Products : public DenseLinearization<double> {
   public:
    using DenseLinearization::DenseLinearization;
    void Jacobian(MatrixRef<double> M) override {
      Linearization<double>::Jacobian(M);
    }
  };
  const Matrix<double> M = RandomMatrix(4, 6, 1);
  Products problem(RandomVector(4, 2), M);
  Matrix<double> rows(4, 6);
  problem.Jacobian(rows);
  EXPECT_EQ(rows, M);
}

}  // namespace
}  // namespace sven::core::loss_conditions_test
