// SPDX-License-Identifier: MIT
#include <cmath>

#include "testing/classic_functions.h"

namespace sven::testing {
namespace {

template <class T>
T Sum(In<T> x) {
  T sum = 0;
  for (const T& value : x) sum += value;
  return sum;
}

struct ExtendedRosenbrock {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
      r[i] = 10 * (x[i + 1] - x[i] * x[i]);
      r[i + 1] = 1 - x[i];
    }
  }
};

struct Penalty1 {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    T sum = -0.25;
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = std::sqrt(1e-5) * (x[i] - 1);
      sum += x[i] * x[i];
    }
    r[x.size()] = sum;
  }
};

struct Penalty2 {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::exp;
    const std::size_t n = x.size();
    const double root = std::sqrt(1e-5);
    T sum = -1;
    for (std::size_t i = 0; i < n; ++i) {
      sum += static_cast<double>(n - i) * x[i] * x[i];
      if (i == 0) continue;
      const auto place = static_cast<double>(i + 1);
      const double y = std::exp(place / 10) + std::exp((place - 1) / 10);
      r[i] = root * (exp(x[i] / 10) + exp(x[i - 1] / 10) - y);
      r[n + i - 1] = root * (exp(x[i] / 10) - std::exp(-0.1));
    }
    r[0] = x[0] - 0.2;
    r[2 * n - 1] = sum;
  }
};

struct VariablyDimensioned {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    T sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = x[i] - 1;
      sum += static_cast<double>(i + 1) * r[i];
    }
    r[x.size()] = sum;
    r[x.size() + 1] = sum * sum;
  }
};

struct Trigonometric {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    using std::cos, std::sin;
    T sum = static_cast<double>(x.size());
    for (const T& value : x) sum -= cos(value);
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = sum + static_cast<double>(i + 1) * (1 - cos(x[i])) - sin(x[i]);
    }
  }
};

struct BrownAlmostLinear {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    const T sum = Sum(x) - static_cast<double>(x.size() + 1);
    T product = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = x[i] + sum;
      product *= x[i];
    }
    r[x.size() - 1] = product - 1;
  }
};

struct BoundaryValue {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    const std::size_t n = x.size();
    const double h = 1.0 / static_cast<double>(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const T cube = x[i] + static_cast<double>(i + 1) * h + 1;
      r[i] = 2 * x[i] + h * h / 2 * cube * cube * cube;
      if (i > 0) r[i] -= x[i - 1];
      if (i + 1 < n) r[i] -= x[i + 1];
    }
  }
};

struct IntegralEquation {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    const std::size_t n = x.size();
    const double h = 1.0 / static_cast<double>(n + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double ti = static_cast<double>(i + 1) * h;
      T sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double tj = static_cast<double>(j + 1) * h;
        const T cube = x[j] + tj + 1;
        const double kernel = j <= i ? (1 - ti) * tj : ti * (1 - tj);
        sum += kernel * cube * cube * cube;
      }
      r[i] = x[i] + h / 2 * sum;
    }
  }
};

struct BroydenTridiagonal {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = (3 - 2 * x[i]) * x[i] + 1;
      if (i > 0) r[i] -= x[i - 1];
      if (i + 1 < x.size()) r[i] -= 2 * x[i + 1];
    }
  }
};

struct BroydenBanded {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    const Index n = std::ssize(x);
    for (Index i = 0; i < n; ++i) {
      r[i] = x[i] * (2 + 5 * x[i] * x[i]) + 1;
      for (Index j = std::max<Index>(0, i - 5); j <= std::min(n - 1, i + 1);
           ++j) {
        if (j != i) r[i] -= x[j] * (1 + x[j]);
      }
    }
  }
};

struct LinearFullRank {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    const T mean = 2.0 / static_cast<double>(r.size()) * Sum(x) + 1;
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = i < x.size() ? x[i] - mean : -mean;
    }
  }
};

struct LinearRank1 {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    T sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += static_cast<double>(j + 1) * x[j];
    }
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = static_cast<double>(i + 1) * sum - 1;
    }
  }
};

struct LinearRank1WithZeros {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    T sum = 0;
    for (std::size_t j = 1; j + 1 < x.size(); ++j) {
      sum += static_cast<double>(j + 1) * x[j];
    }
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = -1;
      if (i + 1 < r.size()) r[i] += static_cast<double>(i) * sum;
    }
  }
};

// The mean of T_i over the points against its integral over (0, 1), with the
// Chebyshev polynomials shifted there.
struct Chebyquad {
  template <class T>
  void operator()(In<T> x, Out<T> r) const {
    const auto n = static_cast<double>(x.size());
    for (T& value : r) value = 0;
    for (const T& point : x) {
      const T argument = 2 * point - 1;
      T before = 1;
      T now = argument;
      for (T& value : r) {
        value += now / n;
        const T next = 2 * argument * now - before;
        before = now;
        now = next;
      }
    }
    for (std::size_t i = 2; i <= r.size(); i += 2) {
      r[i - 1] += 1.0 / static_cast<double>(i * i - 1);
    }
  }
};

std::vector<double> Start(int n, const std::function<double(int)>& entry) {
  std::vector<double> start;
  for (int j = 1; j <= n; ++j) start.push_back(entry(j));
  return start;
}

}  // namespace

void AddProblemsOfAnySize(std::vector<ClassicProblem>& list) {
  const auto constant = [](int n, double value) {
    return Start(n, [=](int) { return value; });
  };
  const auto grid = [](int n) {  // t (t - 1), t = j / (n + 1)
    return Start(n, [=](int j) {
      const double t = double(j) / (n + 1);
      return t * (t - 1);
    });
  };
  const auto counted = [](int j) { return double(j); };
  list.push_back(Classic({21,
                          "extended Rosenbrock, n = 20",
                          20,
                          Start(20, [](int j) { return j % 2 ? -1.2 : 1; }),
                          {0}},
                         ExtendedRosenbrock()));
  list.push_back(
      Classic({23, "penalty I, n = 4", 5, Start(4, counted), {2.24997e-5}},
              Penalty1()));
  list.push_back(
      Classic({23, "penalty I, n = 10", 11, Start(10, counted), {7.08765e-5}},
              Penalty1()));
  list.push_back(
      Classic({24, "penalty II, n = 4", 8, constant(4, 0.5), {9.37629e-6}},
              Penalty2()));
  list.push_back(
      Classic({24, "penalty II, n = 10", 20, constant(10, 0.5), {2.93660e-4}},
              Penalty2()));
  list.push_back(Classic({25,
                          "variably dimensioned, n = 10",
                          12,
                          Start(10, [](int j) { return 1 - j / 10.0; }),
                          {0}},
                         VariablyDimensioned()));
  list.push_back(Classic({26,
                          "trigonometric, n = 10",
                          10,
                          constant(10, 0.1),
                          {0, 2.79506e-5, 4.21863e-5, 8.78823e-4}},
                         Trigonometric()));
  list.push_back(Classic(
      {27, "Brown almost linear, n = 10", 10, constant(10, 0.5), {0, 1}},
      BrownAlmostLinear()));
  list.push_back(
      Classic({28, "discrete boundary value, n = 10", 10, grid(10), {0}},
              BoundaryValue()));
  list.push_back(
      Classic({29, "discrete integral equation, n = 10", 10, grid(10), {0}},
              IntegralEquation()));
  list.push_back(
      Classic({30, "Broyden tridiagonal, n = 10", 10, constant(10, -1), {0}},
              BroydenTridiagonal()));
  list.push_back(
      Classic({31, "Broyden banded, n = 10", 10, constant(10, -1), {0}},
              BroydenBanded()));
  // m - n; m (m - 1) / (2 (2 m + 1)); (m^2 + 3 m - 6) / (2 (2 m - 3)).
  list.push_back(
      Classic({32, "linear, full rank, 20 x 10", 20, constant(10, 1), {10}},
              LinearFullRank()));
  list.push_back(Classic(
      {33, "linear, rank 1, 20 x 10", 20, constant(10, 1), {190.0 / 41}},
      LinearRank1()));
  list.push_back(Classic({34,
                          "linear, rank 1 with zeros, 20 x 10",
                          20,
                          constant(10, 1),
                          {227.0 / 37}},
                         LinearRank1WithZeros()));
  list.push_back(Classic({35,
                          "Chebyquad, n = 8",
                          8,
                          Start(8, [](int j) { return j / 9.0; }),
                          {3.51687e-3}},
                         Chebyquad()));
  list.push_back(Classic({35,
                          "Chebyquad, n = 10",
                          10,
                          Start(10, [](int j) { return j / 11.0; }),
                          {4.77271e-3, 6.50395e-3, 9.50063e-3}},
                         Chebyquad()));
}

}  // namespace sven::testing
