#include "forebay/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace forebay {

void check_failed(const char* condition, const char* file, int line, std::string_view state) {
  std::fprintf(stderr, "forebay: internal error at %s:%d: expected %s", file, line, condition);
  if (!state.empty()) std::fprintf(stderr, "; %.*s", static_cast<int>(state.size()), state.data());
  std::fputc('\n', stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace forebay
