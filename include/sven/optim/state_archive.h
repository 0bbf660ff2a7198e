// SPDX-License-Identifier: MIT
//
// The state of an optimizer, piece by piece, on its way to a file or back. A
// state lists its pieces once, in Visit(archive); writing and reading go
// through the same list.
#ifndef SVEN_OPTIM_STATE_ARCHIVE_H_
#define SVEN_OPTIM_STATE_ARCHIVE_H_

#include <cstdint>
#include <string_view>

#include "sven/base/random.h"
#include "sven/linalg/types.h"

namespace sven::optim {

class StateArchive {
 public:
  virtual ~StateArchive() = default;

  // An array of `size` numbers: when reading, one of another size is refused
  // before anything is allocated. A state whose sizes vary lists what they
  // follow from first.
  virtual void Array(std::string_view name, Index size,
                     AlignedVector<float>& values) = 0;
  virtual void Array(std::string_view name, Index size,
                     AlignedVector<double>& values) = 0;
  // One that has its size already.
  template <class T>
  void Array(std::string_view name, AlignedVector<T>& values) {
    Array(name, std::ssize(values), values);
  }
  // `low` and `high`: what the number may be.
  virtual void Integer(std::string_view name, std::int64_t low,
                       std::int64_t high, std::int64_t& value) = 0;
  virtual void Number(std::string_view name, double& value) = 0;
  virtual void Stream(std::string_view name, RandomStream& stream) = 0;
};

// Counts of steps, and what else is never negative.
inline void Count(StateArchive& archive, std::string_view name,
                  std::int64_t& value) {
  archive.Integer(name, 0, std::int64_t{1} << 62, value);
}

}  // namespace sven::optim

#endif  // SVEN_OPTIM_STATE_ARCHIVE_H_
