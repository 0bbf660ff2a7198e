// SPDX-License-Identifier: MIT
#include "sven/data/polynomial.h"
#include "sven/data/tasks.h"
#include "synthetic.h"

namespace sven::data {
namespace {

void FillPolynomial(Index count, Index dimension,
                    const RandomPolynomial& polynomial, RandomStream& random,
                    Dataset<double>& data) {
  data.x.resize(count, dimension);
  data.y.resize(count, 1);
  for (Index a = 0; a < count; ++a) {
    for (Index i = 0; i < dimension; ++i) data.x(a, i) = random.Normal();
  }
  polynomial.Evaluate(View(data.x),
                      {data.y.data(), static_cast<std::size_t>(count)});
}

}  // namespace

template <class T>
Task<T> MakePolynomial(const PolynomialOptions& options) {
  ValidateFields("PolynomialOptions", options);
  RandomStream random(options.seed, RandomUse::kData);
  const RandomPolynomial polynomial(options.form, options.dimension,
                                    options.degree, random);
  Task<double> task;
  FillPolynomial(options.train, options.dimension, polynomial, random,
                 task.train);
  FillPolynomial(options.validation, options.dimension, polynomial, random,
                 task.validation);
  Standardise(options.standardise, task);
  AddNoise(options.noise, options.seed, task);
  return Convert<T>(task);
}

template Task<float> MakePolynomial(const PolynomialOptions&);
template Task<double> MakePolynomial(const PolynomialOptions&);

}  // namespace sven::data
