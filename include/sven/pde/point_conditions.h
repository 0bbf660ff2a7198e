// SPDX-License-Identifier: MIT
//
// A condition r = F(x, u, derivatives of u, unknowns) as a function of what a
// point has, and how its derivatives in u, in those of u and in the unknowns are
// found. A function is
//
//   struct F {
//     template <class S>
//     S operator()(const pde::Field<double, S>& u) const;   // or const auto& u
//   };
//
// which is differentiated automatically: in dual numbers where a jet has few
// components, on a tape where it has many. Or it has derivatives of its own, and
// operator() need not be a template:
//
//     void Slopes(const pde::Field<double, double>& u,
//                 pde::FieldSlopes<double>& slopes) const;
#ifndef SVEN_PDE_POINT_CONDITIONS_H_
#define SVEN_PDE_POINT_CONDITIONS_H_

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "sven/linalg/types.h"
#include "sven/pde/field.h"
#include "sven/solve/dual.h"
#include "sven/solve/tape.h"

namespace sven::pde {

template <class T>
class PointConditions {
 public:
  using Place = typename Field<T, T>::Data;

  virtual ~PointConditions() = default;
  // Whether the derivatives were written by hand, and so may be wrong.
  [[nodiscard]] virtual bool HandWritten() const = 0;
  [[nodiscard]] virtual T Residual(const Place& at) = 0;
  // The residual; fills its derivatives in the jet and in the unknowns.
  virtual T Linearise(const Place& at, std::span<T> jet,
                      std::span<T> unknowns) = 0;
};

template <class F, class T>
concept HasSlopes = requires(const F& f, const Field<T, T>& u,
                             FieldSlopes<T>& slopes) {
  f.Slopes(u, slopes);
};

// Residual for all kinds.
template <class T, class F>
class FunctionAtPoints : public PointConditions<T> {
 public:
  using typename PointConditions<T>::Place;

  explicit FunctionAtPoints(F function) : function_(std::move(function)) {}

  [[nodiscard]] bool HandWritten() const override { return HasSlopes<F, T>; }
  [[nodiscard]] T Residual(const Place& at) override {
    return function_(Field<T, T>(at));
  }

  T Linearise(const Place& at, std::span<T> jet,
              std::span<T> unknowns) override {
    if constexpr (HasSlopes<F, T>) {
      std::ranges::fill(jet, T(0));
      std::ranges::fill(unknowns, T(0));
      FieldSlopes<T> slopes(at.shape, at.outputs, jet, unknowns);
      const Field<T, T> field(at);
      function_.Slopes(field, slopes);
      return function_(field);
    } else if (jet.size() + unknowns.size() <= 2 * kChunk) {
      return Forward(at, jet, unknowns);
    } else {
      return Reverse(at, jet, unknowns);
    }
  }

 private:
  // Numbers that one evaluation is differentiated in.
  static constexpr std::size_t kChunk = 8;
  using Columns = solve::Dual<T, kChunk>;

  template <class S>
  static typename Field<T, S>::Data With(const Place& at, const S* jet,
                                         std::span<const S> unknowns) {
    return {.shape = at.shape,
            .outputs = at.outputs,
            .row = at.row,
            .x = at.x,
            .jet = jet,
            .unknowns = unknowns};
  }

  T Forward(const Place& at, std::span<T> jet, std::span<T> unknowns) {
    const std::size_t count = jet.size() + unknowns.size();
    duals_.resize(count);
    for (std::size_t i = 0; i < jet.size(); ++i) duals_[i] = at.jet[i];
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
      duals_[jet.size() + j] = at.unknowns[j];
    }
    const auto data =
        With<Columns>(at, duals_.data(),
                      std::span<const Columns>(duals_).subspan(jet.size()));
    Columns result;
    for (std::size_t first = 0; first < count; first += kChunk) {
      const std::size_t end = std::min(first + kChunk, count);
      for (std::size_t i = first; i < end; ++i) {
        duals_[i].SetDerivative(static_cast<int>(i - first), T(1));
      }
      result = function_(Field<T, Columns>(data));
      for (std::size_t i = first; i < end; ++i) {
        const T slope =
            result.Derivatives()[static_cast<Eigen::Index>(i - first)];
        (i < jet.size() ? jet[i] : unknowns[i - jet.size()]) = slope;
        duals_[i].SetDerivative(static_cast<int>(i - first), T(0));
      }
    }
    return result.Value();
  }

  T Reverse(const Place& at, std::span<T> jet, std::span<T> unknowns) {
    values_.assign(at.jet, at.jet + jet.size());
    values_.insert(values_.end(), at.unknowns.begin(), at.unknowns.end());
    tape_.Start(values_);
    const std::span<const solve::Tracked<T>> variables = tape_.Variables();
    const auto data = With<solve::Tracked<T>>(at, variables.data(),
                                              variables.subspan(jet.size()));
    solve::Tracked<T> result;
    {
      const solve::Recording<T> recording(tape_);
      result = function_(Field<T, solve::Tracked<T>>(data));
    }
    tape_.Clear();
    tape_.Seed(result, T(1));
    tape_.Sweep();
    const std::span<const T> gradient = tape_.Gradient();
    std::ranges::copy(gradient.first(jet.size()), jet.begin());
    std::ranges::copy(gradient.subspan(jet.size()), unknowns.begin());
    return result.Value();
  }

  F function_;
  AlignedVector<Columns> duals_;
  std::vector<T> values_;
  solve::Tape<T> tape_;
};

template <class T, class F>
std::unique_ptr<PointConditions<T>> MakePointConditions(F function) {
  static_assert(std::is_invocable_r_v<T, const F&, Field<T, T>>,
                "a condition is called with a const pde::Field<T, S>&, and "
                "returns its residual");
  static_assert(HasSlopes<F, T> ||
                    std::is_invocable_v<const F&, Field<T, solve::Dual<T, 8>>>,
                "to be differentiated, operator() must be a template over the "
                "number type "
                "S of pde::Field<T, S>; otherwise give it Slopes");
  return std::make_unique<FunctionAtPoints<T, F>>(std::move(function));
}

}  // namespace sven::pde

#endif  // SVEN_PDE_POINT_CONDITIONS_H_
