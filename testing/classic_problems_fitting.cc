// SPDX-License-Identifier: MIT
#include <cmath>

#include "testing/classic_functions.h"

namespace sven::testing {
namespace {

struct PowellSingular {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    // Also the extended one: blocks of four.
    for (std::size_t i = 0; i + 3 < x.size(); i += 4) {
      const T inner = x[i + 1] - 2 * x[i + 2];
      const T outer = x[i] - x[i + 3];
      r[i] = x[i] + 10 * x[i + 1];
      r[i + 1] = std::sqrt(5.0) * (x[i + 2] - x[i + 3]);
      r[i + 2] = inner * inner;
      r[i + 3] = std::sqrt(10.0) * outer * outer;
    }
  }
};

struct Wood {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
    r[2] = std::sqrt(90.0) * (x[3] - x[2] * x[2]);
    r[3] = 1 - x[2];
    r[4] = std::sqrt(10.0) * (x[1] + x[3] - 2);
    r[5] = (x[1] - x[3]) / std::sqrt(10.0);
  }
};

struct KowalikOsborne {
  static constexpr double kY[] = {0.1957, 0.1947, 0.1735, 0.1600,
                                  0.0844, 0.0627, 0.0456, 0.0342,
                                  0.0323, 0.0235, 0.0246};
  static constexpr double kU[] = {4,     2,   1,      0.5,    0.25,  0.167,
                                  0.125, 0.1, 0.0833, 0.0714, 0.0625};
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    for (int i = 0; i < 11; ++i) {
      const double u = kU[i];
      r[i] = kY[i] - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3]);
    }
  }
};

struct BrownDennis {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    for (int i = 1; i <= std::ssize(r); ++i) {
      const double t = i / 5.0;
      const T a = x[0] + t * x[1] - std::exp(t);
      const T b = x[2] + std::sin(t) * x[3] - std::cos(t);
      r[i - 1] = a * a + b * b;
    }
  }
};

struct Osborne1 {
  static constexpr double kY[] = {
      0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818,
      0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558,
      0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438,
      0.431, 0.424, 0.420, 0.414, 0.411, 0.406};
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 0; i < 33; ++i) {
      const double t = 10 * i;
      r[i] = kY[i] - (x[0] + x[1] * exp(-t * x[3]) + x[2] * exp(-t * x[4]));
    }
  }
};

struct Biggs {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 1; i <= std::ssize(r); ++i) {
      const double t = 0.1 * i;
      const double y =
          std::exp(-t) - 5 * std::exp(-10 * t) + 3 * std::exp(-4 * t);
      r[i - 1] = x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) +
                 x[5] * exp(-t * x[4]) - y;
    }
  }
};

struct Osborne2 {
  static constexpr double kY[] = {
      1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725,
      0.746, 0.679, 0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724,
      0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495,
      0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429,
      0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632,
      0.591, 0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581,
      0.428, 0.292, 0.162, 0.098, 0.054};
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    for (int i = 0; i < 65; ++i) {
      const double t = i / 10.0;
      T sum = x[0] * exp(-t * x[4]);
      for (int k = 1; k < 4; ++k) {
        const T away = t - x[7 + k];
        sum += x[k] * exp(-away * away * x[4 + k]);
      }
      r[i] = kY[i] - sum;
    }
  }
};

struct Watson {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    for (int i = 1; i <= 29; ++i) {
      const double t = i / 29.0;
      T value = 0;
      T slope = 0;
      double power = 1;  // t^j
      for (std::size_t j = 0; j < x.size(); ++j) {
        value += power * x[j];
        if (j + 1 < x.size()) {
          slope += static_cast<double>(j + 1) * power * x[j + 1];
        }
        power *= t;
      }
      r[i - 1] = slope - value * value - 1;
    }
    r[29] = x[0];
    r[30] = x[1] - x[0] * x[0] - 1;
  }
};

}  // namespace

void AddFittingProblems(std::vector<ClassicProblem>& list) {
  list.push_back(Classic({13, "Powell singular", 4, {3, -1, 0, 1}, {0}},
                         PowellSingular()));
  list.push_back(Classic({14, "Wood", 6, {-3, -1, -3, -1}, {0}}, Wood()));
  list.push_back(Classic({15,
                          "Kowalik and Osborne",
                          11,
                          {0.25, 0.39, 0.415, 0.39},
                          {3.07505e-4, 1.02734e-3}},
                         KowalikOsborne()));
  list.push_back(Classic(
      {16, "Brown and Dennis", 20, {25, 5, -5, -1}, {85822.2}}, BrownDennis()));
  list.push_back(
      Classic({17, "Osborne 1", 33, {0.5, 1.5, -1, 0.01, 0.02}, {5.46489e-5}},
              Osborne1()));
  list.push_back(Classic(
      {18, "Biggs EXP6", 13, {1, 2, 1, 1, 1, 1}, {0, 5.65565e-3, 0.306367}},
      Biggs()));
  list.push_back(Classic({19,
                          "Osborne 2",
                          65,
                          {1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5},
                          {4.01377e-2, 1.78981}},
                         Osborne2()));
  const auto zeros = [](std::size_t n) { return std::vector<double>(n, 0.0); };
  list.push_back(
      Classic({20, "Watson, n = 6", 31, zeros(6), {2.28767e-3}}, Watson()));
  list.push_back(
      Classic({20, "Watson, n = 9", 31, zeros(9), {1.39976e-6}}, Watson()));
  list.push_back(
      Classic({20, "Watson, n = 12", 31, zeros(12), {4.72238e-10}}, Watson()));
  std::vector<double> start;
  for (int i = 0; i < 5; ++i) start.insert(start.end(), {3, -1, 0, 1});
  list.push_back(
      Classic({22, "extended Powell singular, n = 20", 20, start, {0}},
              PowellSingular()));
}

}  // namespace sven::testing
