// BundledFile: a file of the repository that the build has put into the program, so that it is
// there wherever the program is. cmake/ForebayBundle.cmake makes lists of them.
#pragma once

#include <string_view>

namespace forebay {

struct BundledFile {
  std::string_view name;  // without its folder
  std::string_view text;
};

}  // namespace forebay
