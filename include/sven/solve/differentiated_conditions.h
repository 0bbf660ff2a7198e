// SPDX-License-Identifier: MIT
//
// Conditions whose function is a template over the number type, differentiated
// automatically:
//
//   forward   kChunk columns of M per evaluation in Dual numbers; the cost grows
//             with the number of parameters
//   reverse   a row of M per sweep over a tape of Tracked numbers; the cost does
//             not depend on the number of parameters. With a function that takes
//             rows the tape holds one condition at a time; without, all of them
//
// A tape belongs to a thread: functions that use threads are for forward mode.
#ifndef SVEN_SOLVE_DIFFERENTIATED_CONDITIONS_H_
#define SVEN_SOLVE_DIFFERENTIATED_CONDITIONS_H_

#include <algorithm>

#include "sven/solve/dual.h"
#include "sven/solve/function_conditions.h"
#include "sven/solve/tape.h"

namespace sven::solve {

enum class Mode { kAuto, kForward, kReverse };

template <class T, class F>
class DifferentiatedConditions : public FunctionConditions<T, F> {
 public:
  using Base = FunctionConditions<T, F>;

  // Parameters that one evaluation is differentiated in.
  static constexpr int kChunk = 8;

  DifferentiatedConditions(Index count, F function, Mode mode)
      : Base(count, std::move(function)), mode_(mode) {}

  [[nodiscard]] bool HandWritten() const override { return false; }

  void Jacobian(const Place<T>& at, MatrixView<T> M) override {
    if (Forward(std::ssize(at.theta), std::ssize(at.rows))) {
      ForwardJacobian(at, M);
    } else {
      ReverseJacobian(at, M);
    }
  }
  void AddPullBack(const Place<T>& at, std::span<const T> w,
                   std::span<T> out) override {
    if (mode_ == Mode::kForward) {
      AddForwardPullBack(at, w, out);
    } else {
      AddReversePullBack(at, w, out);
    }
  }
  void PushForward(const Place<T>& at, std::span<const T> v,
                   std::span<T> out) override {
    along_.resize(at.theta.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      along_[i] = at.theta[i];
      along_[i].SetDerivative(0, v[i]);
    }
    const auto results =
        this->template Call<Along>(along_, at.rows, along_cells_);
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a] = results[Base::At(at.rows, a)].Derivatives()[0];
    }
  }

 private:
  using Columns = Dual<T, kChunk>;
  using Along = Dual<T, 1>;

  // Measured, in evaluations of the function: a pass in duals costs about 2, all
  // rows in reverse mode 5 to 20, and another 0.4 for each row whose tape holds
  // all of them.
  [[nodiscard]] bool Forward(Index parameters, Index rows) const {
    if (mode_ != Mode::kAuto) return mode_ == Mode::kForward;
    const Index passes = (parameters + kChunk - 1) / kChunk;
    return passes <= 5 + (Base::kTakesRows ? 0 : rows / 5);
  }

  // Calls visit(first, size, results) for every chunk of parameters, with the
  // results differentiated in them.
  template <class Visit>
  void ForChunks(const Place<T>& at, Visit&& visit) {
    const Index N = std::ssize(at.theta);
    columns_.assign(at.theta.begin(), at.theta.end());
    for (Index first = 0; first < N; first += kChunk) {
      const Index size = std::min<Index>(kChunk, N - first);
      for (Index j = 0; j < size; ++j) {
        columns_[first + j].SetDerivative(static_cast<int>(j), T(1));
      }
      visit(first, size,
            this->template Call<Columns>(columns_, at.rows, column_cells_));
      for (Index j = 0; j < size; ++j)
        columns_[first + j] = at.theta[first + j];
    }
  }

  void ForwardJacobian(const Place<T>& at, MatrixView<T> M) {
    ForChunks(at, [&](Index first, Index size, auto results) {
      for (Index a = 0; a < M.rows(); ++a) {
        M.row(a).segment(first, size) = results[Base::At(at.rows, a)]
                                            .Derivatives()
                                            .head(size)
                                            .matrix()
                                            .transpose();
      }
    });
  }
  void AddForwardPullBack(const Place<T>& at, std::span<const T> w,
                          std::span<T> out) {
    ForChunks(at, [&](Index first, Index size, auto results) {
      VectorView<T> part(out.data() + first, size);
      for (std::size_t a = 0; a < w.size(); ++a) {
        if (w[a] == 0) continue;  // as on a tape
        const auto& slopes = results[Base::At(at.rows, a)].Derivatives();
        part += w[a] * slopes.head(size).matrix();
      }
    });
  }

  void AddReversePullBack(const Place<T>& at, std::span<const T> w,
                          std::span<T> out) {
    tape_.Start(at.theta);
    // The tape of so many conditions at a time stays in the cache.
    constexpr std::size_t kBlock = Base::kTakesRows ? 64 : std::size_t(-1);
    for (std::size_t done = 0; done < w.size();) {
      const std::size_t size = std::min(kBlock, w.size() - done);
      const auto rows = at.rows.subspan(done, size);
      const auto results = Record(rows);
      tape_.Clear();
      for (std::size_t a = 0; a < size; ++a) {
        tape_.Seed(results[Base::At(rows, a)], w[done + a]);
      }
      tape_.Sweep();
      const std::span<const T> gradient = tape_.Gradient();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += gradient[i];
      done += size;
    }
  }
  void ReverseJacobian(const Place<T>& at, MatrixView<T> M) {
    tape_.Start(at.theta);
    std::span<const Tracked<T>> results;
    if constexpr (!Base::kTakesRows) results = Record(at.rows);
    for (std::size_t a = 0; a < at.rows.size(); ++a) {
      if constexpr (Base::kTakesRows) results = Record(at.rows.subspan(a, 1));
      tape_.Clear();
      tape_.Seed(results[Base::kTakesRows ? 0 : Base::At(at.rows, a)], T(1));
      tape_.Sweep();
      M.row(a) =
          ConstVectorView<T>(tape_.Gradient().data(), M.cols()).transpose();
    }
  }

  std::span<const Tracked<T>> Record(std::span<const Index> rows) {
    tape_.Rewind();
    const Recording<T> recording(tape_);
    return this->template Call<Tracked<T>>(tape_.Variables(), rows,
                                           tracked_cells_);
  }

  Mode mode_;
  AlignedVector<Columns> columns_;
  Guarded<Columns> column_cells_;
  AlignedVector<Along> along_;
  Guarded<Along> along_cells_;
  Tape<T> tape_;
  Guarded<Tracked<T>> tracked_cells_;
};

// The conditions of a function, by what it has.
template <class T, class F>
std::unique_ptr<Conditions<T>> MakeConditions(Index count, F function,
                                              Mode mode = Mode::kAuto) {
  static_assert(TakesAll<F, T> || TakesRows<F, T>,
                "a function of conditions has operator()(std::span<const T> "
                "theta, std::span<T> residuals) const, or one with "
                "std::span<const Index> rows between; a lambda is not mutable");
  static_assert(
      !MisdeclaresJacobian<F, T>,
      "the function has a Jacobian that does not fit. It must be "
      "void Jacobian(std::span<const T> theta, MatrixView<T> M) "
      "const, T being that of Problem<T>, with std::span<const Index> "
      "rows after theta if, and only if, operator() has it");
  static_assert(!MisdeclaresProducts<F, T>,
                "the function has a PullBack or PushForward that does not fit. "
                "Both are needed: "
                "void PullBack(std::span<const T> theta, std::span<const T> w, "
                "std::span<T> out) const and "
                "void PushForward(std::span<const T> theta, std::span<const T> "
                "v, std::span<T> out) const, T being that of Problem<T>, with "
                "std::span<const Index> rows after theta if, and only if, "
                "operator() has it");
  if constexpr (HasJacobian<F, T>) {
    return std::make_unique<JacobianConditions<T, F>>(count,
                                                      std::move(function));
  } else if constexpr (HasProducts<F, T>) {
    return std::make_unique<ProductConditions<T, F>>(count,
                                                     std::move(function));
  } else {
    static_assert(
        TakesAll<F, Tracked<T>> || TakesRows<F, Tracked<T>>,
        "to be differentiated, operator() must be a template over the "
        "number type; otherwise give it Jacobian(std::span<const T> theta, "
        "MatrixView<T> M) const, or PullBack and PushForward");
    return std::make_unique<DifferentiatedConditions<T, F>>(
        count, std::move(function), mode);
  }
}

}  // namespace sven::solve

#endif  // SVEN_SOLVE_DIFFERENTIATED_CONDITIONS_H_
