// SPDX-License-Identifier: MIT
//
// sven eval: how well a model does on data that have targets.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "model_data.h"
#include "sven/train/evaluate.h"
#include "terminal.h"

namespace sven::cli {
namespace {

constexpr const char* kEvalFooter =
    R"(The loss is that of training, on standardised values if the model has them;
errors are in the units of the data. R2 is 1 minus the squared error over the
variance of the targets.

Of a built-in task the validation part is taken. In a table with names the
columns are found by those that the model was trained with.

Examples:
  sven eval runs/a --data test.csv
  sven eval runs/a/model.safetensors --task toy1d --json)";

struct EvalArguments {
  ModelDataArguments input;
  bool json = false;
};

// Of one target, in the units of the data.
struct TargetError {
  std::string name;
  double rmse = 0;
  double mean_absolute = 0;
  double r2 = 0;
};

// Differences between prediction and target in the units of the data, which
// scaling with the deviation gives.
template <class T>
std::vector<TargetError> TargetErrors(const data::TrainedModel<T>& model,
                                      const data::Dataset<T>& data) {
  const Index targets = data.y.cols();
  Vector<double> squares = Vector<double>::Zero(targets);
  Vector<double> absolutes = Vector<double>::Zero(targets);
  train::Evaluator<T> evaluator;
  evaluator.ForEachBlock(
      model.net, View(data.x),
      [&](Index first, const ConstMatrixView<T>& outputs) {
        const Matrix<double> difference =
            (outputs - data.y.middleRows(first, outputs.rows()))
                .template cast<double>();
        squares += difference.colwise().squaredNorm().transpose();
        absolutes += difference.cwiseAbs().colwise().sum().transpose();
      });
  const data::Scaling& scaling = model.card.normalisation.targets;
  const auto samples = static_cast<double>(data.Size());
  std::vector<TargetError> errors;
  for (Index c = 0; c < targets; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const double unit = scaling.IsIdentity()            ? 1
                        : scaling.deviation.size() == 1 ? scaling.deviation[0]
                                                        : scaling.deviation[i];
    const auto y = data.y.col(c).template cast<double>().eval();
    const double variance = (y.array() - y.mean()).square().sum();
    const auto& names = model.card.target_names;
    errors.push_back(
        {.name = names.empty() ? fmt::format("y{}", c + 1) : names[i],
         .rmse = unit * std::sqrt(squares[c] / samples),
         .mean_absolute = unit * absolutes[c] / samples,
         .r2 = 1 - squares[c] / variance});
  }
  return errors;
}

void PrintJson(const train::Metrics& metrics, Index samples,
               const std::vector<TargetError>& errors) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value)
                                : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json = {{"samples", samples},
                                 {"loss", number(metrics.loss)}};
  if (metrics.accuracy) json["accuracy"] = *metrics.accuracy;
  for (const TargetError& error : errors) {
    json["targets"].push_back({{"name", error.name},
                               {"rmse", number(error.rmse)},
                               {"mae", number(error.mean_absolute)},
                               {"r2", number(error.r2)}});
  }
  fmt::print("{}\n",
             json.dump(-1, ' ', false,
                       nlohmann::ordered_json::error_handler_t::replace));
}

void PrintText(const train::Metrics& metrics, Index samples,
               std::string_view loss, const std::vector<TargetError>& errors) {
  // A NaN has a sign that means nothing.
  const double value =
      std::isnan(metrics.loss) ? std::abs(metrics.loss) : metrics.loss;
  fmt::print("{} samples, {} loss {:.6g}", samples, loss, value);
  if (metrics.accuracy) {
    fmt::print(", accuracy {:.2f} %", 100 * *metrics.accuracy);
  }
  fmt::print("\n");
  if (errors.empty()) return;
  std::vector<std::vector<std::string>> rows = {
      {"target", "rmse", "mean |error|", "R2"}};
  for (const TargetError& error : errors) {
    rows.push_back({error.name, fmt::format("{:.6g}", error.rmse),
                    fmt::format("{:.6g}", error.mean_absolute),
                    fmt::format("{:.6f}", error.r2)});
  }
  fmt::print("\n{}", AlignedTable(rows));
}

template <class T>
void Evaluate(const EvalArguments& arguments,
              const data::TrainedModel<T>& model) {
  const data::Dataset<T> data = experiment::LoadForModel<T>(
      DataConfig(arguments.input), model, /*need_targets=*/true);
  const train::Metrics metrics =
      train::Evaluator<T>().Evaluate(model.net, model.card.loss, data.All());
  std::vector<TargetError> errors;
  if (!model.card.loss.UsesLabels()) errors = TargetErrors<T>(model, data);
  if (arguments.json) {
    PrintJson(metrics, data.Size(), errors);
  } else {
    PrintText(metrics, data.Size(), Name(model.card.loss.kind), errors);
  }
}

}  // namespace

void AddEvalCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("eval", "Evaluate a model on data with known targets");
  auto arguments = std::make_shared<EvalArguments>();
  AddModelDataOptions(*command, arguments->input);
  command->add_flag("--json", arguments->json, "one line of JSON");
  command->footer(kEvalFooter);
  command->callback([arguments] {
    WithModel(arguments->input,
              [&]<class T>(const data::TrainedModel<T>& model) {
                Evaluate<T>(*arguments, model);
              });
  });
}

}  // namespace sven::cli
