// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "testing/classic_functions.h"

namespace sven::testing {
namespace {

struct Rosenbrock {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
  }
};

struct FreudensteinRoth {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
    r[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
  }
};

struct PowellBadlyScaled {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    r[0] = 1e4 * x[0] * x[1] - 1;
    r[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
  }
};

struct BrownBadlyScaled {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    r[0] = x[0] - 1e6;
    r[1] = x[1] - 2e-6;
    r[2] = x[0] * x[1] - 2;
  }
};

struct Beale {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    r[0] = 1.5 - x[0] * (1 - x[1]);
    r[1] = 2.25 - x[0] * (1 - x[1] * x[1]);
    r[2] = 2.625 - x[0] * (1 - x[1] * x[1] * x[1]);
  }
};

struct JennrichSampson {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 1; i <= std::ssize(r); ++i) {
      r[i - 1] = 2 + 2 * i - (exp(i * x[0]) + exp(i * x[1]));
    }
  }
};

struct HelicalValley {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::atan, std::sqrt;
    T turn = x[0] == 0 ? T(x[1] < 0 ? -0.25 : 0.25)
                       : atan(x[1] / x[0]) / (2 * std::numbers::pi);
    if (x[0] < 0) turn += 0.5;
    r[0] = 10 * (x[2] - 10 * turn);
    r[1] = 10 * (sqrt(x[0] * x[0] + x[1] * x[1]) - 1);
    r[2] = x[2];
  }
};

struct Bard {
  static constexpr double kY[] = {0.14, 0.18, 0.22, 0.25, 0.29,
                                  0.32, 0.35, 0.39, 0.37, 0.58,
                                  0.73, 0.96, 1.34, 2.10, 4.39};
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    for (int i = 1; i <= 15; ++i) {
      const double u = i;
      const double v = 16 - i;
      const double w = std::min(u, v);
      r[i - 1] = kY[i - 1] - (x[0] + u / (v * x[1] + w * x[2]));
    }
  }
};

struct Gaussian {
  static constexpr double kY[] = {0.0009, 0.0044, 0.0175, 0.0540, 0.1295,
                                  0.2420, 0.3521, 0.3989, 0.3521, 0.2420,
                                  0.1295, 0.0540, 0.0175, 0.0044, 0.0009};
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 1; i <= 15; ++i) {
      const T t = (8 - i) / 2.0 - x[2];
      r[i - 1] = x[0] * exp(-x[1] * t * t / 2) - kY[i - 1];
    }
  }
};

struct Meyer {
  static constexpr double kY[] = {34780, 28610, 23650, 19630, 16370, 13720,
                                  11540, 9744,  8261,  7030,  6005,  5147,
                                  4427,  3820,  3307,  2872};
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 1; i <= 16; ++i) {
      r[i - 1] = x[0] * exp(x[1] / (45.0 + 5 * i + x[2])) - kY[i - 1];
    }
  }
};

struct Gulf {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::abs, std::exp, std::pow;
    for (int i = 1; i <= std::ssize(r); ++i) {
      const double t = i / 100.0;
      const double y = 25 + std::pow(-50 * std::log(t), 2.0 / 3);
      r[i - 1] = exp(-pow(abs(y - x[1]), x[2]) / x[0]) - t;
    }
  }
};

struct Box {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 1; i <= std::ssize(r); ++i) {
      const double t = 0.1 * i;
      r[i - 1] = exp(-t * x[0]) - exp(-t * x[1]) -
                 x[2] * (std::exp(-t) - std::exp(-10 * t));
    }
  }
};

}  // namespace

void AddSmallProblems(std::vector<ClassicProblem>& list) {
  list.push_back(Classic({1, "Rosenbrock", 2, {-1.2, 1}, {0}}, Rosenbrock()));
  list.push_back(
      Classic({2, "Freudenstein and Roth", 2, {0.5, -2}, {0, 48.9842}},
              FreudensteinRoth()));
  list.push_back(Classic({3, "Powell badly scaled", 2, {0, 1}, {0, 1e-8}},
                         PowellBadlyScaled()));
  list.push_back(
      Classic({4, "Brown badly scaled", 3, {1, 1}, {0}}, BrownBadlyScaled()));
  list.push_back(Classic({5, "Beale", 3, {1, 1}, {0, 0.452009}}, Beale()));
  list.push_back(
      Classic({6, "Jennrich and Sampson", 10, {0.3, 0.4}, {124.362, 259.580}},
              JennrichSampson()));
  list.push_back(
      Classic({7, "Helical valley", 3, {-1, 0, 0}, {0}}, HelicalValley()));
  list.push_back(
      Classic({8, "Bard", 15, {1, 1, 1}, {8.21487e-3, 17.4286}}, Bard()));
  list.push_back(Classic(
      {9, "Gaussian", 15, {0.4, 1, 0}, {1.12793e-8, 0.281128}}, Gaussian()));
  list.push_back(
      Classic({10, "Meyer", 16, {0.02, 4000, 250}, {87.9458}}, Meyer()));
  list.push_back(Classic(
      {11, "Gulf research and development", 99, {5, 2.5, 0.15}, {0, 32.835}},
      Gulf()));
  list.push_back(Classic({12, "Box", 10, {0, 10, 20}, {0, 0.0755887}}, Box()));
}

}  // namespace sven::testing
