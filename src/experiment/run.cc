// SPDX-License-Identifier: MIT
#include "sven/experiment/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
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

// What is known of the columns and classes must be the same on both sides.
void CheckSame(const std::string& source, std::string_view what,
               const std::vector<std::string>& found,
               const std::vector<std::string>& wanted) {
  if (found.empty() || wanted.empty() || found == wanted) return;
  throw DataError(
      fmt::format("{}: its {} are {}: expected {}, as the data have", source,
                  what, fmt::join(found, ", "), fmt::join(wanted, ", ")));
}

// The weights of a file, for these data. What the data say of themselves,
// scaling included, holds from here on.
template <class T>
data::TrainedModel<T> ModelFromFile(const RunConfig& config,
                                    const RunData<T>& data) {
  const std::string& init = config.Model().init;
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
  CheckSame(init, "inputs", start.card.input_names, data.card.input_names);
  CheckSame(init, "classes", start.card.class_names, data.card.class_names);
  data::ModelCard card = data.card;
  card.activation = start.card.activation;
  start.card = std::move(card);
  return start;
}

template <class T>
data::TrainedModel<T> StartModel(const RunConfig& config,
                                 const RunData<T>& data) {
  if (!config.Model().init.empty()) return ModelFromFile<T>(config, data);
  data::ModelCard card = data.card;
  card.activation = config.Model().activation.value_or(nn::Activation::kGelu);
  return {.net = NewNetwork<T>(config, data), .card = std::move(card)};
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

// A checkpoint of a run, with its name for messages.
class SavedRun {
 public:
  explicit SavedRun(const fs::path& path)
      : source_(path.string()),
        file_(data::ReadSafetensors(path)),
        settings_(nlohmann::json::parse(Find("settings"), nullptr,
                                        /*allow_exceptions=*/false)) {
    if (!settings_.is_object()) {
      throw DataError(
          fmt::format("{}: metadata 'settings' = {}: expected an "
                      "object",
                      source_, Quote(Find("settings"))));
    }
  }

  [[nodiscard]] const std::string& Find(const char* key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end()) {
      throw DataError(fmt::format(
          "{}: metadata '{}' is missing: expected a checkpoint of sven train",
          source_, key));
    }
    return found->second;
  }

  // The network as it was saved. The file that it once started from need not
  // be there any more.
  template <class T>
  [[nodiscard]] data::TrainedModel<T> Model(const RunData<T>& data) const {
    data::ModelCard card = data.card;
    const auto activation = settings_.find("activation");
    if (activation != settings_.end() && activation->is_string()) {
      ParseSaved("activation", activation->get<std::string>(), card.activation);
    }
    data::Model<T> model = data::ReadModel<T>(file_, card.activation, source_);
    return {.net = std::move(model.net), .card = std::move(card)};
  }

  // Throws unless it is of a run with these settings and data.
  void Check(const std::map<std::string, std::string>& echo,
             std::uint32_t checksum) const {
    for (const auto& [name, text] : echo) {
      if (MayChange(name)) continue;
      const auto entry = settings_.find(name);
      if (entry == settings_.end() || *entry == text) continue;
      throw DataError(fmt::format(
          "{}: it was saved with {} = {}, not {}; a run goes on with the "
          "settings that it was started with",
          source_, name, Printable(entry->dump(), 60), Quote(text)));
    }
    const auto epochs = settings_.find("epochs");
    if (epochs != settings_.end() && *epochs != echo.at("epochs")) {
      CheckSchedules(source_, echo);
    }
    if (Find("data_checksum") != fmt::format("{:08x}", checksum)) {
      throw DataError(fmt::format(
          "{}: the data are not those that the run was started with (checksum "
          "{:08x}, expected {})",
          source_, checksum, Quote(Find("data_checksum"))));
    }
  }

  template <class T>
  void Restore(train::Trainer<T>& trainer) const {
    train::RestoreCheckpoint<T>(file_, source_, trainer);
    const Index done = trainer.State().epoch;
    if (done > trainer.Options().epochs) {
      throw DataError(fmt::format(
          "{}: {} epochs are done already, --epochs {} cannot undo them",
          source_, done, trainer.Options().epochs));
    }
  }

 private:
  template <class V>
  void ParseSaved(const char* name, const std::string& text, V& value) const {
    try {
      ParseValue(fmt::format("{}: {}", source_, name), text, value);
    } catch (const UsageError& error) {
      throw DataError(error.what());
    }
  }

  std::string source_;
  data::SafetensorsFile file_;
  nlohmann::json settings_;
};

// ---- Files of a run ----

// Adds lines to a file that others may be reading. All at once, so that they
// see whole lines; not safe from a power cut, unlike what is written at
// checkpoints and at the end. `create` is O_CREAT if there may be no file yet.
void AppendText(const fs::path& path, std::string_view text, int create) {
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | create, 0666);
  if (fd < 0) ThrowFileError(path, "cannot open", errno);
  const off_t before = ::lseek(fd, 0, SEEK_END);
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = written < 0 ? errno : ENOSPC;
  const bool all = written == static_cast<ssize_t>(text.size());
  // Half a line is none.
  const bool undone = all || ::ftruncate(fd, before) == 0;
  ::close(fd);
  if (!all) {
    ThrowFileError(path, undone ? "cannot add to it" : "cannot write", error);
  }
}

// Saves a training at intervals and at its end, and adds to its record as it
// goes. The record of an earlier training in the same file stays until the
// first line of this one is there to take its place.
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
  void OnValidation(const train::TrainProgress& /*progress*/,
                    const train::ValidationRecord& record) override {
    AddToRecords(train::FormatRecord(record) + "\n");
  }
  void OnEpoch(const train::TrainProgress& progress,
               const train::EpochRecord& record) override {
    AddToRecords(train::FormatRecord(record) + "\n");
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
      Warn(error);
    }
    NoteSaved();
  }

  void Warn(const DataError& error) {
    if (request_.warn) request_.warn(error.what());
  }

  // Anything but a whole file with all lines before these is written anew.
  void AddToRecords(const std::string& lines) {
    if (!request_.folder) return;
    const fs::path path = *request_.folder / kRunFile;
    const bool begun = std::exchange(growing_, false);
    std::error_code ignored;
    const bool exists = fs::exists(path, ignored);
    try {
      if (!exists) {
        AppendText(path, RecordsText(std::nullopt), O_CREAT);
      } else if (begun) {
        AppendText(path, lines, 0);
      } else {
        WriteRecords(std::nullopt);
      }
      growing_ = true;
    } catch (const DataError& error) {
      if (!std::exchange(warned_, true)) Warn(error);
    }
  }

  [[nodiscard]] std::string RecordsText(
      const std::optional<train::RunSummary>& summary) {
    const train::TrainState<T>& state = trainer_.State();
    return train::FormatRunFile({.config = record_,
                                 .epochs = state.epochs,
                                 .validations = state.validations,
                                 .summary = summary});
  }

  void NoteSaved() { saved_ = trainer_.Progress(); }

  void WriteRecords(const std::optional<train::RunSummary>& summary) {
    WriteFileAtomically(*request_.folder / kRunFile, RecordsText(summary));
    growing_ = true;
  }

  void WriteCheckpoint() {
    data::SafetensorsFile file;
    train::AppendCheckpoint<T>(trainer_, file);
    file.metadata["settings"] = SettingsText(record_.settings);
    file.metadata["data_checksum"] = fmt::format("{:08x}", checksum_);
    file.metadata["sven_version"] = record_.version;
    file.metadata["command"] = record_.command;
    data::WriteSafetensors(*request_.folder / kCheckpointFile, file);
  }

  const RunRequest& request_;
  std::optional<train::Interval> interval_;
  const data::ModelCard& card_;
  train::RunConfigRecord record_;
  std::uint32_t checksum_;
  train::Trainer<T>& trainer_;
  train::TrainProgress saved_;
  bool growing_ = false;  // the record has all lines so far
  bool warned_ = false;   // that it has not
};

// All that a run needs, up to its first step; nothing is written.
template <class T>
struct Preparation {
  Preparation(const RunConfig& config, const RunData<T>& data,
              const RunRequest& request)
      : saved(FindSaved(request)),
        model(saved ? saved->template Model<T>(data)
                    : StartModel<T>(config, data)),
        command(saved ? saved->Find("command") : request.command) {
    const train::TrainOptions options = config.Training();
    optim::OptimizerChoice choice = config.Optimizer(request.optimizer);
    echo = EchoOf<T>(config, choice, model);
    choice.SetHorizon(Horizon(options, data.Train().Size()));
    optimizer = choice.Make<T>();
    trainer.emplace(model.net, *optimizer, model.card.loss, data.Train(),
                    data.Validation(), options);
    if (!saved) return;
    saved->Check(echo, data.checksum);
    saved->template Restore<T>(*trainer);
  }

  static std::optional<SavedRun> FindSaved(const RunRequest& request) {
    if (!request.resume || !request.folder) return std::nullopt;
    const fs::path path = *request.folder / kCheckpointFile;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::nullopt;
    return SavedRun(path);
  }

  // All steps.
  static Index Horizon(const train::TrainOptions& options, Index samples) {
    const Index batch = std::min(options.batch_size, samples);
    const Index batches = (samples + batch - 1) / batch;
    constexpr Index kLongest = Index{1} << 62;
    return batches > kLongest / options.epochs ? kLongest
                                               : batches * options.epochs;
  }

  std::optional<SavedRun> saved;
  data::TrainedModel<T> model;
  std::string command;
  std::map<std::string, std::string> echo;
  std::unique_ptr<optim::Optimizer<T>> optimizer;
  std::optional<train::Trainer<T>> trainer;
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
  ResetPeakMemory();
  Preparation<T> run(config, data, request);
  RunWriter<T> writer(request, config.Execution().checkpoint_every,
                      run.model.card,
                      {.version = Version(),
                       .command = run.command,
                       .settings = run.echo,
                       .machine = DescribeMachine(config.Execution().threads)},
                      data.checksum, *run.trainer);
  run.trainer->AddObserver(writer);
  for (train::TrainObserver* observer : request.observers) {
    run.trainer->AddObserver(*observer);
  }
  train::RunSummary summary = run.trainer->Run();
  summary.peak_memory = PeakMemory();
  writer.Finish(summary);
  return {.optimizer = request.optimizer,
          .folder = request.folder,
          .summary = summary};
}

template <class T>
void CheckRun(const RunConfig& config, const RunData<T>& data,
              const RunRequest& request) {
  const Preparation<T> run(config, data, request);
}

template void CheckRun(const RunConfig&, const RunData<float>&,
                       const RunRequest&);
template void CheckRun(const RunConfig&, const RunData<double>&,
                       const RunRequest&);
template RunResult RunTraining(const RunConfig&, const RunData<float>&,
                               const RunRequest&);
template RunResult RunTraining(const RunConfig&, const RunData<double>&,
                               const RunRequest&);

}  // namespace sven::experiment
