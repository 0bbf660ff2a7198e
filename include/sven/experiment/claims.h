// SPDX-License-Identifier: MIT
//
// What the paper says, put to the test: every claim has a rule, the rule is
// applied to the cases that were measured, and the verdict follows from them.
//
//   holds             in every case
//   holds in part     in some
//   does not hold     in none
//   not measured      there are no cases
#ifndef SVEN_EXPERIMENT_CLAIMS_H_
#define SVEN_EXPERIMENT_CLAIMS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sven/base/enum_names.h"
#include "sven/experiment/results.h"

namespace sven::experiment {

enum class Verdict { kHolds, kHoldsInPart, kDoesNotHold, kNotMeasured };

struct ClaimCase {
  std::string measured;  // "1-D: 2.9e-06 against 4.8e-06 (adam)"
  bool holds = false;
};

struct Claim {
  std::string id;
  std::string statement;  // the paper's words in brief
  std::string place;      // where they stand
  std::string rule;       // when a case holds
  std::vector<ClaimCase> cases = {};

  [[nodiscard]] Verdict Judge() const;
};

// Derivations first, then the experiments in the order of the paper.
std::vector<Claim> JudgeClaims(const Results& results);

// JSON: a list with id, statement, place, rule, cases and verdict.
std::string FormatClaims(const std::vector<Claim>& claims);

// Tables for a page: the claims, the best points over their seeds, and the
// numbers of the published package beside ours.
std::string ClaimsMarkdown(const std::vector<Claim>& claims);
std::string TablesMarkdown(const Results& results);

}  // namespace sven::experiment

template <>
struct sven::EnumNames<sven::experiment::Verdict> {
  using Verdict = sven::experiment::Verdict;
  static constexpr std::pair<std::string_view, Verdict> kTable[] = {
      {"holds", Verdict::kHolds},
      {"holds in part", Verdict::kHoldsInPart},
      {"does not hold here", Verdict::kDoesNotHold},
      {"not measured", Verdict::kNotMeasured},
  };
};

#endif  // SVEN_EXPERIMENT_CLAIMS_H_
