// SPDX-License-Identifier: MIT
#include "sven/experiment/claims.h"

#include <algorithm>

#include "claim_cases.h"

namespace sven::experiment {
namespace {

struct ClaimRow {
  const char* id;
  const char* statement;
  const char* place;
  const char* rule;
  Cases (*cases)(const Results&);
};

constexpr ClaimRow kClaims[] = {
    {"natural-gradient",
     "With more conditions than parameters Sven is natural gradient descent",
     "section 2.2", "the step equals (J^T J)^-1 J^T r to 1e-6",
     NaturalGradient},
    {"kappa-prefactor", "There kappa only changes a prefactor",
     "section 2.1, footnote",
     "steps with kappa 1 and 2 are parallel (cosine above 0.999)",
     KappaIsAPrefactor},
    {"kappa-one",
     "On regression kappa = 1 should give better steps than the default 2",
     "section 2.1", "a lower loss at the best point, median of the seeds",
     KappaOneIsBetter},
    {"exponential-decay",
     "With the natural metric the loss falls exponentially",
     "appendices A and B",
     "full batch, kappa 1, eta 0.1: (1 - eta)^2 per step; to 1e-6 for a linear "
     "model, within a fifth for a network",
     ExponentialDecay},
    {"cost-bound", "Sven costs only a factor of k more than gradient descent",
     "abstract, section 2.3",
     "with k = B/2 an epoch takes at most k times one of SGD", CostIsBounded},
    {"cost-of-k", "and so its cost grows with k", "section 2.3",
     "k = B takes at least twice as long as k = 1", CostGrowsWithK},
    {"epoch-cost", "An epoch takes roughly twice as long", "section 4.1",
     "with k = B/2, 1.5 to 2.5 times an epoch of SGD", EpochCostsTwo},
    {"beats-first-order",
     "On 1-D and polynomial regression Sven beats SGD, RMSProp and Adam",
     "section 4.1, figure 1",
     "a lower final validation loss than the best of SGD, Polyak, RMSprop and "
     "Adam",
     BeatsFirstOrder},
    {"trains-lower", "and converges to a lower training loss", "section 4.1",
     "a lower final training loss than the best of them by validation",
     TrainsLower},
    {"beats-first-order-mnist",
     "In all tasks it ends lower than the first-order methods",
     "caption of figure 1 (the text says otherwise)", "the same on MNIST",
     BeatsFirstOrderOnMnist},
    {"faster-by-epoch", "It converges faster per epoch",
     "section 4.1, figure 1",
     "an earlier epoch with the loss that the best first-order method ends "
     "with",
     FasterByEpoch},
    {"faster-by-time", "and is ahead by wall time", "section 4.1, figure 1",
     "the same loss in less time", FasterByTime},
    {"matches-adam", "On MNIST it matches Adam", "section 4.1",
     "final validation losses within 10 % of each other", MatchesAdam},
    {"not-above-adam", "but does not outperform it", "section 4.1",
     "Sven's loss is not the lower one", DoesNotBeatAdam},
    {"polyak", "Polyak's step size hastens SGD", "section 4",
     "a lower final validation loss than SGD", PolyakHastens},
    {"lbfgs-lower", "Only LBFGS achieves a lower training loss", "section 4.1",
     "LBFGS ends with a lower training loss than Sven, and nothing else does",
     OnlyLbfgsTrainsLower},
    {"lbfgs-competitive", "Sven remains competitive with LBFGS",
     "abstract, figure 1", "at most twice its final validation loss",
     CompetitiveWithLbfgs},
    {"lbfgs-slow", "LBFGS takes at least ten times longer than all others",
     "section 4.1", "at least ten times the training time of the slowest other",
     LbfgsIsSlow},
    {"enough-epochs", "20 epochs are enough to converge", "section 4",
     "Sven's loss changes by less than 10 % in the last five", EnoughEpochs},
    {"best-k", "The best k is a substantial fraction of the batch",
     "section 4.1", "k of the best point is at least B/2", BestKIsLarge},
    {"k-saturates", "Improvement with k saturates around B/2",
     "section 4.1, figure 2",
     "of the gain in log(loss) over k = 1, at least 90 % at B/2 and less at "
     "B/8 (rtol 1e-3, best learning rate)",
     GainSaturates},
    {"k-1d", "The trend is most pronounced for 1-D", "section 4.1, figure 2",
     "a larger factor from k = 1 to B/2 (rtol 1e-3, best learning rate)",
     KMattersMostIn1d},
    {"few-directions", "1-D entirely fails to learn with k = 1 and k = 2",
     "section 4.1",
     "the final loss is above half of that at the start (rtol 1e-3)",
     FewDirectionsFail},
    {"spectra", "The spectrum of 1-D decays rapidly, that of MNIST is flat",
     "section 4.1, figure 2",
     "s_B/2 / s_1 of 1-D is at most a tenth of MNIST's (k = B, smallest rtol)",
     SpectraDiffer},
    {"spectra-polynomial", "and that of the polynomial lies between",
     "figure 2",
     "s_B/2 / s_1 at least twice that of 1-D, at most half of MNIST's",
     PolynomialIsBetween},
    {"rtol-1d", "1-D varies dramatically with rtol from 1e-4 to 1e-2",
     "section 4.1, figure 2",
     "tenfold between the best and the worst (k = B, best learning rate)",
     CutMatters},
    {"rtol-1d-direction", "because influential directions are cut",
     "section 4.1", "rtol 1e-2 ends tenfold above 1e-4", CuttingHurts},
    {"rtol-polynomial", "On polynomials cutting more helps",
     "section 4.1, figure 2", "rtol 1e-2 ends below 1e-4", CuttingHelps},
    {"tail-unused",
     "Larger k only seems better there, since the singular values beyond B/2 "
     "are cut by rtol",
     "section 4.1", "with k = B at most 0.6 B are kept", TailIsUnused},
    {"microbatch", "Coarser micro-batches degrade Sven", "appendix C, figure 3",
     "the loss for sizes 1, 2, 4, 8, 16, 32 over that for 1 rises (less than "
     "half as much again is taken for chance)",
     MicroBatchesDegrade},
    {"microbatch-sgd", "until it converges to SGD", "appendix C",
     "with one condition per batch the step has the direction of SGD's",
     OneConditionIsSgd},
    {"sensitive-1d", "1-D is more sensitive to both than the polynomial",
     "appendix C", "a larger factor at the hardest setting",
     OneDimensionalIsSensitive},
    {"fraction-smaller", "Parameter batches have the smaller impact",
     "appendix C",
     "a tenth of the parameters costs less than one condition per batch",
     ParametersMatterLess},
    {"fraction-polynomial", "Polynomial regression is unaffected for f >= 0.5",
     "appendix C, figure 3", "less than 1.25 times the loss of f = 1",
     HalfIsEnoughForPolynomials},
    {"fraction-1d", "1-D is hurt by f < 1", "appendix C, figure 3",
     "at least 1.25 times the loss of f = 1 at f = 0.5 or 0.75", HalfHurts1d},
    {"ce-validation", "With cross-entropy Sven validates about as well",
     "appendix E, figure 4",
     "less than 1.1 times the best first-order method's loss",
     SimilarValidation},
    {"ce-training", "but has a worse training loss", "appendix E, figure 4",
     "more than 1.1 times that of the same method", WorseTraining},
    {"ce-overfit", "since the others overfit more", "appendix E",
     "a larger ratio of validation to training loss", OthersOverfit},
    {"ce-spectrum",
     "By the second epoch a handful of singular values dominates",
     "appendix E, figure 4",
     "in epoch 2 at most ten of 64 are above a tenth of the largest, and at "
     "most half as many as with label regression",
     SpectrumCollapses},
};

}  // namespace

Verdict Claim::Judge() const {
  if (cases.empty()) return Verdict::kNotMeasured;
  const auto held = std::ranges::count_if(cases, &ClaimCase::holds);
  if (held == std::ssize(cases)) return Verdict::kHolds;
  return held > 0 ? Verdict::kHoldsInPart : Verdict::kDoesNotHold;
}

std::vector<Claim> JudgeClaims(const Results& results) {
  std::vector<Claim> claims;
  for (const ClaimRow& row : kClaims) {
    claims.push_back({.id = row.id,
                      .statement = row.statement,
                      .place = row.place,
                      .rule = row.rule,
                      .cases = row.cases(results)});
  }
  return claims;
}

}  // namespace sven::experiment
