#include "forebay/base/misuse.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace forebay {
namespace {

[[noreturn]] void stop(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace

std::string place_text(const std::source_location& place) {
  return fmt::format("{}:{}", place.file_name(), place.line());
}

void stop_for_misuse(std::string_view sentence, const std::source_location& place) {
  stop(fmt::format("forebay: {}: {}\n", place_text(place), sentence));
}

void stop_for_misuse(std::string_view sentence) { stop(fmt::format("forebay: {}\n", sentence)); }

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace forebay
