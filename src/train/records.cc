// SPDX-License-Identifier: MIT
#include "sven/train/records.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/fields.h"
#include "sven/base/json_depth.h"
#include "sven/base/text.h"

namespace sven::train {
namespace {

using Json = nlohmann::ordered_json;

// ---- Writing ----

Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string Line(const Json& json) {
  // Names of files need not be UTF-8; what is not is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Put(Json& json, const std::string& prefix, const Metrics& metrics) {
  json[prefix + "_loss"] = Number(metrics.loss);
  if (metrics.accuracy) json[prefix + "_accuracy"] = *metrics.accuracy;
}

// A setting as what it looks like: a number, true or false, or text.
Json Typed(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = internal::ParseUnsigned(text)) return *whole;
  if (const auto number = internal::ParseDouble(text);
      number && std::isfinite(*number)) {
    return *number;
  }
  return text;
}

Json Phases(const core::PhaseSeconds& phases) {
  return {{"forward", phases.forward},     {"backward", phases.backward},
          {"gram", phases.gram},           {"weights", phases.weights},
          {"pull_back", phases.pull_back}, {"apply", phases.apply}};
}

// ---- Reading ----

// One line of a file, with a name for messages.
class Reader {
 public:
  Reader(const Json& json, std::string where)
      : json_(json), where_(std::move(where)) {}

  [[nodiscard]] double Real(const char* name) const {
    return Number(name, Find(name));
  }
  [[nodiscard]] Index Whole(const char* name) const {
    const Json& value = Find(name);
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() ||
         value.get<std::uint64_t>() <= std::numeric_limits<Index>::max()) &&
        value.get<Index>() >= 0;
    if (!fits) Refuse(name, value, "a whole number from 0 on");
    return value.get<Index>();
  }
  [[nodiscard]] std::string Text(const char* name) const {
    const Json& value = Find(name);
    if (!value.is_string()) Refuse(name, value, "a text");
    return value.get<std::string>();
  }
  // Those that may be missing, as in a file of a later or an earlier version.
  [[nodiscard]] double RealOr0(const char* name) const {
    return json_.contains(name) ? Real(name) : 0.0;
  }
  [[nodiscard]] Index WholeOr0(const char* name) const {
    return json_.contains(name) ? Whole(name) : 0;
  }

  [[nodiscard]] Metrics Pair(const std::string& prefix) const {
    Metrics metrics{.loss = Real((prefix + "_loss").c_str())};
    const std::string accuracy = prefix + "_accuracy";
    if (json_.contains(accuracy)) metrics.accuracy = Real(accuracy.c_str());
    return metrics;
  }

  [[nodiscard]] std::vector<double> Reals(const char* name) const {
    std::vector<double> list;
    if (!json_.contains(name)) return list;
    const Json& value = Find(name);
    if (!value.is_array()) Refuse(name, value, "a list of numbers");
    for (const Json& entry : value) list.push_back(Number(name, entry));
    return list;
  }

  // An object as text by name.
  [[nodiscard]] std::map<std::string, std::string> Texts(
      const char* name) const {
    std::map<std::string, std::string> texts;
    if (!json_.contains(name)) return texts;
    const Json& value = Find(name);
    if (!value.is_object()) Refuse(name, value, "an object");
    for (const auto& [key, entry] : value.items()) {
      texts[key] = entry.is_string()         ? entry.get<std::string>()
                   : entry.is_number_float() ? FormatValue(entry.get<double>())
                                             : Line(entry);
    }
    return texts;
  }

  [[nodiscard]] core::PhaseSeconds PhasesOf(const char* name) const {
    if (!json_.contains(name)) return {};
    const Json& value = Find(name);
    if (!value.is_object()) Refuse(name, value, "an object");
    const Reader inner(value, where_);
    return {.forward = inner.RealOr0("forward"),
            .backward = inner.RealOr0("backward"),
            .gram = inner.RealOr0("gram"),
            .weights = inner.RealOr0("weights"),
            .pull_back = inner.RealOr0("pull_back"),
            .apply = inner.RealOr0("apply")};
  }

  [[noreturn]] void Refuse(const char* name, const Json& value,
                           std::string_view expected) const {
    throw DataError(fmt::format("{}: '{}' = {}: expected {}", where_, name,
                                Printable(Line(value), 60), expected));
  }

  [[nodiscard]] const Json& Find(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) {
      throw DataError(fmt::format("{}: '{}' is missing", where_, name));
    }
    return *found;
  }

 private:
  [[nodiscard]] double Number(const char* name, const Json& value) const {
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number()) Refuse(name, value, "a number or null");
    return value.get<double>();
  }

  const Json& json_;
  std::string where_;
};

RunConfigRecord ReadConfig(const Reader& reader) {
  return {.version = reader.Text("version"),
          .command = reader.Text("command"),
          .settings = reader.Texts("settings"),
          .machine = reader.Texts("machine")};
}

EpochRecord ReadEpoch(const Reader& reader) {
  return {.epoch = reader.Whole("epoch"),
          .step = reader.Whole("step"),
          .seconds = reader.Real("seconds"),
          .train = reader.Pair("train"),
          .validation = reader.Pair("val"),
          .batch_loss = reader.RealOr0("batch_loss"),
          .learning_rate = reader.RealOr0("learning_rate"),
          .update_norm = reader.RealOr0("update_norm"),
          .refused = reader.WholeOr0("refused"),
          .evaluation_seconds = reader.RealOr0("evaluation_seconds"),
          .phases = reader.PhasesOf("phase_seconds"),
          .kept = reader.RealOr0("kept"),
          .spectrum = reader.Reals("spectrum")};
}

ValidationRecord ReadValidation(const Reader& reader) {
  return {.epoch = reader.Whole("epoch"),
          .step = reader.Whole("step"),
          .seconds = reader.Real("seconds"),
          .validation = reader.Pair("val")};
}

RunSummary ReadSummary(const Reader& reader) {
  const std::string text = reader.Text("status");
  const auto status = FromName<RunStatus>(text);
  if (!status) reader.Refuse("status", text, AllNames<RunStatus>());
  return {.status = *status,
          .epochs = reader.Whole("epochs"),
          .steps = reader.Whole("steps"),
          .final_train = reader.Pair("final_train"),
          .final_validation = reader.Pair("final_val"),
          .initial_validation = reader.Pair("initial_val"),
          .best_validation_loss = reader.Real("best_val_loss"),
          .best_epoch = reader.WholeOr0("best_epoch"),
          .train_seconds = reader.RealOr0("train_seconds"),
          .total_seconds = reader.Real("total_seconds"),
          .diverged_at_step = reader.WholeOr0("diverged_at_step"),
          .rounding_since_epoch = reader.WholeOr0("rounding_since_epoch"),
          .peak_memory = reader.WholeOr0("peak_memory")};
}

void AddRecord(const Json& json, const std::string& where, RunFile& file) {
  if (!json.is_object()) {
    throw DataError(fmt::format("{}: {}: expected an object {{...}}", where,
                                Printable(Line(json), 60)));
  }
  const Reader reader(json, where);
  const std::string type = reader.Text("type");
  if (type == "config") file.config = ReadConfig(reader);
  if (type == "epoch") file.epochs.push_back(ReadEpoch(reader));
  if (type == "validation") file.validations.push_back(ReadValidation(reader));
  if (type == "summary") file.summary = ReadSummary(reader);
}

}  // namespace

std::string FormatRecord(const RunConfigRecord& record) {
  Json json = {{"type", "config"},
               {"version", record.version},
               {"command", record.command}};
  Json settings = Json::object();
  for (const auto& [name, text] : record.settings) {
    settings[name] = Typed(text);
  }
  if (settings.contains("seed")) json["seed"] = settings["seed"];
  json["settings"] = std::move(settings);
  json["machine"] = record.machine;
  return Line(json);
}

std::string FormatRecord(const EpochRecord& record) {
  Json json = {{"type", "epoch"},
               {"epoch", record.epoch},
               {"step", record.step},
               {"seconds", record.seconds}};
  Put(json, "train", record.train);
  Put(json, "val", record.validation);
  json["batch_loss"] = Number(record.batch_loss);
  json["learning_rate"] = Number(record.learning_rate);
  json["update_norm"] = Number(record.update_norm);
  json["refused"] = record.refused;
  json["evaluation_seconds"] = record.evaluation_seconds;
  json["phase_seconds"] = Phases(record.phases);
  if (!record.spectrum.empty()) {
    json["kept"] = record.kept;
    json["spectrum"] = record.spectrum;
  }
  return Line(json);
}

std::string FormatRecord(const ValidationRecord& record) {
  Json json = {{"type", "validation"},
               {"epoch", record.epoch},
               {"step", record.step},
               {"seconds", record.seconds}};
  Put(json, "val", record.validation);
  return Line(json);
}

std::string FormatRecord(const RunSummary& record) {
  Json json = {{"type", "summary"},
               {"status", Name(record.status)},
               {"epochs", record.epochs},
               {"steps", record.steps}};
  Put(json, "final_train", record.final_train);
  Put(json, "final_val", record.final_validation);
  Put(json, "initial_val", record.initial_validation);
  json["best_val_loss"] = Number(record.best_validation_loss);
  json["best_epoch"] = record.best_epoch;
  json["train_seconds"] = record.train_seconds;
  json["total_seconds"] = record.total_seconds;
  if (record.rounding_since_epoch > 0) {
    json["rounding_since_epoch"] = record.rounding_since_epoch;
  }
  if (record.diverged_at_step > 0) {
    json["diverged_at_step"] = record.diverged_at_step;
  }
  if (record.peak_memory > 0) json["peak_memory"] = record.peak_memory;
  return Line(json);
}

std::string FormatRunFile(const RunFile& file) {
  std::string text = FormatRecord(file.config) + "\n";
  // In the order of steps; a validation comes before the end of its epoch.
  std::size_t validation = 0;
  const auto add_validations = [&](Index up_to_step) {
    while (validation < file.validations.size() &&
           file.validations[validation].step <= up_to_step) {
      text += FormatRecord(file.validations[validation++]) + "\n";
    }
  };
  for (const EpochRecord& epoch : file.epochs) {
    add_validations(epoch.step);
    text += FormatRecord(epoch) + "\n";
  }
  add_validations(std::numeric_limits<Index>::max());
  if (file.summary) text += FormatRecord(*file.summary) + "\n";
  return text;
}

std::string_view CompleteLines(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? std::string_view()
                                       : text.substr(0, end + 1);
}

RunFile ParseRunFile(std::string_view text, std::string_view source) {
  RunFile file;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}: line {}", source, number);
    const Json json = IsTooDeep(line) ? Json(Json::value_t::discarded)
                                      : Json::parse(line, nullptr,
                                                    /*allow_exceptions=*/false);
    if (json.is_discarded()) {
      throw DataError(
          fmt::format("{}: {}: expected a JSON object", where, Quote(line)));
    }
    AddRecord(json, where, file);
  }
  return file;
}

RunFile ReadRunFile(const std::filesystem::path& path) {
  return ParseRunFile(ReadTextFile(path), path.string());
}

}  // namespace sven::train
