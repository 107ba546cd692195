#include "forebay/detail/base/check.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "forebay/base/check_context.hpp"

namespace forebay {
namespace {

thread_local CheckContext* innermost_context = nullptr;

}  // namespace

CheckContext::CheckContext(std::function<std::string()> text)
    : text_(std::move(text)), outer_(std::exchange(innermost_context, this)) {}

CheckContext::~CheckContext() { innermost_context = outer_; }

void check_failed(const char* condition, const char* file, int line, std::string_view state) {
  std::fprintf(stderr, "forebay: internal error at %s:%d: expected %s", file, line, condition);
  if (!state.empty()) std::fprintf(stderr, "; %.*s", static_cast<int>(state.size()), state.data());
  if (innermost_context != nullptr) {
    std::fprintf(stderr, "\n  %s", innermost_context->text_().c_str());
  }
  std::fputc('\n', stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace forebay
