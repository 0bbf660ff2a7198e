// SPDX-License-Identifier: MIT
//
// A group of conditions from a function of the parameters. What a function is,
// and how it is recognised:
//
//   struct F {
//     // All residuals of the group:
//     void operator()(std::span<const T> theta, std::span<T> residuals) const;
//     // or those whose numbers stand in `rows`, for groups that are sampled or
//     // too large to be held at once:
//     void operator()(std::span<const T> theta, std::span<const Index> rows,
//                     std::span<T> residuals) const;
//   };
//
// Its derivatives come from what else it has, each with `rows` after theta if
// operator() has it:
//
//   Jacobian(theta, M)             M (conditions x N) is filled;
//   PullBack(theta, w, out) and    out (N) = M^T w,
//   PushForward(theta, v, out)     out (conditions) = M v: matrix-free;
//   nothing                        operator() is a template over the number type,
//                                  and differentiated automatically.
//
// Members of these names that cannot be called so do not compile.
#ifndef SVEN_SOLVE_FUNCTION_CONDITIONS_H_
#define SVEN_SOLVE_FUNCTION_CONDITIONS_H_

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sven/solve/conditions.h"
#include "sven/solve/guarded.h"

namespace sven::solve {

template <class F, class S>
concept TakesRows = std::is_invocable_v<const F&, std::span<const S>,
                                        std::span<const Index>, std::span<S>>;
template <class F, class S>
concept TakesAll =
    std::is_invocable_v<const F&, std::span<const S>, std::span<S>>;

namespace internal {

template <class F, class T>
concept JacobianOfRows = requires(const F& f, std::span<const T> theta,
                                  std::span<const Index> rows,
                                  MatrixView<T> M) {
  f.Jacobian(theta, rows, M);
};
template <class F, class T>
concept JacobianOfAll = requires(const F& f, std::span<const T> theta,
                                 MatrixView<T> M) {
  f.Jacobian(theta, M);
};

template <class F, class T>
concept ProductsOfRows = requires(const F& f, std::span<const T> theta,
                                  std::span<const Index> rows,
                                  std::span<const T> in, std::span<T> out) {
  f.PullBack(theta, rows, in, out);
  f.PushForward(theta, rows, in, out);
};
template <class F, class T>
concept ProductsOfAll = requires(const F& f, std::span<const T> theta,
                                 std::span<const T> in, std::span<T> out) {
  f.PullBack(theta, in, out);
  f.PushForward(theta, in, out);
};

// Whether F has a member of a name, whatever its type: inherited once more, the
// name is ambiguous. Of a class that is final, members that are overloaded or
// templates go unseen.
struct Names {
  int Jacobian, PullBack, PushForward;
};
struct Nothing {};
template <class F>
constexpr bool kInheritable = std::is_class_v<F> && !std::is_final_v<F>;
template <class F>
struct WithNames : std::conditional_t<kInheritable<F>, F, Nothing>, Names {};

template <class F>
concept NamesJacobian = (
    requires { &F::Jacobian; } || !requires { &WithNames<F>::Jacobian; });
template <class F>
concept NamesPullBack = (
    requires { &F::PullBack; } || !requires { &WithNames<F>::PullBack; });
template <class F>
concept NamesPushForward = (
    requires { &F::PushForward; } || !requires { &WithNames<F>::PushForward; });
template <class F>
concept NamesProduct = NamesPullBack<F> || NamesPushForward<F>;

}  // namespace internal

// With rows if and only if operator() has them.
template <class F, class T>
concept HasJacobian = (TakesRows<F, T> ? internal::JacobianOfRows<F, T>
                                       : internal::JacobianOfAll<F, T>);
template <class F, class T>
concept HasProducts = (TakesRows<F, T> ? internal::ProductsOfRows<F, T>
                                       : internal::ProductsOfAll<F, T>);

// Derivatives that were meant as such and would go unused. Beside a Jacobian
// products are not asked for.
template <class F, class T>
concept MisdeclaresJacobian = internal::NamesJacobian<F> && !HasJacobian<F, T>;
template <class F, class T>
concept MisdeclaresProducts =
    internal::NamesProduct<F> && !HasProducts<F, T> && !HasJacobian<F, T>;

// What the three kinds share: calling the function, with its memory guarded.
template <class T, class F>
class FunctionConditions : public Conditions<T> {
 public:
  FunctionConditions(Index count, F function)
      : count_(count), function_(std::move(function)) {}

  [[nodiscard]] Index Count() const override { return count_; }

  void Residuals(const Place<T>& at, std::span<T> out) override {
    const std::span<const T> values = Call(at.theta, at.rows, values_);
    for (std::size_t a = 0; a < at.rows.size(); ++a) {
      out[a] = values[At(at.rows, a)];
    }
  }

 protected:
  static constexpr bool kTakesRows = TakesRows<F, T>;

  // The residuals of `rows`, or all, in numbers S.
  template <class S>
  std::span<const S> Call(std::span<const S> theta, std::span<const Index> rows,
                          Guarded<S>& cells) const {
    if constexpr (kTakesRows) {
      function_(theta, rows, cells.Arm(std::ssize(rows)));
    } else {
      function_(theta, cells.Arm(count_));
    }
    cells.Verify("residuals");
    return cells.Filled();
  }
  // Where the a-th of the rows stands in what the function fills.
  static std::size_t At(std::span<const Index> rows, std::size_t a) {
    return kTakesRows ? a : static_cast<std::size_t>(rows[a]);
  }

  Index count_;
  F function_;

 private:
  Guarded<T> values_;
};

// Residuals with their Jacobian.
template <class T, class F>
class JacobianConditions : public FunctionConditions<T, F> {
 public:
  using Base = FunctionConditions<T, F>;
  using Base::Base;

  void Jacobian(const Place<T>& at, MatrixView<T> M) override {
    const ConstMatrixView<T> filled = Fill(at);
    for (std::size_t a = 0; a < at.rows.size(); ++a) {
      M.row(a) = filled.row(Base::At(at.rows, a));
    }
  }
  void AddPullBack(const Place<T>& at, std::span<const T> w,
                   std::span<T> out) override {
    const ConstMatrixView<T> M = Fill(at);
    VectorView<T> sum(out.data(), std::ssize(out));
    for (std::size_t a = 0; a < at.rows.size(); ++a) {
      sum += w[a] * M.row(Base::At(at.rows, a)).transpose();
    }
  }
  void PushForward(const Place<T>& at, std::span<const T> v,
                   std::span<T> out) override {
    const ConstMatrixView<T> M = Fill(at);
    const ConstVectorView<T> vector(v.data(), std::ssize(v));
    for (std::size_t a = 0; a < at.rows.size(); ++a) {
      out[a] = M.row(Base::At(at.rows, a)).dot(vector);
    }
  }

 private:
  ConstMatrixView<T> Fill(const Place<T>& at) {
    const Index rows = Base::kTakesRows ? std::ssize(at.rows) : this->count_;
    const Index N = std::ssize(at.theta);
    MatrixView<T> M(cells_.Arm(rows * N).data(), rows, N);
    if constexpr (Base::kTakesRows) {
      this->function_.Jacobian(at.theta, at.rows, M);
    } else {
      this->function_.Jacobian(at.theta, M);
    }
    cells_.Verify("entries of the Jacobian");
    return {M.data(), rows, N};
  }

  Guarded<T> cells_;
};

// The products alone. A row of M is M^T e.
template <class T, class F>
class ProductConditions : public FunctionConditions<T, F> {
 public:
  using Base = FunctionConditions<T, F>;
  using Base::Base;

  void Jacobian(const Place<T>& at, MatrixView<T> M) override {
    unit_.assign(at.rows.size(), T(0));
    for (std::size_t a = 0; a < at.rows.size(); ++a) {
      unit_[a] = T(1);
      M.row(a).setZero();
      AddPullBack(at, unit_, {M.row(a).data(), at.theta.size()});
      unit_[a] = T(0);
    }
  }
  void AddPullBack(const Place<T>& at, std::span<const T> w,
                   std::span<T> out) override {
    const std::span<T> product = long_.Arm(std::ssize(out));
    if constexpr (Base::kTakesRows) {
      this->function_.PullBack(at.theta, at.rows, w, product);
    } else {
      all_.assign(static_cast<std::size_t>(this->count_), T(0));
      for (std::size_t a = 0; a < w.size(); ++a) all_[at.rows[a]] = w[a];
      this->function_.PullBack(at.theta, std::span<const T>(all_), product);
    }
    long_.Verify("entries of the pull-back");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += product[i];
  }
  void PushForward(const Place<T>& at, std::span<const T> v,
                   std::span<T> out) override {
    const Index rows = Base::kTakesRows ? std::ssize(at.rows) : this->count_;
    const std::span<T> product = short_.Arm(rows);
    if constexpr (Base::kTakesRows) {
      this->function_.PushForward(at.theta, at.rows, v, product);
    } else {
      this->function_.PushForward(at.theta, v, product);
    }
    short_.Verify("entries of the push-forward");
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a] = product[Base::At(at.rows, a)];
    }
  }

 private:
  std::vector<T> unit_;
  std::vector<T> all_;
  Guarded<T> long_;
  Guarded<T> short_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_FUNCTION_CONDITIONS_H_
