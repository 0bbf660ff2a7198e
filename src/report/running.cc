// SPDX-License-Identifier: MIT
#include "running.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <sstream>
#include <string>

namespace sven::report {

namespace fs = std::filesystem;

// A line is "1: FLOCK  ADVISORY  WRITE 4711 08:01:131090 0 EOF": device in
// hexadecimal, number of the file in decimal digits.
HeldFolders::HeldFolders() {
  std::ifstream stream("/proc/locks");
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string mode;
    std::string access;
    std::string process;
    unsigned int high = 0;
    unsigned int low = 0;
    ino_t file = 0;
    char colon = 0;
    words >> number >> kind >> mode >> access >> process;
    words >> std::hex >> high >> colon >> low >> colon >> std::dec >> file;
    if (words && kind == "FLOCK") locks_.insert({::makedev(high, low), file});
  }
}

bool HeldFolders::IsHeld(const fs::path& folder) const {
  struct stat status {};
  const fs::path lock = folder / ".lock";
  return !locks_.empty() && ::stat(lock.c_str(), &status) == 0 &&
         locks_.contains({status.st_dev, status.st_ino});
}

bool HeldFolders::IsRunning(const fs::path& record) const {
  const fs::path folder = fs::absolute(record).parent_path();
  const fs::path outer = folder.parent_path();
  return IsHeld(folder) || IsHeld(outer) ||
         (outer.filename() == ".work" && IsHeld(outer.parent_path()));
}

}  // namespace sven::report
