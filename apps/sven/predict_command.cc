// SPDX-License-Identifier: MIT
//
// sven predict: what a model says of new data.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>

#include "commands.h"
#include "model_data.h"
#include "sven/base/atomic_file.h"
#include "sven/base/text.h"
#include "sven/data/npy.h"
#include "sven/train/evaluate.h"

namespace sven::cli {
namespace {

constexpr const char* kPredictFooter =
    R"(Predictions are in the units of the training data; of a classifier they are the
names of classes, with --scores followed by a column per class: probabilities
for the loss ce, outputs of the network for label_regression.

In a table with names the columns are found by those that the model was trained
with; others do not matter. Of a built-in task the validation part is taken.

Examples:
  sven predict runs/a --data new.csv > predictions.csv
  sven predict runs/a --data images.npy --out predictions.npy)";

struct PredictArguments {
  ModelDataArguments input;
  std::string out;
  bool scores = false;
};

// Outputs in the units of the data; for cross-entropy with scores as
// probabilities.
template <class T>
Matrix<T> Outputs(const data::TrainedModel<T>& model,
                  const data::Dataset<T>& data, bool scores) {
  Matrix<T> all(data.Size(), model.net.NumOutputs());
  train::Evaluator<T> evaluator;
  evaluator.ForEachBlock(model.net, View(data.x),
                         [&](Index first, const ConstMatrixView<T>& outputs) {
                           all.middleRows(first, outputs.rows()) = outputs;
                         });
  if (model.card.loss.kind == nn::Loss::kCrossEntropy && scores) {
    for (Index a = 0; a < all.rows(); ++a) {
      all.row(a) = (all.row(a).array() - all.row(a).maxCoeff()).exp();
      all.row(a) /= all.row(a).sum();
    }
  }
  const data::Scaling& scaling = model.card.normalisation.targets;
  scaling.Undo<T>(MutableView(all));
  return all;
}

template <class T>
void CheckFinite(const std::string& source, const Matrix<T>& outputs) {
  for (Index a = 0; a < outputs.rows(); ++a) {
    if (outputs.row(a).array().isFinite().all()) continue;
    throw DataError(fmt::format(
        "{}: sample {}: the network's outputs are not finite; its inputs are "
        "probably far from those of the training",
        source, a + 1));
  }
}

// The class with the largest output.
template <class T>
Index ClassOf(const Matrix<T>& outputs, Index sample) {
  Index best = 0;
  outputs.row(sample).maxCoeff(&best);
  return best;
}

std::string ClassName(const data::ModelCard& card, Index label) {
  return card.class_names.empty()
             ? std::to_string(label)
             : card.class_names[static_cast<std::size_t>(label)];
}

// A field of a CSV file, in quotes if need be.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// Names of the columns: the class of a classifier, then numbers, if any.
std::vector<std::string> Heading(const data::ModelCard& card, Index outputs,
                                 bool scores) {
  std::vector<std::string> names;
  if (card.loss.UsesLabels()) {
    names.push_back(card.target_names.empty() ? "class"
                                              : card.target_names.front());
    for (Index c = 0; c < outputs && scores; ++c) {
      names.push_back(ClassName(card, c));
    }
    return names;
  }
  for (Index c = 0; c < outputs; ++c) {
    names.push_back(card.target_names.empty()
                        ? fmt::format("y{}", c + 1)
                        : card.target_names[static_cast<std::size_t>(c)]);
  }
  return names;
}

template <class T>
std::string FormatCsv(const data::TrainedModel<T>& model,
                      const Matrix<T>& outputs, bool scores) {
  const data::ModelCard& card = model.card;
  const bool classes = card.loss.UsesLabels();
  std::string text;
  for (const std::string& name : Heading(card, outputs.cols(), scores)) {
    if (!text.empty()) text += ',';
    text += CsvField(name);
  }
  text += '\n';
  for (Index a = 0; a < outputs.rows(); ++a) {
    std::string_view separator;
    if (classes) {
      text += CsvField(ClassName(card, ClassOf(outputs, a)));
      separator = ",";
    }
    for (Index c = 0; c < outputs.cols() && (scores || !classes); ++c) {
      // The shortest text that is this number.
      fmt::format_to(std::back_inserter(text), "{}{}", separator,
                     outputs(a, c));
      separator = ",";
    }
    text += '\n';
  }
  return text;
}

template <class T>
data::Tensor ToTensor(const data::TrainedModel<T>& model,
                      const Matrix<T>& outputs, bool scores) {
  if (!model.card.loss.UsesLabels() || scores) {
    return data::Tensor::From<T>(
        std::span<const T>(outputs.data(),
                           static_cast<std::size_t>(outputs.size())),
        {outputs.rows(), outputs.cols()});
  }
  std::vector<std::int64_t> classes;
  for (Index c = 0; c < outputs.cols(); ++c) {
    const auto number = internal::ParseInteger(ClassName(model.card, c));
    if (!number) {
      throw UsageError(fmt::format(
          "--out: the classes are words, such as {}, which an NPY file cannot "
          "hold; write a CSV file, or say --scores",
          Quote(ClassName(model.card, c))));
    }
    classes.push_back(*number);
  }
  std::vector<std::int64_t> labels;
  for (Index a = 0; a < outputs.rows(); ++a) {
    labels.push_back(classes[static_cast<std::size_t>(ClassOf(outputs, a))]);
  }
  return data::Tensor::From<std::int64_t>(labels, {outputs.rows()});
}

// Neither the model nor the data may be overwritten, and a name should say what
// is in a file.
void CheckOut(const PredictArguments& arguments) {
  const std::filesystem::path out(arguments.out);
  for (const char* wrong : {".safetensors", ".npz", ".gz"}) {
    if (out.extension() != wrong) continue;
    throw UsageError(fmt::format(
        "--out {}: predictions are written as .npy or .csv", arguments.out));
  }
  const auto data = arguments.input.flags.find("data");
  std::error_code ignored;
  const bool same =
      std::filesystem::equivalent(out, ModelPath(arguments.input), ignored) ||
      (data != arguments.input.flags.end() &&
       std::filesystem::equivalent(out, data->second, ignored));
  if (same) {
    throw UsageError(fmt::format(
        "--out {}: that is the model or the data; choose another file",
        arguments.out));
  }
}

template <class T>
void Predict(const PredictArguments& arguments,
             const data::TrainedModel<T>& model) {
  const bool scores = arguments.scores;
  if (!arguments.out.empty()) CheckOut(arguments);
  if (scores && !model.card.loss.UsesLabels()) {
    throw UsageError(
        fmt::format("--scores: {} is not a classifier: its loss is {}",
                    arguments.input.model, Name(model.card.loss.kind)));
  }
  const data::Dataset<T> data = experiment::LoadForModel<T>(
      DataConfig(arguments.input), model, /*need_targets=*/false);
  const Matrix<T> outputs = Outputs<T>(model, data, scores);
  CheckFinite(arguments.input.model, outputs);
  if (arguments.out.empty()) {
    fmt::print("{}", FormatCsv<T>(model, outputs, scores));
    return;
  }
  const std::filesystem::path out(arguments.out);
  if (out.extension() == ".npy") {
    data::WriteNpy(out, ToTensor<T>(model, outputs, scores));
  } else {
    WriteFileAtomically(out, FormatCsv<T>(model, outputs, scores));
  }
  fmt::print("{} predictions -> {}\n", outputs.rows(), arguments.out);
}

}  // namespace

void AddPredictCommand(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("predict", "Apply a model to new data");
  auto arguments = std::make_shared<PredictArguments>();
  AddModelDataOptions(*command, arguments->input);
  command
      ->add_option("--out", arguments->out,
                   "file for the predictions: .npy, or CSV for any other name "
                   "[standard output]")
      ->type_name("FILE");
  command->add_flag("--scores", arguments->scores,
                    "of a classifier: a column per class too");
  command->footer(kPredictFooter);
  command->callback([arguments] {
    WithModel(arguments->input,
              [&]<class T>(const data::TrainedModel<T>& model) {
                Predict<T>(*arguments, model);
              });
  });
}

}  // namespace sven::cli
