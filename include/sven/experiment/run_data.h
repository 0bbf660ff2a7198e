// SPDX-License-Identifier: MIT
//
// The data of a run: read or made, split and standardised as its configuration
// says.
#ifndef SVEN_EXPERIMENT_RUN_DATA_H_
#define SVEN_EXPERIMENT_RUN_DATA_H_

#include <cstdint>
#include <vector>

#include "sven/data/dataset.h"
#include "sven/data/trained_model.h"
#include "sven/experiment/run_config.h"

namespace sven::experiment {

// Memory is that of the data: a split puts the rows in another order in place,
// and both parts are views.
template <class T>
struct RunData {
  // The training part and, where it is a data set of its own, the other one.
  std::vector<data::Dataset<T>> storage;
  Index held_out = 0;  // last samples of the first, where there is no second
  // What a model of these data has to know; the activation is not part of it.
  data::ModelCard card;
  Index outputs = 0;
  // Of all values, to notice data that have changed.
  std::uint32_t checksum = 0;

  [[nodiscard]] nn::Batch<T> Train() const {
    return storage.front().Rows(0, storage.front().Size() - held_out);
  }
  // May have no samples.
  [[nodiscard]] nn::Batch<T> Validation() const {
    if (storage.size() > 1) return storage.back().All();
    return storage.front().Rows(storage.front().Size() - held_out, held_out);
  }
};

// Throws a DataError or a UsageError for data that cannot be had, or that do
// not go with the loss.
template <class T>
RunData<T> LoadRunData(const RunConfig& config);

// Data to apply a model to. Columns are chosen by the names that the model
// knows, if the file has names and the options choose none; values are scaled
// as those that the model was trained with. With `need_targets` those are there
// and fit, or a DataError says why not; otherwise they may be missing.
template <class T>
data::Dataset<T> LoadForModel(const RunConfig& config,
                              const data::TrainedModel<T>& model,
                              bool need_targets);

}  // namespace sven::experiment

#endif  // SVEN_EXPERIMENT_RUN_DATA_H_
