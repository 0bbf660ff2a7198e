// SPDX-License-Identifier: MIT
//
// What a condition of a differential equation sees at one point: the network's
// output u, its derivatives, the coordinates, and further unknowns.
#ifndef SVEN_PDE_FIELD_H_
#define SVEN_PDE_FIELD_H_

#include <span>

#include "sven/nn/jet.h"

namespace sven::pde {

namespace internal {
// Throw a UsageError that says what was asked for and what there is. It leaves
// the problem nested in a DataError that also says which group it was.
[[noreturn]] void ThrowMissing(const char* what, const nn::JetShape& shape);
[[noreturn]] void ThrowNoSuch(const char* what, Index number, Index count);
inline void CheckNumber(const char* what, Index number, Index count) {
  if (number < 0 || number >= count) ThrowNoSuch(what, number, count);
}
}  // namespace internal

// Coordinates and data are numbers T; u and the unknowns are numbers S, which
// are T or carry derivatives. Every question is checked: one that the group's
// derivatives do not answer is an error that says so.
template <class T, class S>
class Field {
 public:
  struct Data {
    nn::JetShape shape;
    Index outputs = 1;
    Index row = 0;
    const T* x = nullptr;    // d
    const S* jet = nullptr;  // components x outputs
    std::span<const S> unknowns;
  };

  explicit Field(const Data& data) : data_(data) {}

  // The point: its coordinates and its number in the group.
  [[nodiscard]] T X(Index i) const {
    internal::CheckNumber("coordinate", i, data_.shape.inputs);
    return data_.x[i];
  }
  [[nodiscard]] Index Row() const { return data_.row; }

  // u, du/dx_i, d^2u/dx_i dx_j and the Laplacian.
  [[nodiscard]] const S& Value() const { return At(0); }
  [[nodiscard]] const S& D(Index i) const {
    if (!data_.shape.HasGradient()) Missing("a first derivative");
    internal::CheckNumber("coordinate", i, data_.shape.inputs);
    return At(nn::JetShape::First(i));
  }
  [[nodiscard]] const S& D(Index i, Index j) const {
    if (!data_.shape.HasSecond(i, j)) Missing("a second derivative");
    internal::CheckNumber("coordinate", i, data_.shape.inputs);
    internal::CheckNumber("coordinate", j, data_.shape.inputs);
    return At(data_.shape.Second(i, j));
  }
  [[nodiscard]] S Laplacian() const {
    if (!data_.shape.HasSecond()) Missing("the Laplacian");
    if (data_.shape.derivatives == nn::Derivatives::kLaplacian) {
      return At(data_.shape.Second());
    }
    S sum = D(0, 0);
    for (Index i = 1; i < data_.shape.inputs; ++i) sum += D(i, i);
    return sum;
  }

  // The same of another output of the network; without, it is the first.
  [[nodiscard]] Field Of(Index output) const {
    internal::CheckNumber("output", output, data_.outputs);
    Field other(data_);
    other.output_ = output;
    return other;
  }

  // The unknowns that the problem has beside the network's parameters.
  [[nodiscard]] const S& Unknown(Index j) const {
    internal::CheckNumber("unknown", j, std::ssize(data_.unknowns));
    return data_.unknowns[j];
  }

 private:
  [[nodiscard]] const S& At(Index component) const {
    return data_.jet[component * data_.outputs + output_];
  }
  void Missing(const char* what) const {
    internal::ThrowMissing(what, data_.shape);
  }
  Data data_;
  Index output_ = 0;
};

// The derivatives of a condition in all that, for conditions that give their
// own. All are zero at the start; what is set is added up.
template <class T>
class FieldSlopes {
 public:
  FieldSlopes(const nn::JetShape& shape, Index outputs, std::span<T> jet,
              std::span<T> unknowns)
      : shape_(shape), outputs_(outputs), jet_(jet), unknowns_(unknowns) {}

  void AddValue(T slope, Index output = 0) { At(0, output) += slope; }
  void AddD(Index i, T slope, Index output = 0) {
    if (!shape_.HasGradient()) Missing("a first derivative");
    internal::CheckNumber("coordinate", i, shape_.inputs);
    At(nn::JetShape::First(i), output) += slope;
  }
  void AddD2(Index i, Index j, T slope, Index output = 0) {
    if (!shape_.HasSecond(i, j)) Missing("a second derivative");
    internal::CheckNumber("coordinate", i, shape_.inputs);
    internal::CheckNumber("coordinate", j, shape_.inputs);
    At(shape_.Second(i, j), output) += slope;
  }
  void AddLaplacian(T slope, Index output = 0) {
    if (!shape_.HasSecond()) Missing("the Laplacian");
    if (shape_.derivatives == nn::Derivatives::kLaplacian) {
      At(shape_.Second(), output) += slope;
      return;
    }
    for (Index i = 0; i < shape_.inputs; ++i) AddD2(i, i, slope, output);
  }
  void AddUnknown(Index j, T slope) {
    internal::CheckNumber("unknown", j, std::ssize(unknowns_));
    unknowns_[j] += slope;
  }

 private:
  T& At(Index component, Index output) {
    internal::CheckNumber("output", output, outputs_);
    return jet_[component * outputs_ + output];
  }
  void Missing(const char* what) const { internal::ThrowMissing(what, shape_); }

  nn::JetShape shape_;
  Index outputs_;
  std::span<T> jet_;
  std::span<T> unknowns_;
};

}  // namespace sven::pde

#endif  // SVEN_PDE_FIELD_H_
