// SPDX-License-Identifier: MIT
//
// One run as the report page takes it (web/DATA.md).
#ifndef SVEN_SRC_REPORT_RUN_TEXT_H_
#define SVEN_SRC_REPORT_RUN_TEXT_H_

#include <cstddef>
#include <map>
#include <string>

#include "sven/report/collection.h"

namespace sven::report {

// Settings that are the same in `base_settings` are left out.
std::string RunText(const CollectedRun& run, std::size_t base,
                    const std::map<std::string, std::string>& base_settings,
                    bool with_spectra);

// The validation loss that a run ended with, or has come to so far.
double LastLoss(const train::RunFile& record);

}  // namespace sven::report

#endif  // SVEN_SRC_REPORT_RUN_TEXT_H_
