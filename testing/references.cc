// SPDX-License-Identifier: MIT
#include "testing/references.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

#include "testing/decompositions.h"

namespace sven::testing {
namespace {

double PlainActivation(nn::Activation activation, double x) {
  switch (activation) {
    case nn::Activation::kGelu:
      return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
    case nn::Activation::kGeluTanh:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                            (x + 0.044715 * x * x * x)));
    case nn::Activation::kRelu:
      return x > 0 ? x : 0;
    case nn::Activation::kTanh:
      return std::tanh(x);
    case nn::Activation::kSilu:
      return x / (1 + std::exp(-x));
    case nn::Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case nn::Activation::kSoftplus:
      return std::log(1 + std::exp(x));
    case nn::Activation::kIdentity:
      return x;
  }
  return 0;
}

using Complex = std::complex<double>;

Complex PlainActivation(nn::Activation activation, Complex x) {
  switch (activation) {
    case nn::Activation::kTanh:
      return std::tanh(x);
    case nn::Activation::kSilu:
      return x / (1.0 + std::exp(-x));
    case nn::Activation::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case nn::Activation::kIdentity:
      return x;
    default:
      throw std::logic_error("no complex form of this activation");
  }
}

template <class S>
std::vector<S> PlainNetwork(const nn::Mlp<double>& net, const Vector<S>& theta,
                            std::vector<S> a) {
  for (const nn::DenseLayer& layer : net.Layers()) {
    std::vector<S> next;
    for (Index i = 0; i < layer.out; ++i) {
      S z = layer.bias ? theta[layer.bias_offset + i] : S{0};
      for (Index j = 0; j < layer.in; ++j) {
        z += theta[layer.weight_offset + i * layer.in + j] * a[j];
      }
      next.push_back(PlainActivation(layer.activation, z));
    }
    a = next;
  }
  return a;
}

double PlainLoss(const nn::Loss& loss, const std::vector<double>& f,
                 const std::vector<double>& y, Index label) {
  double sum = 0;
  if (loss.kind == nn::Loss::kCrossEntropy) {
    for (const double value : f) sum += std::exp(value);
    return std::log(sum) - f[label];
  }
  for (std::size_t c = 0; c < f.size(); ++c) {
    const double target = loss.kind == nn::Loss::kLabelRegression
                              ? (Index(c) == label ? 1.0 : 0.0)
                              : y[c];
    const double r = f[c] - target;
    if (loss.kind == nn::Loss::kHuber) {
      sum += std::abs(r) <= loss.huber_delta
                 ? r * r / 2
                 : loss.huber_delta * (std::abs(r) - loss.huber_delta / 2);
    } else {
      sum += r * r;
    }
  }
  return sum;
}

}  // namespace

Matrix<double> FiniteDifferenceJacobian(
    const std::function<Vector<double>(const Vector<double>&)>& residuals,
    const Vector<double>& theta) {
  Matrix<double> M(residuals(theta).size(), theta.size());
  for (Index i = 0; i < theta.size(); ++i) {
    const double h = 1e-6 * (1 + std::abs(theta[i]));
    Vector<double> up = theta;
    Vector<double> down = theta;
    up[i] += h;
    down[i] -= h;
    M.col(i) = (residuals(up) - residuals(down)) / (up[i] - down[i]);
  }
  return M;
}

Vector<double> PlainLosses(const Problem<double>& problem,
                           const Vector<double>& theta) {
  const data::Dataset<double>& data = problem.data;
  Vector<double> losses(data.Size());
  for (Index a = 0; a < data.Size(); ++a) {
    std::vector<double> x(data.x.cols());
    for (Index j = 0; j < data.x.cols(); ++j) x[j] = data.x(a, j);
    std::vector<double> y(data.y.cols());
    for (Index j = 0; j < data.y.cols(); ++j) y[j] = data.y(a, j);
    losses[a] =
        PlainLoss(problem.loss, PlainNetwork<double>(problem.net, theta, x), y,
                  data.labels[a]);
  }
  return losses;
}

Matrix<double> PlainOutputs(const Problem<double>& problem) {
  const Vector<double> theta =
      ToVector<double>(std::span<const double>(problem.net.Parameters()));
  const Matrix<double>& x = problem.data.x;
  Matrix<double> f(x.rows(), problem.net.NumOutputs());
  for (Index a = 0; a < x.rows(); ++a) {
    const std::vector<double> row(x.row(a).begin(), x.row(a).end());
    const auto outputs = PlainNetwork<double>(problem.net, theta, row);
    for (Index c = 0; c < f.cols(); ++c) f(a, c) = outputs[c];
  }
  return f;
}

Matrix<double> PlainOutputJacobian(const Problem<double>& problem) {
  constexpr double kStep = 1e-30;
  const Index N = problem.net.NumParameters();
  const Index C = problem.net.NumOutputs();
  const Matrix<double>& x = problem.data.x;
  Vector<Complex> theta =
      ToVector<double>(std::span<const double>(problem.net.Parameters()))
          .cast<Complex>();
  Matrix<double> J(x.rows() * C, N);
  for (Index i = 0; i < N; ++i) {
    theta[i] += Complex(0, kStep);
    for (Index a = 0; a < x.rows(); ++a) {
      const std::vector<Complex> row(x.row(a).begin(), x.row(a).end());
      const auto outputs = PlainNetwork<Complex>(problem.net, theta, row);
      for (Index c = 0; c < C; ++c) {
        J(a * C + c, i) = outputs[c].imag() / kStep;
      }
    }
    theta[i] = theta[i].real();
  }
  return J;
}

Matrix<double> OneHot(const Problem<double>& problem) {
  Matrix<double> rows =
      Matrix<double>::Zero(problem.data.Size(), problem.net.NumOutputs());
  for (Index a = 0; a < rows.rows(); ++a) rows(a, problem.data.labels[a]) = 1;
  return rows;
}

Matrix<double> Softmax(const Matrix<double>& f) {
  Matrix<double> p = f.array().exp();
  for (Index a = 0; a < p.rows(); ++a) p.row(a) /= p.row(a).sum();
  return p;
}

Vector<double> DenseStep(const Matrix<double>& M, const Vector<double>& R,
                         std::optional<Index> k, double rtol) {
  const PlainSvd svd = SvdOf(M);
  const Vector<double>& s = svd.s;
  Vector<double> delta = Vector<double>::Zero(M.cols());
  for (Index i = 0; i < s.size(); ++i) {
    if (k && i >= *k) break;
    if (!(s[i] > rtol * s[0]) || s[i] == 0) break;
    delta -= svd.V.col(i) * (svd.U.col(i).dot(R) / s[i]);
  }
  return delta;
}

}  // namespace sven::testing
