// SPDX-License-Identifier: MIT
#include "sven/data/trained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sven/base/error.h"
#include "sven/base/fields.h"
#include "sven/base/text.h"

namespace sven::data {
namespace {

using Json = nlohmann::json;

void PutList(const char* key, const auto& list, SafetensorsFile& file) {
  if (list.empty()) return;
  // Names out of a text file need not be UTF-8; what is not is replaced.
  file.metadata[key] =
      Json(list).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Put(const std::string& prefix, const Scaling& scaling,
         SafetensorsFile& file) {
  PutList((prefix + "_mean").c_str(), scaling.mean, file);
  PutList((prefix + "_deviation").c_str(), scaling.deviation, file);
}

// Metadata of one file, with a name for messages.
class Metadata {
 public:
  Metadata(const SafetensorsFile& file, const std::string& source)
      : file_(file), source_(source) {}

  // Leaves `value` as it is where the file says nothing.
  template <class V>
  void Read(const std::string& key, V& value) const {
    const std::string* text = Find(key);
    if (text == nullptr) return;
    try {
      ParseValue(Place(key), *text, value);
    } catch (const UsageError& error) {
      throw DataError(error.what());
    }
  }

  // A list of `count` entries, or none.
  template <class V>
  std::vector<V> List(const std::string& key, Index count) const {
    const std::string* text = Find(key);
    if (text == nullptr) return {};
    const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_array()) Refuse(key, *text, "a list");
    std::vector<V> list;
    for (const Json& entry : json) {
      if constexpr (std::is_same_v<V, double>) {
        if (!entry.is_number()) Refuse(key, *text, "numbers");
      } else {
        if (!entry.is_string()) Refuse(key, *text, "names");
      }
      list.push_back(entry.get<V>());
    }
    const Index found = std::ssize(list);
    const bool one_for_all = std::is_same_v<V, double> && found == 1;
    if (found != count && !one_for_all) {
      Refuse(
          key, *text,
          fmt::format("{} entries, as the network has, not {}", count, found));
    }
    return list;
  }

  [[nodiscard]] Scaling ReadScaling(const std::string& prefix,
                                    Index count) const {
    const std::string deviation = prefix + "_deviation";
    Scaling scaling{.mean = List<double>(prefix + "_mean", count),
                    .deviation = List<double>(deviation, count)};
    if (scaling.mean.size() != scaling.deviation.size()) {
      throw DataError(fmt::format("{}: as many entries as '{}_mean' expected",
                                  Place(deviation), prefix));
    }
    for (const double value : scaling.deviation) {
      CheckPositive(deviation, value);
    }
    return scaling;
  }

  void CheckPositive(const std::string& key, double value) const {
    if (value > 0 && std::isfinite(value)) return;
    throw DataError(fmt::format("{}: {}: must be positive", Place(key), value));
  }

 private:
  [[nodiscard]] const std::string* Find(const std::string& key) const {
    const auto found = file_.metadata.find(key);
    return found == file_.metadata.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::string Place(const std::string& key) const {
    return fmt::format("{}: metadata '{}'", source_, key);
  }
  [[noreturn]] void Refuse(const std::string& key, const std::string& text,
                           std::string_view expected) const {
    throw DataError(
        fmt::format("{}: {}: expected {}", Place(key), Quote(text), expected));
  }

  const SafetensorsFile& file_;
  const std::string& source_;
};

}  // namespace

template <class T>
SafetensorsFile FormatModel(const nn::Mlp<T>& net, const ModelCard& card) {
  SafetensorsFile file;
  AppendModel<T>({.net = net, .tensors = NameParameters(net)}, file);
  file.metadata["format"] = "pt";  // what tools for PyTorch look for
  file.metadata["activation"] = Name(card.activation);
  file.metadata["loss"] = Name(card.loss.kind);
  file.metadata["huber_delta"] = FormatValue(card.loss.huber_delta);
  Put("input", card.normalisation.inputs, file);
  Put("target", card.normalisation.targets, file);
  PutList("input_names", card.input_names, file);
  PutList("target_names", card.target_names, file);
  PutList("class_names", card.class_names, file);
  return file;
}

template <class T>
TrainedModel<T> ParseModel(const SafetensorsFile& file,
                           const std::string& source,
                           std::optional<nn::Activation> activation) {
  const Metadata metadata(file, source);
  ModelCard card;
  metadata.Read("activation", card.activation);
  card.activation = activation.value_or(card.activation);
  nn::Loss::Kind kind = card.loss.kind;
  double huber_delta = card.loss.huber_delta;
  metadata.Read("loss", kind);
  metadata.Read("huber_delta", huber_delta);
  metadata.CheckPositive("huber_delta", huber_delta);
  card.loss = nn::Loss(kind, huber_delta);

  Model<T> model = ReadModel<T>(file, card.activation, source);
  const Index inputs = model.net.NumInputs();
  const Index outputs = model.net.NumOutputs();
  card.normalisation = {.inputs = metadata.ReadScaling("input", inputs),
                        .targets = metadata.ReadScaling("target", outputs)};
  card.input_names = metadata.List<std::string>("input_names", inputs);
  const bool labels = card.loss.UsesLabels();
  card.target_names =
      metadata.List<std::string>("target_names", labels ? 1 : outputs);
  card.class_names = metadata.List<std::string>("class_names", outputs);
  return {.net = std::move(model.net), .card = std::move(card)};
}

NumberType NumberTypeOf(const SafetensorsFile& file) {
  const auto is_double = [](const auto& entry) {
    return entry.first.ends_with(".weight") &&
           entry.second.dtype == DType::kF64;
  };
  return std::ranges::any_of(file.tensors, is_double) ? NumberType::kFloat64
                                                      : NumberType::kFloat32;
}

template struct TrainedModel<float>;
template struct TrainedModel<double>;
template SafetensorsFile FormatModel(const nn::Mlp<float>&, const ModelCard&);
template SafetensorsFile FormatModel(const nn::Mlp<double>&, const ModelCard&);
template TrainedModel<float> ParseModel(const SafetensorsFile&,
                                        const std::string&,
                                        std::optional<nn::Activation>);
template TrainedModel<double> ParseModel(const SafetensorsFile&,
                                         const std::string&,
                                         std::optional<nn::Activation>);

}  // namespace sven::data
