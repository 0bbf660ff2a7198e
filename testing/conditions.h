// SPDX-License-Identifier: MIT
//
// One nonlinear set of conditions in all the forms that a function may have, for
// tests of solve:
//
//     r_a = sin(theta_0 t_a) + theta_1 t_a^2 + sum_{i > 1} theta_i^2 cos(i t_a),
//     t_a = (a + 1) / 10.
#ifndef SVEN_TESTING_CONDITIONS_H_
#define SVEN_TESTING_CONDITIONS_H_

#include <cmath>
#include <span>

#include "sven/linalg/types.h"

namespace sven::testing {

inline double Time(Index a) { return static_cast<double>(a + 1) / 10; }

// r_a in any number type.
template <class T>
T WaveResidual(std::span<const T> theta, Index a) {
  using std::sin;
  const double t = Time(a);
  T r = sin(theta[0] * T(t)) + theta[1] * T(t * t);
  for (std::size_t i = 2; i < theta.size(); ++i) {
    r += theta[i] * theta[i] * T(std::cos(static_cast<double>(i) * t));
  }
  return r;
}

// dr_a / dtheta_i, by hand.
template <class T>
T WaveSlope(std::span<const T> theta, Index a, Index i) {
  const double t = Time(a);
  if (i == 0) return static_cast<T>(t * std::cos(theta[0] * t));
  if (i == 1) return static_cast<T>(t * t);
  return static_cast<T>(2 * theta[i] * std::cos(static_cast<double>(i) * t));
}

struct WaveAll {
  template <class T>
  void operator()(std::span<const T> theta, std::span<T> r) const {
    for (Index a = 0; a < std::ssize(r); ++a) r[a] = WaveResidual(theta, a);
  }
};

struct WaveRows {
  template <class T>
  void operator()(std::span<const T> theta, std::span<const Index> rows,
                  std::span<T> r) const {
    for (Index a = 0; a < std::ssize(r); ++a) {
      r[a] = WaveResidual(theta, rows[a]);
    }
  }
};

// With the Jacobian by hand.
struct WaveJacobianAll : WaveAll {
  template <class T>
  void Jacobian(std::span<const T> theta, MatrixView<T> M) const {
    for (Index a = 0; a < M.rows(); ++a) {
      for (Index i = 0; i < M.cols(); ++i) M(a, i) = WaveSlope(theta, a, i);
    }
  }
};

struct WaveJacobianRows : WaveRows {
  template <class T>
  void Jacobian(std::span<const T> theta, std::span<const Index> rows,
                MatrixView<T> M) const {
    for (Index a = 0; a < M.rows(); ++a) {
      for (Index i = 0; i < M.cols(); ++i) {
        M(a, i) = WaveSlope(theta, rows[a], i);
      }
    }
  }
};

// With the products.
struct WaveProductsRows : WaveRows {
  template <class T>
  void PullBack(std::span<const T> theta, std::span<const Index> rows,
                std::span<const T> w, std::span<T> out) const {
    for (Index i = 0; i < std::ssize(out); ++i) {
      out[i] = 0;
      for (Index a = 0; a < std::ssize(rows); ++a) {
        out[i] += w[a] * WaveSlope(theta, rows[a], i);
      }
    }
  }
  template <class T>
  void PushForward(std::span<const T> theta, std::span<const Index> rows,
                   std::span<const T> v, std::span<T> out) const {
    for (Index a = 0; a < std::ssize(rows); ++a) {
      out[a] = 0;
      for (Index i = 0; i < std::ssize(v); ++i) {
        out[a] += v[i] * WaveSlope(theta, rows[a], i);
      }
    }
  }
};

struct WaveProductsAll : WaveAll {
  Index count = 0;
  template <class T>
  void PullBack(std::span<const T> theta, std::span<const T> w,
                std::span<T> out) const {
    for (Index i = 0; i < std::ssize(out); ++i) {
      out[i] = 0;
      for (Index a = 0; a < count; ++a) {
        out[i] += w[a] * WaveSlope(theta, a, i);
      }
    }
  }
  template <class T>
  void PushForward(std::span<const T> theta, std::span<const T> v,
                   std::span<T> out) const {
    for (Index a = 0; a < count; ++a) {
      out[a] = 0;
      for (Index i = 0; i < std::ssize(v); ++i) {
        out[a] += v[i] * WaveSlope(theta, a, i);
      }
    }
  }
};

}  // namespace sven::testing

#endif  // SVEN_TESTING_CONDITIONS_H_
