// SPDX-License-Identifier: MIT
#include "sven/solve/check_jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sven/base/error.h"
#include "sven/base/random.h"
#include "sven/solve/finite_differences.h"
#include "sven/solve/group.h"

namespace sven::solve {
namespace {

// At most `limit` of 0 ... count - 1, at equal distances.
std::vector<Index> Spread(Index count, Index limit) {
  const Index size = std::min(count, limit);
  std::vector<Index> chosen(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) chosen[i] = i * count / size;
  return chosen;
}

// eps sum_i |M_ai theta_i|: that of a sum of such terms.
template <class T>
std::vector<double> RoundingOf(const Matrix<T>& M, std::span<const T> theta) {
  std::vector<double> rounding(static_cast<std::size_t>(M.rows()), 0.0);
  for (Index a = 0; a < M.rows(); ++a) {
    double terms = 0;
    for (Index i = 0; i < M.cols(); ++i) {
      terms += std::abs(double{M(a, i)} * theta[i]);
    }
    if (std::isfinite(terms)) {
      rounding[a] = double{std::numeric_limits<T>::epsilon()} * terms;
    }
  }
  return rounding;
}

// What is compared of one group, and where.
template <class T>
struct Compared {
  const std::string& group;
  Conditions<T>& conditions;
  std::span<const T> theta;
  std::vector<Index> rows;   // those with a finite residual
  std::vector<T> residuals;  // theirs
  Matrix<T> M = {};          // theirs

  Compared(const typename Problem<T>::Group& of, std::span<const T> where,
           Index limit)
      : group(of.name), conditions(*of.conditions), theta(where) {
    const auto spread = Spread(conditions.Count(), limit);
    std::vector<T> r(spread.size());
    InGroup(group, [&] { conditions.Residuals({theta, spread}, r); });
    for (std::size_t a = 0; a < r.size(); ++a) {
      if (!std::isfinite(r[a])) continue;
      rows.push_back(spread[a]);
      residuals.push_back(r[a]);
    }
    if (rows.empty()) return;
    M.resize(std::ssize(rows), std::ssize(theta));
    InGroup(group, [&] { conditions.Jacobian({theta, rows}, MutableView(M)); });
  }
};

template <class T>
void CompareEntries(const Compared<T>& is, std::span<const Index> columns,
                    double tolerance, const Bounds<T>& bounds,
                    std::vector<WrongEntry>& wrong) {
  const std::vector<double> rounding = RoundingOf<T>(is.M, is.theta);
  double size = 0;  // of the largest parameter
  for (const T x : is.theta) size = std::max(size, std::abs(double{x}));
  std::vector<T> theta(is.theta.begin(), is.theta.end());
  std::vector<internal::Derivative> derivatives(is.rows.size());
  for (const Index column : columns) {
    const double start = std::abs(double{is.theta[column]});
    internal::Variable<T> variable{
        .value = is.theta[column],
        .scale = start == 0 ? 1 : std::max(start, 1e-6 * size),
        .residuals = [&](T x, std::span<T> out) {
          theta[column] = x;
          InGroup(is.group, [&] {
            is.conditions.Residuals({theta, is.rows}, out);
          });
        }};
    if (!bounds.lower.empty()) variable.lower = bounds.lower[column];
    if (!bounds.upper.empty()) variable.upper = bounds.upper[column];
    for (std::size_t a = 0; a < derivatives.size(); ++a) {
      derivatives[a] = {.given = static_cast<double>(is.M(a, column)),
                        .residual = is.residuals[a],
                        .rounding = rounding[a]};
    }
    internal::CompareWithDifferences<T>(variable, tolerance, derivatives);
    theta[column] = is.theta[column];
    for (std::size_t a = 0; a < derivatives.size(); ++a) {
      const internal::Derivative& d = derivatives[a];
      if (!d.wrong) continue;
      wrong.push_back({.group = is.group,
                       .row = is.rows[a],
                       .column = column,
                       .given = d.given,
                       .difference = d.difference,
                       .uncertainty = d.uncertainty});
    }
  }
}

// 1 / norms; small ones, which may be rounding, count as `least` of the largest.
Vector<double> Inverse(const Vector<double>& norms, double least) {
  const double largest = norms.maxCoeff();
  if (largest == 0) return Vector<double>::Ones(norms.size());
  return norms.cwiseMax(least * largest).cwiseInverse();
}

// For v and w in which all columns, and all rows, of M count alike.
template <class T>
void CompareProducts(const Compared<T>& is, double tolerance,
                     std::vector<WrongEntry>& wrong) {
  constexpr int kPairs = 2;
  constexpr double kEps = std::numeric_limits<T>::epsilon();
  if (!is.M.allFinite()) return;
  // M diag(v), one row at a time: M may be large.
  const auto row = [&](Index a, const Vector<double>& v) -> Vector<double> {
    return is.M.row(a).transpose().template cast<double>().cwiseProduct(v);
  };
  const double least = std::min(1.0, kEps / tolerance);
  const Vector<double> in_columns =
      Inverse(is.M.template cast<double>().colwise().norm(), least);
  Vector<double> norms(is.M.rows());
  for (Index a = 0; a < norms.size(); ++a) norms[a] = row(a, in_columns).norm();
  const Vector<double> in_rows = Inverse(norms, least);

  RandomStream random(1, RandomUse::kProjection);
  const auto draw = [&](const Vector<double>& scales) -> Vector<T> {
    return scales
        .unaryExpr([&](double scale) { return scale * random.Normal(); })
        .template cast<T>();
  };
  const auto dot = [](const Vector<T>& a, const Vector<T>& b) {
    return a.template cast<double>().dot(b.template cast<double>());
  };
  const auto span = [](auto& x) {
    return std::span(x.data(), static_cast<std::size_t>(x.size()));
  };
  for (int pair = 0; pair < kPairs; ++pair) {
    const Vector<T> v = draw(in_columns);
    const Vector<T> w = draw(in_rows);
    Vector<T> forward(w.size());
    Vector<T> back = Vector<T>::Zero(v.size());
    InGroup(is.group, [&] {
      const Place<T> at{is.theta, is.rows};
      is.conditions.PushForward(at, span(v), span(forward));
      is.conditions.AddPullBack(at, span(w), span(back));
    });
    double sum = 0;  // of all |w_a M_ai v_i|
    double squares = 0;
    for (Index a = 0; a < w.size(); ++a) {
      const Vector<double> terms =
          double{w[a]} * row(a, v.template cast<double>());
      sum += terms.template lpNorm<1>();
      squares += terms.squaredNorm();
    }
    WrongEntry products{.finding = Finding::kProducts,
                        .group = is.group,
                        .given = dot(w, forward),
                        .difference = dot(v, back),
                        .uncertainty = kEps * sum};
    // Entries that are wrong add up as their squares do.
    if (!(std::abs(products.given - products.difference) <=
          tolerance * std::sqrt(squares) + 10 * products.uncertainty)) {
      wrong.push_back(std::move(products));
      return;
    }
  }
}

}  // namespace

double WrongEntry::RelativeError() const {
  if (!std::isfinite(given)) return std::numeric_limits<double>::infinity();
  const double larger = internal::Larger(given, difference);
  return larger == 0 ? 0 : std::abs(given - difference) / larger;
}

std::string WrongEntry::Describe() const {
  if (finding == Finding::kProducts) {
    return fmt::format(
        "group '{}': PushForward and PullBack do not belong to the same "
        "matrix: w.(M v) is {:.6g}, v.(M^T w) {:.6g}",
        group, given, difference);
  }
  const bool turned =
      std::abs(given + difference) <=
      1e-3 * internal::Larger(given, difference) + 10 * uncertainty;
  return fmt::format(
      "group '{}', condition {}, parameter {}: the Jacobian says {:.6g}, "
      "finite differences {:.6g}{}",
      group, row, column, given, difference,
      turned ? "; the sign is wrong" : "");
}

template <class T>
std::vector<WrongEntry> CheckJacobian(
    const Problem<T>& problem, std::type_identity_t<std::span<const T>> theta,
    const JacobianCheckOptions& options,
    const std::type_identity_t<Bounds<T>>& bounds) {
  internal::CheckSizes<T>(problem, theta);
  ValidateFields("JacobianCheckOptions", options);
  bounds.Validate(problem.NumParameters());
  bounds.CheckInside(theta);
  const double tolerance =
      options.tolerance > 0 ? options.tolerance : internal::kWrongFrom<T>;
  const auto columns = Spread(problem.NumParameters(), options.columns);
  std::vector<WrongEntry> wrong;
  for (const auto& group : problem.Groups()) {
    const bool by_hand = group.conditions->HandWritten();
    if (options.only_hand_written && !by_hand) continue;
    const Compared<T> compared(group, theta, options.rows);
    if (compared.rows.empty()) continue;
    CompareEntries(compared, columns, tolerance, bounds, wrong);
    if (by_hand) CompareProducts(compared, tolerance, wrong);
  }
  std::ranges::stable_sort(wrong, std::ranges::greater(),
                           &WrongEntry::RelativeError);
  return wrong;
}

template std::vector<WrongEntry> CheckJacobian(const Problem<float>&,
                                               std::span<const float>,
                                               const JacobianCheckOptions&,
                                               const Bounds<float>&);
template std::vector<WrongEntry> CheckJacobian(const Problem<double>&,
                                               std::span<const double>,
                                               const JacobianCheckOptions&,
                                               const Bounds<double>&);

}  // namespace sven::solve
