// SPDX-License-Identifier: MIT
//
// What every optimizer must do, and small learnable problems to show it on.
#ifndef SVEN_TESTING_OPTIMIZER_LAWS_H_
#define SVEN_TESTING_OPTIMIZER_LAWS_H_

#include <functional>
#include <memory>
#include <string>

#include "sven/optim/optimizer.h"
#include "testing/problems.h"

namespace sven::testing {

template <class T>
using MakeOptimizer = std::function<std::unique_ptr<optim::Optimizer<T>>()>;

// y = sin(3 x) at 64 points of [-1, 1], three layers.
template <class T>
Problem<T> LearnableRegression(std::uint64_t seed);
// Three noisy rings in the plane, 96 points, cross-entropy, three layers.
template <class T>
Problem<T> LearnableClassification(std::uint64_t seed);

// One linear layer without a bias whose gradient has this norm.
Problem<double> WithGradientOfNorm(double norm);

// The mean loss after so many steps on the whole batch over that before.
template <class T>
double TrainedShare(optim::Optimizer<T>& optimizer, Problem<T> problem,
                    Index steps);

// Whether an optimizer whose state went through a file after `before` steps
// does the next `after` ones bit for bit like one that was never interrupted.
template <class T>
bool ContinuesAfterRestore(const MakeOptimizer<T>& make,
                           const Problem<T>& problem, Index before,
                           Index after);

// The gradient of the mean loss.
Vector<double> GradientOf(const Problem<double>& problem);

// Pieces of a flat vector.
Matrix<double> WeightPart(const nn::DenseLayer& layer,
                          const Vector<double>& flat);
Vector<double> BiasPart(const nn::DenseLayer& layer,
                        const Vector<double>& flat);
// [W b], the bias as a last column if there is one.
Matrix<double> JoinedPart(const nn::DenseLayer& layer,
                          const Vector<double>& flat);

}  // namespace sven::testing

#endif  // SVEN_TESTING_OPTIMIZER_LAWS_H_
