#include "forebay/pool/function_tokens.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/run_until.hpp"

namespace forebay {
namespace {

// What it says may hold anything, a token included, so it is not repeated.
std::unexpected<Error> thrown() {
  return failure(Errc::invalid,
                 "the token provider of the application threw an exception: let it answer with an "
                 "error instead");
}

Result<std::string> call(const FunctionTokens::BlockingFunction& function) {
  try {
    return function();
  } catch (...) {
    return thrown();
  }
}

Task<Result<std::string>> ask_on_lane(BlockingLane& lane, Scheduler& scheduler,
                                      FunctionTokens::BlockingFunction function, Instant deadline) {
  std::function<Result<std::string>()> work = [function = std::move(function)] {
    return call(function);
  };
  std::optional<Result<std::string>> made =
      co_await run_until(lane, scheduler, std::move(work), deadline);
  if (made) co_return std::move(*made);
  co_return failure(Errc::timed_out,
                    "the token provider of the application gave no token in time, or one that was "
                    "asked before it is still busy: let it answer sooner, or keep what it made");
}

}  // namespace

FunctionTokens::FunctionTokens(Function function) : function_(std::move(function)) {}

FunctionTokens::FunctionTokens(BlockingLane& lane, Scheduler& scheduler, BlockingFunction function)
    : function_([&lane, &scheduler, blocking = std::move(function)](Instant deadline) {
        return ask_on_lane(lane, scheduler, blocking, deadline);
      }) {}

// Copies: a pool that closes does not wait for this, so what was asked may outlive the object.
Task<Result<std::string>> FunctionTokens::token(Instant deadline) {
  const Function function = function_;
  const std::string rejected = rejected_;
  Result<std::string> made = thrown();
  try {
    made = co_await function(deadline);
  } catch (...) {
    made = thrown();
  }
  if (made && made->empty()) {
    made = failure(Errc::invalid, "the token provider of the application gave an empty token");
  } else if (made && *made == rejected) {
    made = failure(Errc::invalid,
                   "the token provider of the application gave a token again that the server has "
                   "refused as expired: let it make a new one");
  }
  co_return made;
}

}  // namespace forebay
