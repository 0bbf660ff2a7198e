// SPDX-License-Identifier: MIT
#include "sven/solve/finite_differences.h"

#include <vector>

namespace sven::solve::internal {
namespace {

// A finite difference.
struct Estimate {
  double value;
  double truncation;
  double noise;
  double misfit;  // to a parabola, as a part of the residual; 0 if noise

  [[nodiscard]] double Uncertainty() const { return truncation + noise; }
  // Known well enough to have a sign and a size.
  [[nodiscard]] bool Resolved() const {
    return 20 * Uncertainty() <= std::abs(value);
  }
};

bool Contradict(const Estimate& a, const Estimate& b) {
  return std::abs(a.value - b.value) > 10 * (a.Uncertainty() + b.Uncertainty());
}

// Takes the difference of a step, or of a smaller one than before, into account.
//
// The rounding of a difference is known, its truncation only estimated: where the
// function has turned many times within a step, both can be small by chance. So
// of two that contradict each other the smaller step is right, unless all that
// it sees is noise; and two that agree settle the matter, if they are not too
// coarse for the function.
void Judge(const Estimate& next, double tolerance, Derivative& d) {
  if (!std::isfinite(next.value)) return;
  const Estimate best{d.difference, d.uncertainty, 0, 0};
  const bool first = std::isnan(best.value);
  const bool contradicts = !first && Contradict(next, best);
  const bool better = next.Uncertainty() < d.uncertainty || contradicts;
  if (first || (better && (next.Resolved() || !best.Resolved()))) {
    d.difference = next.value;
    d.uncertainty = next.Uncertainty();
  }
  const double larger = Larger(d.given, d.difference);
  const double limit = 10 * d.uncertainty;
  // Written so that a given NaN counts.
  d.wrong = !(std::abs(d.given - d.difference) <= tolerance * larger + limit);
  if (next.misfit > 0.01) return;
  if (d.wrong) {
    d.settled = !contradicts && best.Resolved() && next.Resolved();
  } else {
    // What is less certain than that agrees with wrong entries, too.
    d.settled = limit <= 0.1 * larger || next.misfit < 1e-4;
  }
}

// Of all residuals in one number.
template <class T>
class Differences {
 public:
  Differences(const Variable<T>& variable, std::size_t count)
      : variable_(variable),
        coarse_(count),
        fine_(count),
        coarse_bend_(count),
        fine_bend_(count),
        size_(count),
        above_(count),
        below_(count) {}

  // From the steps h and h / 2.
  void Measure(double h, std::span<const Derivative> derivatives) {
    std::ranges::fill(size_, 0.0);
    step_ = h;
    narrowest_ = 2 * h;
    central_ = Quotient(h, derivatives, coarse_, coarse_bend_);
    Quotient(h / 2, derivatives, fine_, fine_bend_);
  }

  [[nodiscard]] Estimate At(std::size_t a, double rounding) const {
    // Of differences that a bound has shortened no order is known.
    const double change = (fine_[a] - coarse_[a]) / (central_ ? 3 : 1);
    const double value = central_ ? fine_[a] + change : fine_[a];
    const double argument = std::abs(value * double{variable_.value});
    const double noise =
        8 * std::max(rounding, kEps * std::max(size_[a], argument));
    // What a parabola leaves of the even part tells of the odd one's next term.
    const double even =
        central_ ? std::abs(coarse_bend_[a] - 4 * fine_bend_[a]) : 0;
    const double left = std::max(std::abs(change) * step_, even);
    return {value, left / step_, noise / narrowest_,
            left > noise ? left / size_[a] : 0};
  }

 private:
  static constexpr double kEps = std::numeric_limits<T>::epsilon();

  // Within the bounds. Returns whether it is a central one.
  bool Quotient(double h, std::span<const Derivative> derivatives,
                std::vector<double>& slope, std::vector<double>& bend) {
    const auto move = [&](double to) {
      return std::clamp(static_cast<T>(to), variable_.lower, variable_.upper);
    };
    const T high = move(variable_.value + h);
    const T low = move(variable_.value - h);
    variable_.residuals(high, above_);
    variable_.residuals(low, below_);
    const double width = double{high} - low;
    narrowest_ = std::min(narrowest_, width);
    for (std::size_t a = 0; a < slope.size(); ++a) {
      const double here = derivatives[a].residual;
      size_[a] =
          std::max({size_[a], std::abs(here), Larger(above_[a], below_[a])});
      slope[a] = (double{above_[a]} - below_[a]) / width;
      bend[a] = above_[a] + (below_[a] - 2 * here);
    }
    return high == static_cast<T>(variable_.value + h) &&
           low == static_cast<T>(variable_.value - h);
  }

  const Variable<T>& variable_;
  double step_ = 0;
  double narrowest_ = 0;  // of the quotients' widths
  bool central_ = true;
  std::vector<double> coarse_;
  std::vector<double> fine_;
  std::vector<double> coarse_bend_;  // r(x + h) + r(x - h) - 2 r(x)
  std::vector<double> fine_bend_;
  std::vector<double> size_;  // of the residuals
  std::vector<T> above_;
  std::vector<T> below_;
};

}  // namespace

template <class T>
void CompareWithDifferences(const Variable<T>& variable, double tolerance,
                            std::span<Derivative> derivatives) {
  if (!(variable.lower < variable.upper)) return;  // it is held
  // From a number other than zero, rounding ends it before. No step is a whole
  // fraction of the last, lest a periodic function looks alike to both.
  constexpr int kSteps = 12;
  constexpr double kEps = std::numeric_limits<T>::epsilon();
  Differences<T> differences(variable, derivatives.size());
  double h = std::pow(kEps, 0.2) * variable.scale;
  for (int step = 0; step < kSteps; ++step, h /= 97.3) {
    if (step > 0 && h < 8 * kEps * std::abs(double{variable.value})) return;
    differences.Measure(h, derivatives);
    bool settled = true;
    for (std::size_t a = 0; a < derivatives.size(); ++a) {
      Derivative& d = derivatives[a];
      if (!d.settled) Judge(differences.At(a, d.rounding), tolerance, d);
      settled = settled && d.settled;
    }
    if (settled) return;
  }
}

template void CompareWithDifferences(const Variable<float>&, double,
                                     std::span<Derivative>);
template void CompareWithDifferences(const Variable<double>&, double,
                                     std::span<Derivative>);

}  // namespace sven::solve::internal
