// SPDX-License-Identifier: MIT
//
// Conditions on the single outputs of a sample, such that with M = dR/dtheta
// the matrix M^T M is the Gauss-Newton matrix of the loss. With the outputs f
// of one sample (C of them), J = df/dtheta:
//
//   mse, label_regression   R = f - y                          M = J
//   huber                   R = sign(r) sqrt(h(r)), r = f - y  M = (dR/df) J
//   ce                      R_c = (p_c - onehot_c) / sqrt(p_c) M = L^T J
//
// with the softmax p and L = diag(sqrt p) - p sqrt(p)^T, for which
// L L^T = diag(p) - p p^T, the Fisher matrix, and L R = p - onehot. The gradient
// of the loss is 2 M^T R, for ce M^T R.
#ifndef SVEN_NN_OUTPUT_CONDITIONS_H_
#define SVEN_NN_OUTPUT_CONDITIONS_H_

#include <span>
#include <vector>

#include "sven/nn/loss.h"

namespace sven::nn {

// For B samples: residuals[a C + c] = R_c of sample a (B C of them), and row
// a C + c of `rows` (B C x C) what turns J into the condition's gradient: the
// identity for squared errors, L^T for ce. The batch must have passed
// CheckBatch.
template <class T>
void EvaluateOutputConditions(const Loss& loss,
                              const ConstMatrixView<T>& outputs,
                              const Batch<T>& batch,
                              std::span<double> residuals, MatrixView<T> rows,
                              std::vector<double>& scratch);

}  // namespace sven::nn

#endif  // SVEN_NN_OUTPUT_CONDITIONS_H_
