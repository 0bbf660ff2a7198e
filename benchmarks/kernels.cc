// SPDX-License-Identifier: MIT
//
// The kernels of a step, one at a time (Google Benchmark).
#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>

#include "sven/core/jacobian_descent.h"
#include "sven/linalg/cholesky.h"
#include "sven/linalg/gram_product.h"
#include "sven/linalg/product.h"
#include "sven/linalg/randomised_eigen.h"
#include "sven/linalg/symmetric_eigen.h"
#include "sven/nn/activation.h"
#include "sven/optim/batch_problem.h"
#include "testing/problems.h"

namespace {

using sven::ConstMatrixView;
using sven::Index;
using sven::Matrix;
using sven::Vector;
using sven::linalg::Accumulation;

// A Gram matrix with a decaying spectrum, as a network has.
Matrix<double> GramOf(Index n) {
  Matrix<double> M = Matrix<double>::Random(n, 2 * n);
  for (Index j = 0; j < M.cols(); ++j) M.col(j) *= std::exp(-0.1 * double(j));
  return M * M.transpose();
}

void SymmetricEigenApply(benchmark::State& state) {
  const Matrix<double> K = GramOf(state.range(0));
  sven::linalg::SymmetricEigen eigen;
  Vector<double> b = Vector<double>::Ones(K.rows());
  for (auto _ : state) {
    benchmark::DoNotOptimize(eigen.Factor(sven::View(K)));
    eigen.ToEigenbasis({b.data(), std::size_t(b.size())});
    eigen.FromEigenbasis({b.data(), std::size_t(b.size())});
  }
}
BENCHMARK(SymmetricEigenApply)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Arg(128)
    ->Arg(256)
    ->Arg(512);

// The plain twin: all eigenvectors.
void EigenvectorsByEigen(benchmark::State& state) {
  const Eigen::MatrixXd K = GramOf(state.range(0));
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K.rows());
  for (auto _ : state) benchmark::DoNotOptimize(solver.compute(K));
}
BENCHMARK(EigenvectorsByEigen)->Arg(32)->Arg(64)->Arg(128);

void CholeskySolve(benchmark::State& state) {
  const Matrix<double> K = GramOf(state.range(0));
  sven::linalg::Cholesky cholesky;
  Vector<double> b = Vector<double>::Ones(K.rows());
  for (auto _ : state) {
    benchmark::DoNotOptimize(cholesky.Factor(sven::View(K), 1e-3));
    cholesky.Solve({b.data(), std::size_t(b.size())});
  }
}
BENCHMARK(CholeskySolve)->Arg(32)->Arg(64)->Arg(256);

void RandomisedEigen(benchmark::State& state) {
  const Matrix<double> K = GramOf(state.range(0));
  sven::linalg::RandomisedEigen eigen;
  for (auto _ : state) {
    sven::RandomStream random(1, sven::RandomUse::kProjection);
    benchmark::DoNotOptimize(
        eigen.Factor(sven::View(K), state.range(1), {}, random));
  }
}
BENCHMARK(RandomisedEigen)->Args({512, 32})->Args({1024, 32});

// Gradients in conflict: of random directions, many or few of them; all but
// parallel to one, half of them against it; of a network's losses.
template <Index kDirections>
Matrix<double> RandomGram(Index n) {
  const Matrix<double> M = sven::testing::RandomMatrix(n, kDirections, 1);
  return M * M.transpose();
}
Matrix<double> OpposedGram(Index n) {
  Matrix<double> M = 0.3 * sven::testing::RandomMatrix(n, 600, 1);
  M.rowwise() += sven::testing::RandomVector(600, 2).transpose();
  M.topRows(n / 2) *= -1;
  return M * M.transpose();
}
Matrix<double> NetworkGram(Index n) {
  auto problem = sven::testing::MakeProblem<double>(
      {.widths = {64, 32, 32, 10},
       .batch = n,
       .loss = sven::nn::Loss::kCrossEntropy});
  const auto batch = problem.Batch();
  sven::optim::BatchProblem<double> bound;
  bound.Bind(problem.net, problem.loss, batch);
  Matrix<double> K(n, n);
  bound.Linearize(sven::optim::Conditions::kLosses)
      .Gram(Accumulation::kDouble, K);
  return K;
}

template <sven::core::Aggregation kAggregation, Matrix<double> (*kGram)(Index)>
void JacobianDescent(benchmark::State& state) {
  const Matrix<double> K = kGram(state.range(0));
  sven::core::ConflictFreeWeights weights;
  Vector<double> w(K.rows());
  for (auto _ : state) {
    const auto status = weights.Compute(sven::View(K), kAggregation,
                                        sven::core::kRegularisation,
                                        {w.data(), std::size_t(w.size())});
    if (status != sven::StepStatus::kOk) state.SkipWithError("no weights");
  }
}
constexpr auto kUpGrad = sven::core::Aggregation::kUpGrad;
constexpr auto kDualProj = sven::core::Aggregation::kDualProj;
BENCHMARK(JacobianDescent<kUpGrad, RandomGram<600>>)
    ->RangeMultiplier(2)
    ->Range(32, 256);
BENCHMARK(JacobianDescent<kUpGrad, RandomGram<40>>)
    ->RangeMultiplier(2)
    ->Range(32, 256);
BENCHMARK(JacobianDescent<kUpGrad, OpposedGram>)
    ->RangeMultiplier(2)
    ->Range(32, 256);
BENCHMARK(JacobianDescent<kUpGrad, NetworkGram>)
    ->RangeMultiplier(2)
    ->Range(32, 256);
BENCHMARK(JacobianDescent<kDualProj, NetworkGram>)
    ->RangeMultiplier(2)
    ->Range(32, 256);

template <class T, Accumulation kAccumulation>
void GramProduct(benchmark::State& state) {
  const Matrix<T> D = Matrix<T>::Random(state.range(0), state.range(1));
  const Matrix<T> A = Matrix<T>::Random(state.range(0), state.range(2));
  Matrix<double> K = Matrix<double>::Zero(D.rows(), D.rows());
  sven::linalg::GramProduct<T> gram;
  for (auto _ : state) {
    gram.AddOuter(sven::View(D), sven::View(A), {}, kAccumulation, K);
  }
  state.counters["GFLOP/s"] = benchmark::Counter(
      1e-9 * double(D.rows() * D.rows() * (D.cols() + A.cols())),
      benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(GramProduct<double, Accumulation::kDouble>)->Args({32, 16, 16});
BENCHMARK(GramProduct<float, Accumulation::kDouble>)
    ->Args({64, 32, 784})
    ->Args({256, 2048, 2048});
BENCHMARK(GramProduct<float, Accumulation::kWorking>)
    ->Args({64, 32, 784})
    ->Args({256, 2048, 2048});

template <class T>
void WeightGradient(benchmark::State& state) {
  const Matrix<T> D = Matrix<T>::Random(state.range(0), state.range(1));
  const Matrix<T> A = Matrix<T>::Random(state.range(0), state.range(2));
  Matrix<T> G(D.cols(), A.cols());
  for (auto _ : state) {
    sven::linalg::MultiplyAtB<T>(sven::View(D), sven::View(A),
                                 sven::MutableView(G));
  }
}
BENCHMARK(WeightGradient<double>)->Args({32, 16, 16});
BENCHMARK(WeightGradient<float>)->Args({64, 32, 784})->Args({256, 2048, 2048});

template <class T, sven::nn::Activation kActivation>
void Activate(benchmark::State& state) {
  Vector<T> z = Vector<T>::Random(state.range(0)) * T{3};
  Vector<T> value(z.size());
  Vector<T> slope(z.size());
  for (auto _ : state) {
    sven::nn::Activate<T>(kActivation, z.size(), z.data(), value.data(),
                          slope.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(Activate<double, sven::nn::Activation::kGelu>)->Arg(512);
BENCHMARK(Activate<float, sven::nn::Activation::kGelu>)->Arg(2048);
BENCHMARK(Activate<double, sven::nn::Activation::kTanh>)->Arg(512);

}  // namespace
