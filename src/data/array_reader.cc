// SPDX-License-Identifier: MIT
#include "array_reader.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "fail.h"
#include "number_text.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

template <class T, class V>
T FiniteOrFail(const StoredArray& array, Index row, Index col, V value) {
  const T number = static_cast<T>(value);
  if (std::isfinite(number)) [[likely]] {
    return number;
  }
  Fail(array.Name(), "row {}, column {}: {}, expected a finite number{}",
       row + 1, col + 1, value,
       std::isfinite(static_cast<double>(value))
           ? fmt::format(" of at most {:.3g}", std::numeric_limits<T>::max())
           : "");
}

template <class V>
std::optional<std::int64_t> ToInteger(V value) {
  if constexpr (std::is_floating_point_v<V>) {
    return ToWhole(value);
  } else if (std::in_range<std::int64_t>(value)) {
    return static_cast<std::int64_t>(value);
  } else {
    return std::nullopt;
  }
}

std::vector<Index> AllColumns(Index count) {
  std::vector<Index> columns(static_cast<std::size_t>(count));
  std::iota(columns.begin(), columns.end(), Index{0});
  return columns;
}

}  // namespace

template <class T>
void ArrayReader<T>::ReadTable(StoredArray array, Dataset<T>& data) {
  const bool chooses = !options_.targets.empty() || !options_.inputs.empty();
  if (chooses && array.Layout().shape.size() != 2) {
    Fail(array.Name(),
         "{}, expected two axes, of which the second one has the columns that "
         "are asked for",
         array.Layout().Describe());
  }
  const ColumnChoice choice =
      ChooseColumns(array.Name(), options_, array.Cols(), {});
  Read(std::move(array), choice, data);
}

template <class T>
void ArrayReader<T>::ReadInputs(StoredArray array, Dataset<T>& data) {
  const Index cols = array.Cols();
  Read(std::move(array), {.inputs = AllColumns(cols), .targets = {}}, data);
}

template <class T>
void ArrayReader<T>::ReadTargets(StoredArray array, Dataset<T>& data) {
  if (array.Rows() != data.Size()) {
    Fail(array.Name(), "has {} targets, expected {}, one per sample",
         array.Rows(), data.Size());
  }
  const Index cols = array.Cols();
  Read(std::move(array), {.inputs = {}, .targets = AllColumns(cols)}, data);
}

template <class T>
std::vector<std::string> ArrayReader<T>::Finish(const std::string& source,
                                                Dataset<T>& data,
                                                Dataset<T>& validation) {
  if (data.labels.empty()) return {};
  return classes_.Finish(source,
                         {std::ref(data.labels), std::ref(validation.labels)});
}

template <class T>
void ArrayReader<T>::Read(StoredArray array, const ColumnChoice& choice,
                          Dataset<T>& data) {
  const std::vector<Place> places = MakePlaces(array, choice, data);
  array.ForEachValue([&](Index row, Index col, auto value) {
    const Place& place = places[col];
    if (place.values != nullptr) {
      place.values[row * place.stride] =
          FiniteOrFail<T>(array, row, col, value);
    } else if (place.labels != nullptr) {
      place.labels[row] = Label(array, row, value);
    }
  });
}

template <class T>
auto ArrayReader<T>::MakePlaces(const StoredArray& array,
                                const ColumnChoice& choice,
                                Dataset<T>& data) const -> std::vector<Place> {
  if (array.Rows() == 0 || array.Cols() == 0) {
    Fail(array.Name(), "{} has no values", array.Layout().Describe());
  }
  std::vector<Place> places(static_cast<std::size_t>(array.Cols()));
  const auto fill = [&](const std::vector<Index>& columns, Matrix<T>& matrix) {
    if (columns.empty()) return;
    matrix.resize(array.Rows(), std::ssize(columns));
    for (Index i = 0; i < std::ssize(columns); ++i) {
      places[columns[i]] = {matrix.data() + i, matrix.cols(), nullptr};
    }
  };
  const bool classes = AreClasses(array, choice.targets.size());
  TakeMemory(array.Name(), [&] {
    fill(choice.inputs, data.x);
    if (classes) {
      data.labels.resize(static_cast<std::size_t>(array.Rows()));
      places[choice.targets.front()].labels = data.labels.data();
    } else {
      fill(choice.targets, data.y);
    }
  });
  return places;
}

template <class T>
bool ArrayReader<T>::AreClasses(const StoredArray& array,
                                std::size_t targets) const {
  if (targets == 0) return false;
  const bool asked =
      options_.target_kind == TargetKind::kClasses || !options_.classes.empty();
  if (asked && targets != 1) {
    Fail(array.Name(), "has {} targets per sample, expected one class",
         targets);
  }
  const bool guessed = options_.target_kind == TargetKind::kAuto &&
                       targets == 1 && !IsReal(array.Layout().dtype);
  return asked || guessed;
}

template <class T>
template <class V>
std::int64_t ArrayReader<T>::Label(const StoredArray& array, Index row,
                                   V value) {
  const std::optional<std::int64_t> number = ToInteger(value);
  if (!number) {
    Fail(array.Name(), "row {}: class {}, expected a whole number below 2^{}",
         row + 1, value, std::is_floating_point_v<V> ? 53 : 63);
  }
  const std::optional<std::int64_t> label = classes_.Label(*number);
  if (!label) {
    Fail(array.Name(), "row {}: class {}, expected one of {}", row + 1, *number,
         Quote(FormatValue(options_.classes)));
  }
  return *label;
}

template class ArrayReader<float>;
template class ArrayReader<double>;

}  // namespace sven::data
