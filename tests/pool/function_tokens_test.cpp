// A function of the application as the source of passwords.
#include "forebay/pool/function_tokens.hpp"

#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "forebay/env/blocking_lane.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class FunctionTokensTest : public testing::Test {
 protected:
  Result<std::string> ask(FunctionTokens& tokens) {
    return run_blocking(runtime_.scheduler(), tokens.token(kNever));
  }
  FunctionTokens blocking(FunctionTokens::BlockingFunction function) {
    return FunctionTokens(runtime_.token_lane(), runtime_.scheduler(), std::move(function));
  }
  // Lets a function go on when the test ends, however that ends. The function shares it: it may
  // still look at it then.
  class Release {
   public:
    ~Release() { promise_.set_value(); }
    std::shared_future<void> future() { return future_; }

   private:
    std::promise<void> promise_;
    std::shared_future<void> future_ = promise_.get_future().share();
  };
  static Task<void> touch_lane(Runtime& runtime) {
    auto work = [] {};
    co_await run_on(runtime.lane(), runtime.scheduler(), work);
  }
  Runtime runtime_;
};

Task<Result<std::string>> hello(Instant deadline) {
  co_return deadline == kNever ? "hello" : "too early";
}
Task<Result<std::string>> no_keys(Instant) { co_return failure(Errc::refused, "no keys"); }
Task<Result<std::string>> throwing(Instant) {
  throw std::runtime_error("with the secret in it");
  co_return "never";
}

TEST_F(FunctionTokensTest, ACoroutineIsAskedWithTheDeadline) {
  FunctionTokens tokens(hello);

  EXPECT_EQ(ask(tokens), "hello");
}

TEST_F(FunctionTokensTest, ItsErrorIsPassedOn) {
  FunctionTokens tokens(no_keys);

  const Result<std::string> token = ask(tokens);

  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().text(), "no keys");
}

TEST_F(FunctionTokensTest, ABlockingFunctionRunsOnASideThread) {
  bool is_on_loop = true;
  FunctionTokens tokens = blocking([&]() -> Result<std::string> {
    is_on_loop = runtime_.is_current_thread();
    return "slow";
  });

  EXPECT_EQ(ask(tokens), "slow");
  EXPECT_FALSE(is_on_loop);
}

TEST_F(FunctionTokensTest, AStuckFunctionHoldsUpNeitherItsCallersNorTheConnects) {
  Release release;
  std::optional<FunctionTokens> tokens =
      blocking([released = release.future()]() -> Result<std::string> {
        released.wait();
        return "too late";
      });

  for (int i = 0; i < 3; ++i) {
    const Instant deadline = runtime_.scheduler().now() + 20ms;
    const Result<std::string> token = run_blocking(runtime_.scheduler(), tokens->token(deadline));
    ASSERT_FALSE(token);
    EXPECT_EQ(token.error().code(), Errc::timed_out);
  }
  run_blocking(runtime_.scheduler(), touch_lane(runtime_));
  tokens.reset();  // what it was asked goes on
}

TEST_F(FunctionTokensTest, ExceptionsBecomeErrorsThatRepeatNothing) {
  FunctionTokens from_task(throwing);
  FunctionTokens from_thread =
      blocking([]() -> Result<std::string> { throw std::runtime_error("with the secret in it"); });

  for (FunctionTokens* tokens : {&from_task, &from_thread}) {
    const Result<std::string> token = ask(*tokens);
    ASSERT_FALSE(token);
    EXPECT_NE(token.error().text().find("threw an exception"), std::string::npos);
    EXPECT_EQ(token.error().text().find("secret"), std::string::npos);
  }
}

TEST_F(FunctionTokensTest, AnEmptyTokenIsAnError) {
  FunctionTokens tokens = blocking([]() -> Result<std::string> { return ""; });

  EXPECT_FALSE(ask(tokens));
}

TEST_F(FunctionTokensTest, ARejectedTokenIsNotHandedOutAgain) {
  FunctionTokens tokens = blocking([]() -> Result<std::string> { return "old-token"; });
  ASSERT_TRUE(ask(tokens));

  tokens.reject("old-token");
  const Result<std::string> again = ask(tokens);

  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().text().find("old-token"), std::string::npos);
}

}  // namespace
}  // namespace forebay::test
