// SPDX-License-Identifier: MIT
#include "sven/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sven/base/error.h"
#include "sven/data/model_file.h"
#include "sven/data/optimizer_state.h"
#include "sven/data/state_file.h"

namespace sven::train {
namespace {

using optim::StateArchive;

constexpr std::string_view kPrefix = "train";
// The records so far, as the text of a run file.
constexpr const char* kRecords = "train.records";

data::Tensor BytesOf(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {.dtype = data::DType::kU8,
          .shape = {std::ssize(text)},
          .bytes = {bytes.begin(), bytes.end()}};
}

void Visit(StateArchive& archive, core::PhaseSeconds& phases) {
  archive.Number("phases.forward", phases.forward);
  archive.Number("phases.backward", phases.backward);
  archive.Number("phases.gram", phases.gram);
  archive.Number("phases.weights", phases.weights);
  archive.Number("phases.pull_back", phases.pull_back);
  archive.Number("phases.apply", phases.apply);
}

void Visit(StateArchive& archive, EpochSums& sums) {
  Count(archive, "sums.samples", sums.samples);
  Count(archive, "sums.steps", sums.steps);
  Count(archive, "sums.refused", sums.refused);
  archive.Number("sums.loss", sums.loss);
  archive.Number("sums.learning_rate", sums.learning_rate);
  archive.Number("sums.update_norm", sums.update_norm);
  archive.Number("sums.evaluation_seconds", sums.evaluation_seconds);
  Visit(archive, sums.phases);
  Count(archive, "sums.spectra", sums.spectra);
  archive.Number("sums.kept", sums.kept);
  Index ratios = std::ssize(sums.ratios);
  Count(archive, "sums.ratios.size", ratios);
  archive.Array("sums.ratios", ratios, sums.ratios);
  archive.Array("sums.ratio_counts", ratios, sums.ratio_counts);
}

// An optional number: whether it is there, and its value.
template <class V, class VisitValue>
void VisitOptional(StateArchive& archive, const std::string& name,
                   std::optional<V>& value, const VisitValue& visit) {
  std::int64_t there = value ? 1 : 0;
  archive.Integer(name + ".known", 0, 1, there);
  if (there == 0) {
    value.reset();
    return;
  }
  V inner = value.value_or(V{});
  visit(name, inner);
  value = inner;
}

template <class T>
void Visit(StateArchive& archive, Index samples, Index parameters,
           TrainState<T>& state) {
  const auto number = [&](const std::string& name, double& value) {
    archive.Number(name, value);
  };
  const auto count = [&](const std::string& name, Index& value) {
    Count(archive, name, value);
  };
  Count(archive, "epoch", state.epoch);
  Count(archive, "step", state.step);
  archive.Stream("shuffling", state.position.random);
  archive.Integer("position", 0, samples, state.position.next);
  Visit(archive, state.sums);
  archive.Number("train_seconds", state.train_seconds);
  archive.Number("total_seconds", state.total_seconds);
  VisitOptional(archive, "initial_validation", state.initial_validation,
                [&](const std::string& name, Metrics& metrics) {
                  archive.Number(name + ".loss", metrics.loss);
                  VisitOptional(archive, name + ".accuracy", metrics.accuracy,
                                number);
                });
  VisitOptional(archive, "best_loss", state.best_loss, number);
  Count(archive, "best_epoch", state.best_epoch);
  Count(archive, "since_best", state.since_best);
  std::int64_t has_best = state.best_parameters.empty() ? 0 : 1;
  archive.Integer("best_parameters.known", 0, 1, has_best);
  if (has_best == 1) {
    archive.Array("best_parameters", parameters, state.best_parameters);
  }
  Count(archive, "not_finite", state.not_finite);
  VisitOptional(archive, "diverged_at", state.diverged_at, count);
}

template <class T>
data::Model<T> ModelOf(const nn::Mlp<T>& net) {
  return {.net = net, .tensors = data::NameParameters(net)};
}

template <class T>
void RestoreParameters(const data::SafetensorsFile& file,
                       const std::string& source, nn::Mlp<T>& net) {
  const data::Model<T> saved =
      data::ReadModel<T>(file, net.Layers().front().activation, source);
  const auto same_shape = [](const nn::DenseLayer& a, const nn::DenseLayer& b) {
    return a.in == b.in && a.out == b.out && a.bias == b.bias;
  };
  if (!std::ranges::equal(saved.net.Layers(), net.Layers(), same_shape)) {
    throw DataError(fmt::format(
        "{}: its network has other layers than the one to train", source));
  }
  std::ranges::copy(saved.net.Parameters(), net.Parameters().begin());
}

}  // namespace

template <class T>
void AppendCheckpoint(Trainer<T>& trainer, data::SafetensorsFile& file) {
  data::AppendModel<T>(ModelOf<T>(trainer.Net()), file);
  data::AppendOptimizerState<T>(trainer.Optimizer(), file);
  TrainState<T> state = trainer.State();
  RunFile records;
  records.epochs = std::move(state.epochs);
  records.validations = std::move(state.validations);
  data::AppendState(
      kPrefix,
      [&](StateArchive& archive) {
        Visit<T>(archive, std::numeric_limits<Index>::max(),
                 trainer.Net().NumParameters(), state);
      },
      file);
  file.tensors.emplace_back(kRecords, BytesOf(FormatRunFile(records)));
}

template <class T>
void RestoreCheckpoint(const data::SafetensorsFile& file,
                       const std::string& source, Trainer<T>& trainer) {
  RestoreParameters<T>(file, source, trainer.Net());
  data::RestoreOptimizerState<T>(file, source, trainer.Net(),
                                 trainer.Optimizer());
  TrainState<T> state = trainer.State();
  data::RestoreState(
      kPrefix,
      [&](StateArchive& archive) {
        Visit<T>(archive, trainer.NumSamples(), trainer.Net().NumParameters(),
                 state);
      },
      file, source);
  const data::Tensor* records = file.Find(kRecords);
  if (records == nullptr || records->dtype != data::DType::kU8) {
    throw DataError(fmt::format(
        "{}: tensor '{}' is missing or not U8: expected a checkpoint of a "
        "training",
        source, kRecords));
  }
  const std::string_view text(
      reinterpret_cast<const char*>(records->bytes.data()),
      records->bytes.size());
  RunFile parsed =
      ParseRunFile(text, fmt::format("{}: tensor '{}'", source, kRecords));
  state.epochs = std::move(parsed.epochs);
  state.validations = std::move(parsed.validations);
  trainer.SetState(state);
}

template void AppendCheckpoint(Trainer<float>&, data::SafetensorsFile&);
template void AppendCheckpoint(Trainer<double>&, data::SafetensorsFile&);
template void RestoreCheckpoint(const data::SafetensorsFile&,
                                const std::string&, Trainer<float>&);
template void RestoreCheckpoint(const data::SafetensorsFile&,
                                const std::string&, Trainer<double>&);

}  // namespace sven::train
