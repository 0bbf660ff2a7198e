// SPDX-License-Identifier: MIT
//
// Built-in tasks: two that are made from a seed, and the images of MNIST and
// Fashion-MNIST. The functions here are for programs; task_registry.h has the
// same by name.
#ifndef SVEN_DATA_TASKS_H_
#define SVEN_DATA_TASKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/base/fields.h"
#include "sven/data/dataset.h"
#include "sven/data/mnist_files.h"
#include "sven/data/normalisation.h"
#include "sven/data/polynomial.h"

namespace sven::data {

template <class T>
struct Task {
  Dataset<T> train;
  Dataset<T> validation;
  // What has been done to the raw values to get these.
  Normalisation normalisation = {};
  // Of the labels 0, 1, ...; empty for regression.
  std::vector<std::string> class_names = {};
};

// What of a synthetic task is brought to mean 0 and standard deviation 1, with
// those of the training part (and n - 1 in the denominator).
enum class TaskStandardise {
  kDefault,  // what the task does by itself: kTargets
  kTargets,  // as the paper's published code does
  kInputs,   // as the paper says
  kNone,
};

// Noise spoils only what is learned from: the validation loss is then that of
// the function itself, the excess over the noise.
inline constexpr std::string_view kNoiseMeaning =
    "deviation of noise added to the standardised training targets";

struct Toy1dOptions {
  Index train = 10000;
  Index validation = 10000;
  std::uint64_t seed = 54631;  // the paper's published configuration
  TaskStandardise standardise = TaskStandardise::kDefault;
  double noise = 0;

  // Two samples are the least that have a standard deviation.
  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"train", "training samples", {.low = 2}}, self.train);
    visit(Field{"validation", "validation samples", {.low = 1}},
          self.validation);
    visit(Field{"seed", "of the samples"}, self.seed);
    visit(Field{"standardise", "what is standardised"}, self.standardise);
    visit(Field{"noise", kNoiseMeaning, {.low = 0}}, self.noise);
  }
};

// The paper's one-dimensional regression: y = exp(-10 x^2) sin(2 x), x uniform
// in [-1, 1].
template <class T>
Task<T> MakeToy1d(const Toy1dOptions& options = {});

struct PolynomialOptions {
  PolynomialForm form = PolynomialForm::kProducts;
  Index dimension = 6;
  Index degree = 4;
  Index train = 10000;
  Index validation = 10000;
  std::uint64_t seed = 57728;  // the paper's published configuration
  TaskStandardise standardise = TaskStandardise::kDefault;
  double noise = 0;

  template <class Self, class Visitor>
  static void VisitFields(Self& self, Visitor&& visit) {
    visit(Field{"form", "products or additive"}, self.form);
    visit(Field{"dimension", "number of variables", {.low = 1}},
          self.dimension);
    visit(Field{"degree", "largest total degree", kPolynomialDegrees},
          self.degree);
    visit(Field{"train", "training samples", {.low = 2}}, self.train);
    visit(Field{"validation", "validation samples", {.low = 1}},
          self.validation);
    visit(Field{"seed", "of coefficients and samples"}, self.seed);
    visit(Field{"standardise", "what is standardised"}, self.standardise);
    visit(Field{"noise", kNoiseMeaning, {.low = 0}}, self.noise);
  }
};

// Regression of a random polynomial (polynomial.h), the samples' variables
// standard normal and independent of each other. Coefficients come first out of
// the stream of the seed, then the training samples, then the others.
template <class T>
Task<T> MakePolynomial(const PolynomialOptions& options = {});

struct MnistOptions {
  ImageSet set = ImageSet::kMnist;
  // Where the four files are (mnist_files.h). Empty: DefaultFolder(set).
  std::string folder = "";
  // Only these classes, "0" to "9", which become the labels 0, 1, ... in this
  // order. Empty: all ten.
  std::vector<std::string> digits = {};
  // Only the first ones, of those classes. Nothing: all.
  std::optional<Index> train = std::nullopt;
  std::optional<Index> validation = std::nullopt;
};

// Images of 28 x 28 pixels as rows of 784, and their labels. The usual
// normalisation, pixels / 255 with mean 0.1307 and deviation 0.3081 (those of
// MNIST, used for both), stands in `normalisation` for pixels from 0 to 255, so
// that it applies to the files as they are. Throws a DataError if a file is
// missing, naming the command that gets it, or is not what it should be.
template <class T>
Task<T> MakeMnist(const MnistOptions& options = {});

}  // namespace sven::data

template <>
struct sven::EnumNames<sven::data::TaskStandardise> {
  static constexpr std::pair<std::string_view, data::TaskStandardise> kTable[] =
      {
          {"default", data::TaskStandardise::kDefault},
          {"targets", data::TaskStandardise::kTargets},
          {"inputs", data::TaskStandardise::kInputs},
          {"none", data::TaskStandardise::kNone},
      };
};

#endif  // SVEN_DATA_TASKS_H_
