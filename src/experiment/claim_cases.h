// SPDX-License-Identifier: MIT
//
// The cases of every claim. Names of experiments are those of paper.h.
#ifndef SVEN_SRC_EXPERIMENT_CLAIM_CASES_H_
#define SVEN_SRC_EXPERIMENT_CLAIM_CASES_H_

#include "claim_measures.h"

namespace sven::experiment {

// What is derived (claim_cases_derived.cc).
Cases NaturalGradient(const Results& results);
Cases KappaIsAPrefactor(const Results& results);
Cases ExponentialDecay(const Results& results);
Cases OneConditionIsSgd(const Results& results);
Cases KappaOneIsBetter(const Results& results);

// Optimizers side by side (claim_cases_optimizers.cc).
Cases CostIsBounded(const Results& results);
Cases CostGrowsWithK(const Results& results);
Cases EpochCostsTwo(const Results& results);
Cases BeatsFirstOrder(const Results& results);
Cases BeatsFirstOrderOnMnist(const Results& results);
Cases TrainsLower(const Results& results);
Cases FasterByEpoch(const Results& results);
Cases FasterByTime(const Results& results);
Cases MatchesAdam(const Results& results);
Cases DoesNotBeatAdam(const Results& results);
Cases PolyakHastens(const Results& results);
Cases OnlyLbfgsTrainsLower(const Results& results);
Cases CompetitiveWithLbfgs(const Results& results);
Cases LbfgsIsSlow(const Results& results);
Cases EnoughEpochs(const Results& results);
Cases SimilarValidation(const Results& results);
Cases WorseTraining(const Results& results);
Cases OthersOverfit(const Results& results);

// Settings and spectra (claim_cases_settings.cc).
Cases BestKIsLarge(const Results& results);
Cases GainSaturates(const Results& results);
Cases KMattersMostIn1d(const Results& results);
Cases FewDirectionsFail(const Results& results);
Cases SpectraDiffer(const Results& results);
Cases PolynomialIsBetween(const Results& results);
Cases CutMatters(const Results& results);
Cases CuttingHurts(const Results& results);
Cases CuttingHelps(const Results& results);
Cases TailIsUnused(const Results& results);
Cases MicroBatchesDegrade(const Results& results);
Cases OneDimensionalIsSensitive(const Results& results);
Cases ParametersMatterLess(const Results& results);
Cases HalfIsEnoughForPolynomials(const Results& results);
Cases HalfHurts1d(const Results& results);
Cases SpectrumCollapses(const Results& results);

}  // namespace sven::experiment

#endif  // SVEN_SRC_EXPERIMENT_CLAIM_CASES_H_
