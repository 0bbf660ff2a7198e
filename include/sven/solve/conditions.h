// SPDX-License-Identifier: MIT
//
// A group of conditions r_0(theta) = 0, ..., r_{n-1}(theta) = 0 and their
// derivatives, as a function of theta. Usually made by Problem::Add from a
// function; a class of one's own may implement it directly.
#ifndef SVEN_SOLVE_CONDITIONS_H_
#define SVEN_SOLVE_CONDITIONS_H_

#include <span>

#include "sven/linalg/types.h"

namespace sven::solve {

// Some of the conditions of a group, by their numbers, at a point.
template <class T>
struct Place {
  std::span<const T> theta;
  std::span<const Index> rows;
};

template <class T>
class Conditions {
 public:
  virtual ~Conditions() = default;

  // n, how many there are.
  [[nodiscard]] virtual Index Count() const = 0;
  // Whether the derivatives were written by hand, and so may be wrong.
  [[nodiscard]] virtual bool HandWritten() const { return true; }

  // out[a] = r of rows[a]
  virtual void Residuals(const Place<T>& at, std::span<T> out) = 0;
  // Row a of M (rows x N) = the derivatives of that r.
  virtual void Jacobian(const Place<T>& at, MatrixView<T> M) = 0;
  // out (N) += M^T w
  virtual void AddPullBack(const Place<T>& at, std::span<const T> w,
                           std::span<T> out) = 0;
  // out (rows) = M v
  virtual void PushForward(const Place<T>& at, std::span<const T> v,
                           std::span<T> out) = 0;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_CONDITIONS_H_
