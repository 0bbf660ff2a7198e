// SPDX-License-Identifier: MIT
//
// Results as JSON, one point a line. Lists are columns: "val_loss" has an entry
// per run, curves one per epoch. What is empty is left out.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/json_depth.h"
#include "sven/base/text.h"
#include "sven/experiment/results.h"

namespace sven::experiment {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "sven-results-1";

// ---- Writing ----

Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json List(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(Number(value));
  return list;
}

void PutList(Json& json, const char* name, const std::vector<double>& values) {
  if (!values.empty()) json[name] = List(values);
}

Json BandJson(const Band& band) {
  Json json = {{"mean", List(band.mean)}};
  PutList(json, "deviation", band.deviation);
  PutList(json, "median", band.median);
  return json;
}

// A column of all runs.
template <class Value>
Json Column(const std::vector<RunOutcome>& runs, Value RunOutcome::*member) {
  Json list = Json::array();
  for (const RunOutcome& run : runs) {
    list.push_back(Number(static_cast<double>(run.*member)));
  }
  return list;
}

Json PointJson(const PointResult& point) {
  Json json = {{"optimizer", point.optimizer},
               {"settings", point.settings},
               {"train_loss", Column(point.runs, &RunOutcome::train_loss)},
               {"val_loss", Column(point.runs, &RunOutcome::val_loss)},
               {"accuracy", Column(point.runs, &RunOutcome::accuracy)},
               {"run_seconds", Column(point.runs, &RunOutcome::seconds)}};
  Json steps = Json::array();
  for (const RunOutcome& run : point.runs)
    steps.push_back(run.diverged_at_step);
  json["diverged_at_step"] = steps;
  json["validation"] = BandJson(point.validation);
  json["train"] = BandJson(point.train);
  PutList(json, "seconds", point.seconds);
  PutList(json, "kept", point.kept);
  for (const auto& spectrum : point.spectra) {
    json["spectra"].push_back(List(spectrum));
  }
  return json;
}

std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ExperimentText(const ExperimentResult& experiment) {
  const Json head = {{"name", experiment.name},
                     {"title", experiment.title},
                     {"task", experiment.task},
                     {"batch_size", experiment.batch_size},
                     {"initial_loss", Number(experiment.initial_loss)},
                     {"missing", experiment.missing},
                     {"run_seconds", experiment.run_seconds}};
  std::string text = Line(head);
  text.back() = ',';
  text += "\"points\":[\n";
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    text += Line(PointJson(experiment.points[i]));
    text += i + 1 < experiment.points.size() ? ",\n" : "\n";
  }
  return text + "]}";
}

// ---- Reading ----

double Real(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN()
                        : json.get<double>();
}

std::vector<double> Reals(const Json& json) {
  std::vector<double> values;
  for (const Json& entry : json) values.push_back(Real(entry));
  return values;
}

std::vector<double> RealsOrNone(const Json& json, const char* name) {
  return json.contains(name) ? Reals(json.at(name)) : std::vector<double>();
}

Band ReadBand(const Json& json) {
  return {.mean = Reals(json.at("mean")),
          .deviation = RealsOrNone(json, "deviation"),
          .median = RealsOrNone(json, "median")};
}

// What is JSON, but not results.
class Malformed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// As many entries in all curves, and at least one run.
void CheckLengths(const PointResult& point) {
  const std::size_t epochs = point.seconds.size();
  const auto fits = [&](const std::vector<double>& curve, bool optional) {
    return curve.size() == epochs || (optional && curve.empty());
  };
  const auto band_fits = [&](const Band& band) {
    return fits(band.mean, false) && fits(band.deviation, true) &&
           fits(band.median, true);
  };
  if (point.runs.empty() || !band_fits(point.validation) ||
      !band_fits(point.train) || !fits(point.kept, true)) {
    throw Malformed("a point without runs, or with curves of different length");
  }
}

PointResult ReadPoint(const Json& json) {
  PointResult point;
  point.optimizer = json.at("optimizer").get<std::string>();
  point.settings =
      json.at("settings").get<std::map<std::string, std::string>>();
  for (std::size_t i = 0; i < json.at("val_loss").size(); ++i) {
    point.runs.push_back(
        {.train_loss = Real(json.at("train_loss").at(i)),
         .val_loss = Real(json.at("val_loss").at(i)),
         .accuracy = Real(json.at("accuracy").at(i)),
         .seconds = Real(json.at("run_seconds").at(i)),
         .diverged_at_step = json.at("diverged_at_step").at(i).get<Index>()});
  }
  point.validation = ReadBand(json.at("validation"));
  point.train = ReadBand(json.at("train"));
  point.seconds = RealsOrNone(json, "seconds");
  point.kept = RealsOrNone(json, "kept");
  if (json.contains("spectra")) {
    for (const Json& epoch : json.at("spectra")) {
      point.spectra.push_back(Reals(epoch));
    }
  }
  CheckLengths(point);
  return point;
}

ExperimentResult ReadExperiment(const Json& json) {
  ExperimentResult experiment;
  experiment.name = json.at("name").get<std::string>();
  experiment.title = json.at("title").get<std::string>();
  experiment.task = json.at("task").get<std::string>();
  experiment.batch_size = json.at("batch_size").get<Index>();
  experiment.initial_loss = Real(json.at("initial_loss"));
  experiment.missing = json.at("missing").get<Index>();
  experiment.run_seconds = Real(json.at("run_seconds"));
  for (const Json& point : json.at("points")) {
    experiment.points.push_back(ReadPoint(point));
  }
  return experiment;
}

Results ReadAll(const Json& json) {
  Results results;
  results.version = json.at("version").get<std::string>();
  results.machine =
      json.at("machine").get<std::map<std::string, std::string>>();
  const Json& identities = json.at("identities");
  results.identities = {
      .natural_gradient_difference =
          Real(identities.at("natural_gradient_difference")),
      .kappa_cosine = Real(identities.at("kappa_cosine")),
      .linear_decay_error = Real(identities.at("linear_decay_error")),
      .network_decay_rate = Real(identities.at("network_decay_rate")),
      .one_condition_cosine = Real(identities.at("one_condition_cosine"))};
  for (const Json& experiment : json.at("experiments")) {
    results.experiments.push_back(ReadExperiment(experiment));
  }
  return results;
}

[[noreturn]] void Refuse(const std::string& source, const char* reason) {
  throw DataError(
      fmt::format("{}: is not a results.json as sven reproduce writes it: {}",
                  source, Printable(reason, 200)));
}

}  // namespace

std::string FormatResults(const Results& results) {
  const Json head = {
      {"format", kFormat},
      {"version", results.version},
      {"machine", results.machine},
      {"identities",
       {{"natural_gradient_difference",
         Number(results.identities.natural_gradient_difference)},
        {"kappa_cosine", Number(results.identities.kappa_cosine)},
        {"linear_decay_error", Number(results.identities.linear_decay_error)},
        {"network_decay_rate", Number(results.identities.network_decay_rate)},
        {"one_condition_cosine",
         Number(results.identities.one_condition_cosine)}}}};
  std::string text = Line(head);
  text.back() = ',';
  text += "\"experiments\":[\n";
  for (std::size_t i = 0; i < results.experiments.size(); ++i) {
    text += ExperimentText(results.experiments[i]);
    text += i + 1 < results.experiments.size() ? ",\n" : "\n";
  }
  return text + "]}\n";
}

Results ParseResults(std::string_view text, const std::string& source) {
  try {
    if (IsTooDeep(text)) throw Malformed("it nests too deep");
    const Json json = Json::parse(text);
    const std::string format = json.at("format").get<std::string>();
    if (format != kFormat) {
      throw DataError(fmt::format("{}: 'format' = {}: expected {}", source,
                                  Quote(format), kFormat));
    }
    return ReadAll(json);
  } catch (const Json::exception& error) {
    Refuse(source, error.what());
  } catch (const Malformed& error) {
    Refuse(source, error.what());
  }
}

Results ReadResults(const std::filesystem::path& path) {
  return ParseResults(ReadTextFile(path), path.string());
}

}  // namespace sven::experiment
