#include "support/places.hpp"

namespace forebay::test {

std::string source_file(std::string_view path) {
  return std::string(FOREBAY_SOURCE "/").append(path);
}

std::string built_file(std::string_view path) {
  return std::string(FOREBAY_BUILD "/").append(path);
}

}  // namespace forebay::test
