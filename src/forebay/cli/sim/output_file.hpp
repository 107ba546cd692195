// OutputFile: a file that appears under its name only when it is complete. Until then it is a
// hidden neighbour, which the destructor takes away again.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "forebay/base/error.hpp"

namespace forebay::cli {

// What speaks against writing a file there: no such folder, no right to, or something else is
// there, like a device. To be asked before work whose result the file shall hold.
std::optional<std::string> problem_with_output(const std::string& path);

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // What goes wrong here is told by complete().
  std::ostream& stream() { return stream_; }

  // Everything is on its way to the disk. The name is still that of the neighbour.
  Result<void> complete();
  // REQUIRES: complete() succeeded. Replaces what was there.
  Result<void> publish();

 private:
  const std::string path_;
  const std::string final_path_;  // behind symbolic links
  std::string hidden_path_;
  std::ofstream stream_;
};

}  // namespace forebay::cli
