// SPDX-License-Identifier: MIT
#include "sven/experiment/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "machine.h"
#include "sven/base/atomic_file.h"
#include "sven/base/error.h"
#include "sven/base/text.h"
#include "sven/linalg/product.h"
#include "sven/train/checkpoint.h"

namespace sven::experiment {
namespace {

namespace fs = std::filesystem;

// ---- The network ----

template <class T>
nn::Mlp<T> NewNetwork(const RunConfig& config, const RunData<T>& data) {
  std::vector<Index> widths = {data.Train().x.cols()};
  std::vector<Index> hidden = {32, 32};
  if (!config.Data().task.empty()) {
    const auto& task = data::FindTask("--task", config.Data().task);
    hidden.assign(task.hidden.begin(), task.hidden.end());
  }
  if (config.Model().hidden) hidden = config.Model().hidden->widths;
  widths.insert(widths.end(), hidden.begin(), hidden.end());
  widths.push_back(data.outputs);
  return nn::Mlp<T>(widths,
                    config.Model().activation.value_or(nn::Activation::kGelu),
                    config.Model().seed);
}

template <class T>
data::TrainedModel<T> StartModel(const RunConfig& config,
                                 const RunData<T>& data) {
  data::ModelCard card = data.card;
  const std::string& init = config.Model().init;
  if (init.empty()) {
    card.activation = config.Model().activation.value_or(nn::Activation::kGelu);
    return {.net = NewNetwork<T>(config, data), .card = std::move(card)};
  }
  data::TrainedModel<T> start = data::ParseModel<T>(
      data::ReadSafetensors(init), init, config.Model().activation);
  const Index inputs = data.Train().x.cols();
  if (start.net.NumInputs() != inputs ||
      start.net.NumOutputs() != data.outputs) {
    throw DataError(fmt::format(
        "{}: a network with {} inputs and {} outputs: expected {} and {}, as "
        "the data have",
        init, start.net.NumInputs(), start.net.NumOutputs(), inputs,
        data.outputs));
  }
  card.activation = start.card.activation;
  start.card = std::move(card);
  return start;
}

// ---- The record ----

template <class T>
std::map<std::string, std::string> EchoOf(const RunConfig& config,
                                          const optim::OptimizerChoice& choice,
                                          const data::TrainedModel<T>& model) {
  std::map<std::string, std::string> echo = config.Echo();
  Widths hidden;
  for (const nn::DenseLayer& layer : model.net.Layers()) {
    hidden.widths.push_back(layer.out);
  }
  hidden.widths.pop_back();
  echo["hidden"] = hidden.ToText();
  echo["activation"] = Name(model.card.activation);
  echo["loss"] = Name(model.card.loss.kind);
  echo["optimizer"] = choice.Info().name;
  for (const auto& fields : {choice.MethodFields(), choice.ChainFields()}) {
    for (const FieldDescription& field : fields) {
      echo[field.name] = field.default_value;
    }
  }
  return echo;
}

// Settings that a resumed run may change: when it ends, and where its files are
// now. (That they are the same files a checksum tells.)
bool MayChange(std::string_view name) {
  if (RunConfig::IsPath(name)) return true;
  constexpr std::string_view kNames[] = {"epochs", "patience", "target_loss",
                                         "time_limit"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::string SettingsText(const std::map<std::string, std::string>& echo) {
  return nlohmann::json(echo).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

// Schedules that end with the training would change all of it.
void CheckSchedules(const std::string& source,
                    const std::map<std::string, std::string>& echo) {
  for (const auto& [name, text] : echo) {
    if (!name.ends_with("schedule")) continue;
    const auto schedule = optim::Schedule::FromText(name, text);
    if (!schedule.NeedsLength() || schedule.steps) continue;
    throw DataError(fmt::format(
        "{}: {} = {} ends with the last epoch, so the number of epochs cannot "
        "be changed; a schedule with steps=N in it keeps its length",
        source, name, text));
  }
}

// Throws unless the checkpoint is of a run with these settings and data.
void CheckSettings(const data::SafetensorsFile& file, const std::string& source,
                   const std::map<std::string, std::string>& echo,
                   std::uint32_t checksum) {
  const auto find = [&](const char* key) -> const std::string& {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end()) {
      throw DataError(fmt::format(
          "{}: metadata '{}' is missing: expected a checkpoint of sven train",
          source, key));
    }
    return found->second;
  };
  const auto saved =
      nlohmann::json::parse(find("settings"), nullptr, /*exceptions=*/false);
  if (!saved.is_object()) {
    throw DataError(
        fmt::format("{}: metadata 'settings' = {}: expected an "
                    "object",
                    source, Quote(find("settings"))));
  }
  for (const auto& [name, text] : echo) {
    if (MayChange(name)) continue;
    const auto entry = saved.find(name);
    if (entry == saved.end() || *entry == text) continue;
    throw DataError(fmt::format(
        "{}: it was saved with {} = {}, not {}; a run goes on with the "
        "settings that it was started with",
        source, name, Printable(entry->dump(), 60), Quote(text)));
  }
  if (saved.contains("epochs") && saved["epochs"] != echo.at("epochs")) {
    CheckSchedules(source, echo);
  }
  if (find("data_checksum") != fmt::format("{:08x}", checksum)) {
    throw DataError(fmt::format(
        "{}: the data are not those that the run was started with (checksum "
        "{:08x}, expected {})",
        source, checksum, Quote(find("data_checksum"))));
  }
}

// ---- Files of a run ----

// Saves a training at intervals and at its end.
template <class T>
class RunWriter : public train::TrainObserver {
 public:
  RunWriter(const RunRequest& request,
            const std::optional<train::Interval>& interval,
            const data::ModelCard& card, train::RunConfigRecord record,
            std::uint32_t checksum, train::Trainer<T>& trainer)
      : request_(request),
        interval_(interval),
        card_(card),
        record_(std::move(record)),
        checksum_(checksum),
        trainer_(trainer) {
    NoteSaved();
  }

  void OnStep(const train::TrainProgress& progress,
              const StepReport& /*report*/) override {
    if (interval_ && interval_->unit != train::Interval::Unit::kEpochs) {
      SaveIfDue(progress);
    }
  }
  void OnEpoch(const train::TrainProgress& progress,
               const train::EpochRecord& /*record*/) override {
    if (interval_ && interval_->unit == train::Interval::Unit::kEpochs) {
      SaveIfDue(progress);
    }
  }

  // What the folder holds in the end.
  void Finish(const train::RunSummary& summary) {
    if (!request_.folder) return;
    nn::Mlp<T> net = trainer_.Net();
    std::ranges::copy(trainer_.Result(), net.Parameters().begin());
    data::WriteSafetensors(*request_.folder / kModelFile,
                           data::FormatModel<T>(net, card_));
    const bool over = summary.status != train::RunStatus::kInterrupted;
    WriteRecords(over ? std::optional(summary) : std::nullopt);
    WriteCheckpoint();
  }

 private:
  void SaveIfDue(const train::TrainProgress& progress) {
    double since = progress.total_seconds - saved_.total_seconds;
    if (interval_->unit == train::Interval::Unit::kSteps) {
      since = static_cast<double>(progress.step - saved_.step);
    } else if (interval_->unit == train::Interval::Unit::kEpochs) {
      since = static_cast<double>(progress.epoch - saved_.epoch);
    }
    if (since < interval_->count || !request_.folder) return;
    try {
      WriteRecords(std::nullopt);
      WriteCheckpoint();
    } catch (const DataError& error) {
      if (request_.warn) request_.warn(error.what());
    }
    NoteSaved();
  }

  void NoteSaved() { saved_ = trainer_.Progress(); }

  void WriteRecords(const std::optional<train::RunSummary>& summary) {
    const train::TrainState<T>& state = trainer_.State();
    WriteFileAtomically(*request_.folder / kRunFile,
                        train::FormatRunFile({.config = record_,
                                              .epochs = state.epochs,
                                              .validations = state.validations,
                                              .summary = summary}));
  }

  void WriteCheckpoint() {
    data::SafetensorsFile file;
    train::AppendCheckpoint<T>(trainer_, file);
    file.metadata["settings"] = SettingsText(record_.settings);
    file.metadata["data_checksum"] = fmt::format("{:08x}", checksum_);
    file.metadata["sven_version"] = record_.version;
    data::WriteSafetensors(*request_.folder / kCheckpointFile, file);
  }

  const RunRequest& request_;
  std::optional<train::Interval> interval_;
  const data::ModelCard& card_;
  train::RunConfigRecord record_;
  std::uint32_t checksum_;
  train::Trainer<T>& trainer_;
  train::TrainProgress saved_;
};

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) ThrowFileError(folder, "cannot create", error.value());
  const fs::path path = folder / ".lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) ThrowFileError(path, "cannot open", errno);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd_);
    throw DataError(fmt::format(
        "{}: another process is training there; wait for it or choose another "
        "folder",
        folder.string()));
  }
  RemoveTemporaries(folder);
}

FolderLock::~FolderLock() { ::close(fd_); }

template <class T>
RunResult RunTraining(const RunConfig& config, const RunData<T>& data,
                      const RunRequest& request) {
  linalg::SetThreads(static_cast<int>(config.Execution().threads));
  data::TrainedModel<T> model = StartModel<T>(config, data);
  const train::TrainOptions options = config.Training();
  optim::OptimizerChoice choice = config.Optimizer(request.optimizer);
  const auto echo = EchoOf<T>(config, choice, model);
  const Index batches =
      (data.Train().Size() + options.batch_size - 1) / options.batch_size;
  choice.SetHorizon(options.epochs * batches);
  const auto optimizer = choice.Make<T>();
  train::Trainer<T> trainer(model.net, *optimizer, model.card.loss,
                            data.Train(), data.Validation(), options);

  if (request.resume && request.folder) {
    const fs::path path = *request.folder / kCheckpointFile;
    if (fs::exists(path)) {
      const data::SafetensorsFile file = data::ReadSafetensors(path);
      CheckSettings(file, path.string(), echo, data.checksum);
      train::RestoreCheckpoint<T>(file, path.string(), trainer);
    }
  }
  RunWriter<T> writer(request, config.Execution().checkpoint_every, model.card,
                      {.version = Version(),
                       .command = request.command,
                       .settings = echo,
                       .machine = DescribeMachine(config.Execution().threads)},
                      data.checksum, trainer);
  trainer.AddObserver(writer);
  for (train::TrainObserver* observer : request.observers) {
    trainer.AddObserver(*observer);
  }
  const train::RunSummary summary = trainer.Run();
  writer.Finish(summary);
  return {.optimizer = request.optimizer,
          .folder = request.folder,
          .parameters = model.net.NumParameters(),
          .summary = summary};
}

template RunResult RunTraining(const RunConfig&, const RunData<float>&,
                               const RunRequest&);
template RunResult RunTraining(const RunConfig&, const RunData<double>&,
                               const RunRequest&);

}  // namespace sven::experiment
