// FunctionTokens: a TokenSource made of a function of the application.
//
// The function is asked before each connect, several times at once if several connects are on their
// way, and keeps what it wants to use again. An exception, an empty token and one that the server
// has refused as expired become errors. A function that is asked when the pool closes goes on
// without it, on a copy: what it refers to lives until then. Confined to the scheduler; it outlives
// its pools.
#pragma once

#include <functional>
#include <string>

#include "forebay/pool/token_source.hpp"

namespace forebay {

class BlockingLane;
class Scheduler;

class FunctionTokens final : public TokenSource {
 public:
  // Runs on the scheduler, which it must not block, and keeps the deadline.
  using Function = std::function<Task<Result<std::string>>(Instant deadline)>;
  // Runs on a side thread and may block it. It is not interrupted, but nobody waits for it beyond
  // the deadline.
  using BlockingFunction = std::function<Result<std::string>()>;

  explicit FunctionTokens(Function function);
  // Use a lane that serves nothing else, as Runtime::token_lane() is: what is slow here holds up
  // everything on it.
  FunctionTokens(BlockingLane& lane, Scheduler& scheduler, BlockingFunction function);

  Task<Result<std::string>> token(Instant deadline) override;
  void reject(const std::string& token) override { rejected_ = token; }

 private:
  const Function function_;
  std::string rejected_;  // the last one
};

}  // namespace forebay
