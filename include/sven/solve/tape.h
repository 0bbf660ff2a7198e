// SPDX-License-Identifier: MIT
//
// Reverse mode: the operations of an evaluation are written down, and read
// backwards they give the derivatives of one result in all variables at once.
// One gradient costs a small multiple of the function, however many variables
// there are; the tape takes 24 bytes per operation in double.
//
//     Tape<double> tape;
//     tape.Start(theta);                          // the variables
//     Tracked<double> y;
//     {
//       Recording<double> recording(tape);
//       y = f(tape.Variables());
//     }
//     tape.Clear();  tape.Seed(y, 1);  tape.Sweep();
//     tape.Gradient()                             // dy / dtheta
#ifndef SVEN_SOLVE_TAPE_H_
#define SVEN_SOLVE_TAPE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "sven/base/error.h"
#include "sven/base/types.h"
#include "sven/solve/differentiable.h"

namespace sven::solve {

template <class T>
class Tape;

// A number whose operations go to the tape that this thread records on.
template <class T>
class Tracked : public Differentiable<Tracked<T>, T> {
 public:
  Tracked() = default;
  template <class A, class = std::enable_if_t<std::is_arithmetic_v<A>>>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Tracked(A value) : value_(static_cast<T>(value)) {}

  [[nodiscard]] T Value() const { return value_; }

  static Tracked Chain(T f, T df, const Tracked& x) {
    return Tape<T>::Record(f, df, x.node_, T(0), kConstant);
  }
  static Tracked Chain(T f, T da, const Tracked& a, T db, const Tracked& b) {
    return Tape<T>::Record(f, da, a.node_, db, b.node_);
  }

 private:
  friend class Tape<T>;
  static constexpr std::int32_t kConstant = -1;

  T value_ = T(0);
  std::int32_t node_ = kConstant;
};

template <class T>
class Tape {
 public:
  // A new tape that holds the variables and nothing else.
  void Start(std::span<const T> theta) {
    nodes_.assign(theta.size(), Node{});
    variables_.resize(theta.size());
    for (std::size_t i = 0; i < theta.size(); ++i) {
      variables_[i].value_ = theta[i];
      variables_[i].node_ = static_cast<std::int32_t>(i);
    }
  }
  // Back to there, with the same variables.
  void Rewind() { nodes_.resize(variables_.size()); }

  [[nodiscard]] std::span<const Tracked<T>> Variables() const {
    return variables_;
  }

  // Forgets the seeds of the last sweep.
  void Clear() { adjoints_.assign(nodes_.size(), T(0)); }
  // The derivative of what is asked for in `result`.
  void Seed(const Tracked<T>& result, T weight) {
    if (result.node_ != Tracked<T>::kConstant) {
      adjoints_[result.node_] += weight;
    }
  }
  void Sweep() {
    const Index first = std::ssize(variables_);
    for (Index i = std::ssize(nodes_) - 1; i >= first; --i) {
      const T adjoint = adjoints_[i];
      if (adjoint == 0) continue;
      const Node& node = nodes_[i];
      if (node.a >= 0) adjoints_[node.a] += adjoint * node.da;
      if (node.b >= 0) adjoints_[node.b] += adjoint * node.db;
    }
  }
  [[nodiscard]] std::span<const T> Gradient() const {
    return std::span<const T>(adjoints_).first(variables_.size());
  }

 private:
  friend class Tracked<T>;
  template <class S>
  friend class Recording;

  // One operation: what it was applied to, with the partial derivatives.
  struct Node {
    std::int32_t a = Tracked<T>::kConstant;
    std::int32_t b = Tracked<T>::kConstant;
    T da = T(0);
    T db = T(0);
  };

  static Tracked<T> Record(T value, T da, std::int32_t a, T db,
                           std::int32_t b) {
    Tracked<T> result(value);
    // 0 * infinity = 0 (differentiable.h): it does not depend on such operands.
    if (da == 0) a = Tracked<T>::kConstant;
    if (db == 0) b = Tracked<T>::kConstant;
    if (a < 0 && b < 0) return result;
    Check(active_ != nullptr,
          "tracked numbers belong to the thread that called the function: let "
          "the function use no threads, or add it with GroupOptions::mode = "
          "Mode::kForward");
    Check(
        active_->nodes_.size() < std::numeric_limits<std::int32_t>::max(),
        "a function of more than 2^31 operations: give it rows, so that it is "
        "recorded in parts");
    result.node_ = static_cast<std::int32_t>(active_->nodes_.size());
    active_->nodes_.push_back({a, b, da, db});
    return result;
  }

  static inline thread_local Tape* active_ = nullptr;

  std::vector<Node> nodes_;
  std::vector<Tracked<T>> variables_;
  std::vector<T> adjoints_;
};

// While it lives, this thread records on the tape.
template <class T>
class Recording {
 public:
  explicit Recording(Tape<T>& tape) : before_(Tape<T>::active_) {
    Tape<T>::active_ = &tape;
  }
  ~Recording() { Tape<T>::active_ = before_; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Tape<T>* before_;
};

}  // namespace sven::solve

#endif  // SVEN_SOLVE_TAPE_H_
