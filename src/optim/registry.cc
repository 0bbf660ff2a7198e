// SPDX-License-Identifier: MIT
#include "sven/optim/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sven/base/suggest.h"
#include "sven/base/text.h"
#include "sven/optim/adam.h"
#include "sven/optim/adamw.h"
#include "sven/optim/gauss_newton.h"
#include "sven/optim/half_inverse.h"
#include "sven/optim/jacobian_descent.h"
#include "sven/optim/kfac.h"
#include "sven/optim/lbfgs.h"
#include "sven/optim/levenberg_marquardt.h"
#include "sven/optim/lion.h"
#include "sven/optim/min_sr.h"
#include "sven/optim/muon.h"
#include "sven/optim/natural_gradient.h"
#include "sven/optim/polyak.h"
#include "sven/optim/rmsprop.h"
#include "sven/optim/schedule_free_adamw.h"
#include "sven/optim/sgd.h"
#include "sven/optim/shampoo.h"
#include "sven/optim/soap.h"
#include "sven/optim/spring.h"
#include "sven/optim/sven.h"
#include "sven/optim/sven_adaptive.h"

namespace sven::optim {

class OptimizerChoice::Settings {
 public:
  virtual ~Settings() = default;
  [[nodiscard]] virtual std::unique_ptr<Settings> Copy() const = 0;
  [[nodiscard]] virtual const OptimizerInfo& Info() const = 0;
  virtual bool SetOwn(std::string_view source, std::string_view name,
                      std::string_view text) = 0;
  virtual void Validate() const = 0;
  [[nodiscard]] virtual std::vector<FieldDescription> OwnFields() const = 0;
  [[nodiscard]] virtual bool TakesFromChain(std::string_view name) const = 0;
  virtual void Make(std::unique_ptr<Optimizer<float>>& result) const = 0;
  virtual void Make(std::unique_ptr<Optimizer<double>>& result) const = 0;

  ChainOptions chain;
};

namespace {

template <class Options, template <class> class Method>
class SettingsOf : public OptimizerChoice::Settings {
 public:
  explicit SettingsOf(const OptimizerInfo& info) : info_(info) {}

  [[nodiscard]] std::unique_ptr<Settings> Copy() const override {
    return std::make_unique<SettingsOf>(*this);
  }
  [[nodiscard]] const OptimizerInfo& Info() const override { return info_; }
  bool SetOwn(std::string_view source, std::string_view name,
              std::string_view text) override {
    return SetField(source, name, text, options_);
  }
  void Validate() const override {
    // Everything is checked by the constructor; no state is sized yet.
    const Method<float> trial(options_, chain);
  }
  [[nodiscard]] std::vector<FieldDescription> OwnFields() const override {
    return DescribeFields(options_);
  }
  [[nodiscard]] bool TakesFromChain(std::string_view name) const override {
    constexpr ChainFit kFit = Options::kChainFit;
    if (name == "clip") return kFit.clip;
    if (name == "max_update") return kFit.max_update;
    if (name == "decoupled_decay") return kFit.decoupled_decay;
    if (name == "ema") return kFit.ema;
    constexpr std::string_view kSuffix = "_schedule";
    if (!name.ends_with(kSuffix)) return true;
    return HasField<Options>(name.substr(0, name.size() - kSuffix.size()));
  }
  void Make(std::unique_ptr<Optimizer<float>>& result) const override {
    result = std::make_unique<Method<float>>(options_, chain);
  }
  void Make(std::unique_ptr<Optimizer<double>>& result) const override {
    result = std::make_unique<Method<double>>(options_, chain);
  }

 private:
  const OptimizerInfo& info_;
  Options options_;
};

using MakeSettings =
    std::unique_ptr<OptimizerChoice::Settings> (*)(const OptimizerInfo& info);

template <class Options, template <class> class Method>
std::unique_ptr<OptimizerChoice::Settings> MakeSettingsOf(
    const OptimizerInfo& info) {
  return std::make_unique<SettingsOf<Options, Method>>(info);
}

struct Entry {
  OptimizerInfo info;
  MakeSettings make;
};

// The one list of optimizers.
constexpr Entry kEntries[] = {
    {{"sven", "Sven",
      "singular value descent: the smallest step that meets all conditions",
      Family::kGram},
     MakeSettingsOf<SvenOptions, Sven>},
    {{"sven-adaptive", "Adaptive Sven",
      "Sven that sets its damping, rate and average by itself: nothing to tune",
      Family::kGram},
     MakeSettingsOf<SvenAdaptiveOptions, SvenAdaptive>},
    {{"sgd", "SGD", "gradient descent, with momentum and Nesterov's form",
      Family::kFirstOrder},
     MakeSettingsOf<SgdOptions, Sgd>},
    {{"polyak", "Polyak SGD",
      "gradient descent at the rate that would reach the loss f_star",
      Family::kFirstOrder},
     MakeSettingsOf<PolyakOptions, Polyak>},
    {{"rmsprop", "RMSprop",
      "the gradient over the root of its mean square, per parameter",
      Family::kFirstOrder},
     MakeSettingsOf<RmspropOptions, Rmsprop>},
    {{"adam", "Adam",
      "the mean gradient over the root of its mean square, per parameter",
      Family::kFirstOrder},
     MakeSettingsOf<AdamOptions, Adam>},
    {{"adamw", "AdamW", "Adam with the weight decay beside the step",
      Family::kFirstOrder},
     MakeSettingsOf<AdamWOptions, AdamW>},
    {{"lion", "Lion", "the sign of the mean gradient", Family::kFirstOrder},
     MakeSettingsOf<LionOptions, Lion>},
    {{"schedule_free_adamw", "Schedule-free AdamW",
      "AdamW that averages its path instead of lowering the rate",
      Family::kFirstOrder},
     MakeSettingsOf<ScheduleFreeAdamWOptions, ScheduleFreeAdamW>},
    {{"lbfgs", "L-BFGS",
      "several quasi-Newton iterations per batch, from the last changes",
      Family::kFirstOrder},
     MakeSettingsOf<LbfgsOptions, Lbfgs>},
    {{"levenberg_marquardt", "Levenberg-Marquardt",
      "Gauss-Newton with damping that follows success; bad steps are rejected",
      Family::kGram},
     MakeSettingsOf<LevenbergMarquardtOptions, LevenbergMarquardt>},
    {{"gauss_newton", "Exact Gauss-Newton",
      "damped Gauss-Newton for squared errors and cross-entropy",
      Family::kGram},
     MakeSettingsOf<GaussNewtonOptions, GaussNewton>},
    {{"natural_gradient", "Natural gradient",
      "the gradient preconditioned by the Jacobian of the outputs",
      Family::kGram},
     MakeSettingsOf<NaturalGradientOptions, NaturalGradient>},
    {{"half_inverse", "Half-inverse gradients",
      "half way between the gradient and the pseudo-inverse", Family::kGram},
     MakeSettingsOf<HalfInverseOptions, HalfInverse>},
    {{"minsr", "minSR",
      "stochastic reconfiguration: the damped inverse of the Gram matrix",
      Family::kGram},
     MakeSettingsOf<MinSrOptions, MinSr>},
    {{"spring", "SPRING",
      "minSR that remembers directions which the batch does not see",
      Family::kGram},
     MakeSettingsOf<SpringOptions, Spring>},
    {{"jacobian_descent", "Jacobian descent",
      "a step that conflicts with no sample's gradient: UPGrad and DualProj",
      Family::kGram},
     MakeSettingsOf<JacobianDescentOptions, JacobianDescent>},
    {{"kfac", "K-FAC",
      "natural gradient with a Kronecker product per layer for the Fisher "
      "matrix",
      Family::kLayerMatrix},
     MakeSettingsOf<KfacOptions, Kfac>},
    {{"shampoo", "Shampoo",
      "a matrix on each side of a layer's gradient, from its history",
      Family::kLayerMatrix},
     MakeSettingsOf<ShampooOptions, Shampoo>},
    {{"soap", "SOAP", "Adam in the eigenbasis of Shampoo's factors",
      Family::kLayerMatrix},
     MakeSettingsOf<SoapOptions, Soap>},
    {{"muon", "Muon", "orthogonalised momentum for hidden layers, else AdamW",
      Family::kLayerMatrix},
     MakeSettingsOf<MuonOptions, Muon>},
};

constexpr auto kInfos = [] {
  std::array<OptimizerInfo, std::size(kEntries)> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kEntries[i].info;
  return infos;
}();

}  // namespace

std::span<const OptimizerInfo> AllOptimizers() { return kInfos; }

OptimizerChoice ChooseOptimizer(std::string_view source,
                                std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) {
    if (entry.info.name == name) {
      return OptimizerChoice(entry.make(entry.info));
    }
    names.push_back(entry.info.name);
  }
  throw UsageError(fmt::format("{} = {}: no such optimizer{}", source,
                               Quote(name), SuggestOrList(name, names)));
}

OptimizerChoice::OptimizerChoice(std::unique_ptr<Settings> settings)
    : settings_(std::move(settings)) {}
OptimizerChoice::~OptimizerChoice() = default;
OptimizerChoice::OptimizerChoice(const OptimizerChoice& other)
    : settings_(other.settings_->Copy()) {}
OptimizerChoice& OptimizerChoice::operator=(const OptimizerChoice& other) {
  if (this != &other) settings_ = other.settings_->Copy();
  return *this;
}
OptimizerChoice::OptimizerChoice(OptimizerChoice&&) noexcept = default;
OptimizerChoice& OptimizerChoice::operator=(OptimizerChoice&&) noexcept =
    default;

const OptimizerInfo& OptimizerChoice::Info() const { return settings_->Info(); }

bool OptimizerChoice::Set(std::string_view source, std::string_view name,
                          std::string_view text) {
  if (settings_->SetOwn(source, name, text)) return true;
  return settings_->TakesFromChain(name) &&
         SetField(source, name, text, settings_->chain);
}

void OptimizerChoice::SetHorizon(Index steps) {
  settings_->chain.SetHorizon(steps);
}

void OptimizerChoice::Validate() const { settings_->Validate(); }

std::vector<FieldDescription> OptimizerChoice::MethodFields() const {
  return settings_->OwnFields();
}

std::vector<FieldDescription> OptimizerChoice::ChainFields() const {
  std::vector<FieldDescription> fields = DescribeFields(settings_->chain);
  std::erase_if(fields, [&](const FieldDescription& field) {
    return !settings_->TakesFromChain(field.name);
  });
  return fields;
}

template <class T>
std::unique_ptr<Optimizer<T>> OptimizerChoice::Make() const {
  std::unique_ptr<Optimizer<T>> result;
  settings_->Make(result);
  return result;
}

template std::unique_ptr<Optimizer<float>> OptimizerChoice::Make() const;
template std::unique_ptr<Optimizer<double>> OptimizerChoice::Make() const;

}  // namespace sven::optim
