// SPDX-License-Identifier: MIT
//
// Shows how a training goes: on a terminal a bar that is drawn again a few times
// a second, elsewhere one line per epoch.
#ifndef SVEN_APPS_SVEN_PROGRESS_H_
#define SVEN_APPS_SVEN_PROGRESS_H_

#include <string>

#include "sven/base/stopwatch.h"
#include "sven/train/trainer.h"

namespace sven::cli {

class ProgressDisplay : public train::TrainObserver {
 public:
  // `name` opens every line.
  ProgressDisplay(std::string name, bool quiet);
  ~ProgressDisplay() override;
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void OnStep(const train::TrainProgress& progress,
              const StepReport& report) override;
  void OnValidation(const train::TrainProgress& progress,
                    const train::ValidationRecord& record) override;
  void OnEpoch(const train::TrainProgress& progress,
               const train::EpochRecord& record) override;
  // Ctrl-C.
  [[nodiscard]] bool WantsStop() override;

  // Takes the bar away, so that something else can be printed.
  void Clear();

 private:
  void Draw(const train::TrainProgress& progress);

  std::string name_;
  bool quiet_;
  bool bar_;
  bool drawn_ = false;
  double loss_ = 0;  // a running mean over steps
  double validation_ = 0;
  bool validated_ = false;
  Index first_step_ = -1;  // of this session
  Stopwatch session_;
  Stopwatch since_drawn_;
};

}  // namespace sven::cli

#endif  // SVEN_APPS_SVEN_PROGRESS_H_
