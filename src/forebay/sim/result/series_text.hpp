// SeriesText: a series of whole numbers as a short text, for the report. Differences instead of
// numbers, because most are small; "d*n" is the difference d, n times, because most repeat.
// 7, 7, 7, 8 is "7,0*2,1". web/report/series.js reads it.
#pragma once

#include <cstdint>
#include <string>

namespace forebay::sim {

class SeriesText {
 public:
  void add(std::int64_t value);

  // What was added so far.
  std::string text() const;

 private:
  std::int64_t last_ = 0;
  std::int64_t difference_ = 0;  // of the run that may go on
  std::uint64_t times_ = 0;      // that it was seen in a row; 0: nothing was added yet
  std::string ended_;            // the runs before it
};

}  // namespace forebay::sim
