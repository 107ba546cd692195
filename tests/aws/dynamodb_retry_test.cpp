// What the client tries again, when, and for how long, in virtual time.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/dynamodb_world.hpp"
#include "forebay/aws/dynamodb/crc32.hpp"

namespace forebay::aws {
namespace {

using test::response;
using test::ScriptedHttp;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

const Result<HttpResponse> kDone = response(200, "{}");
const Result<HttpResponse> kNobodyListens = failure(Errc::connect_failed, "nobody listens");
const Result<HttpResponse> kLost = failure(Errc::connection_lost, "the connection broke");

std::vector<Duration> gaps(const std::vector<Duration>& times) {
  std::vector<Duration> between;
  for (std::size_t i = 1; i < times.size(); ++i) between.push_back(times[i] - times[i - 1]);
  return between;
}

std::vector<Write> two_writes() { return {counting_write(), counting_write()}; }

TEST(DynamoDbRetryTest, WhatWasCertainlyNotDoneIsTriedAgain) {
  const std::vector<Result<HttpResponse>> passing{
      kNobodyListens,
      exception("ThrottlingException"),
      exception("ProvisionedThroughputExceededException"),
      exception("RequestLimitExceeded"),
      exception("TransactionConflictException"),
      exception("ReplicatedWriteConflictException", "", 409),
      exception("ServiceUnavailable", "", 503),
      response(503, "<html>"),
      response(429, "")};
  for (const Result<HttpResponse>& trouble : passing) {
    DynamoDbWorld world;
    world.script({trouble, trouble, kDone});

    const auto reply = world.run(world.client.write(counting_write(), world.in(5s)));

    ASSERT_TRUE(reply.has_value()) << reply.error().text();
    EXPECT_TRUE(reply->is_done);
    EXPECT_EQ(world.client.usage().requests, 3u);
    EXPECT_EQ(world.client.usage().retries, 2u);
  }
}

TEST(DynamoDbRetryTest, AnUnknownOutcomeOfAWriteAloneIsTheCallersToJudge) {
  HttpResponse damaged = response(200, "{}");
  damaged.headers.emplace_back("x-amz-crc32", "1");
  const std::vector<Result<HttpResponse>> unknown{
      kLost,
      response(500, R"({"__type":"x#InternalServerError"})"),
      response(502, "<html>"),
      response(504, ""),
      response(200, "not JSON"),
      damaged};
  for (const Result<HttpResponse>& trouble : unknown) {
    DynamoDbWorld world;
    world.script({trouble, kDone});

    const auto reply = world.run(world.client.write(counting_write(), world.in(5s)));

    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().code(), Errc::timed_out);
    EXPECT_THAT(reply.error().text(),
                HasSubstr("nobody knows whether UpdateItem on table \"leases\" in eu-west-1 was "
                          "done"));
    EXPECT_EQ(world.client.usage().requests, 1u);
  }
}

TEST(DynamoDbRetryTest, AnUnknownOutcomeOfAnythingElseIsTriedAgain) {
  HttpResponse damaged = response(200, "{}");
  damaged.headers.emplace_back("x-amz-crc32", "1");
  for (const Result<HttpResponse>& trouble :
       {kLost, Result<HttpResponse>(response(500, "{}")), Result<HttpResponse>(damaged)}) {
    DynamoDbWorld world;
    const auto asked = [&] { world.script({trouble, kDone}); };

    asked();
    EXPECT_TRUE(world.run(world.client.get("leases", "a", world.in(5s))).has_value());
    asked();
    EXPECT_TRUE(world.run(world.client.scan("leases", "a", world.in(5s))).has_value());
    asked();
    EXPECT_TRUE(world.run(world.client.transact(two_writes(), world.in(5s)))->is_done);
    asked();
    Write repeatable = counting_write();
    repeatable.is_repeatable = true;
    EXPECT_TRUE(world.run(world.client.write(repeatable, world.in(5s)))->is_done);

    EXPECT_EQ(world.client.usage().requests, 8u);
  }
}

TEST(DynamoDbRetryTest, AnswersWithTheRightSumAreTaken) {
  DynamoDbWorld world;
  HttpResponse whole = response(200, R"({"Item":{"pk":{"S":"a"}}})");
  whole.headers.emplace_back("X-Amz-Crc32", std::to_string(crc32(whole.body)));
  world.script({whole});

  const auto item = world.run(world.client.get("leases", "a", world.in(1s)));

  EXPECT_TRUE(item.has_value() && item->has_value());
}

TEST(DynamoDbRetryTest, ATransactionKeepsItsTokenAndAnotherHasAnother) {
  DynamoDbWorld world;
  world.script({kLost, exception("TransactionInProgressException"), kDone});

  EXPECT_TRUE(world.run(world.client.transact(two_writes(), world.in(5s)))->is_done);
  EXPECT_TRUE(world.run(world.client.transact(two_writes(), world.in(5s)))->is_done);

  ASSERT_EQ(world.http.requests.size(), 4u);
  const std::string token = text_at(world.sent(0), "ClientRequestToken");
  EXPECT_EQ(world.http.requests[1].body, world.http.requests[0].body);
  EXPECT_EQ(world.http.requests[2].body, world.http.requests[0].body);
  EXPECT_NE(text_at(world.sent(3), "ClientRequestToken"), token);
}

TEST(DynamoDbRetryTest, OnlyConflictsAndThrottlingAreTriedAgainAfterACancellation) {
  for (const char* code :
       {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}) {
    DynamoDbWorld world;
    world.script({cancellation({"None", code}), kDone});

    EXPECT_TRUE(world.run(world.client.transact(two_writes(), world.in(5s)))->is_done) << code;
    EXPECT_EQ(world.client.usage().requests, 2u);
    EXPECT_EQ(world.client.usage().write_units, std::string(code) == "TransactionConflict" ? 4 : 0);
  }
  for (const char* code : {"ValidationError", "ItemCollectionSizeLimitExceeded"}) {
    DynamoDbWorld world;
    world.script({cancellation({"None", code}), kDone});

    EXPECT_FALSE(world.run(world.client.transact(two_writes(), world.in(5s))).has_value()) << code;
    EXPECT_EQ(world.client.usage().requests, 1u);
  }
}

TEST(DynamoDbRetryTest, WaitsDoubleUpToASecondAndTwoWhenThrottled) {
  DynamoDbWorld away;
  away.script({kNobodyListens});
  DynamoDbWorld throttled;
  throttled.script({exception("ThrottlingException")});

  const auto first = away.run(away.client.get("leases", "a", away.in(5min)));
  const auto second = throttled.run(throttled.client.get("leases", "a", throttled.in(5min)));

  ASSERT_FALSE(first.has_value() || second.has_value());
  const std::vector<Duration> waits = gaps(away.times);
  ASSERT_GT(waits.size(), 300u);  // half a second each, by and large
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LE(waits[i], 50ms * (1 << i));
  EXPECT_THAT(waits, Each(Le(Duration(1s))));
  EXPECT_GT(std::ranges::max(waits), 900ms);
  EXPECT_LT(std::ranges::min(waits), 50ms);
  const std::vector<Duration> throttled_waits = gaps(throttled.times);
  EXPECT_THAT(throttled_waits, Each(Le(Duration(2s))));
  EXPECT_GT(std::ranges::max(throttled_waits), 1800ms);
  EXPECT_EQ(throttled.client.usage().throttled, throttled.client.usage().requests);
}

TEST(DynamoDbRetryTest, ItGivesUpByTheDeadlineAndSaysWhy) {
  struct Case {
    Result<HttpResponse> trouble;
    Errc code;
    const char* text;
  };
  const std::vector<Case> cases{
      {kNobodyListens, Errc::connect_failed, "cannot be reached (nobody listens)"},
      {exception("ThrottlingException"), Errc::limit_reached, "was throttled"},
      {exception("TransactionConflictException"), Errc::limit_reached, "met others"},
      {response(503, ""), Errc::connect_failed, "is not available"},
      {response(500, ""), Errc::connect_failed, "failed (HTTP status 500)"},
      {kLost, Errc::timed_out, "did not answer (the connection broke)"}};
  for (const Case& one : cases) {
    DynamoDbWorld world;
    world.script({one.trouble});

    const auto item = world.run(world.client.get("leases", "a", world.in(3s)));

    ASSERT_FALSE(item.has_value());
    EXPECT_EQ(item.error().code(), one.code) << item.error().text();
    EXPECT_THAT(item.error().text(), AllOf(HasSubstr(one.text), HasSubstr(" tries in ")));
    EXPECT_LE(world.scheduler.now(), Instant(3s));
    EXPECT_THAT(world.times.size(), Ge(4u));
  }
}

// Once a try may have been done, no later refusal makes the outcome known.
TEST(DynamoDbRetryTest, AnUnknownOutcomeStaysUnknown) {
  for (const Result<HttpResponse>& later :
       {kNobodyListens, Result<HttpResponse>(exception("ThrottlingException")),
        Result<HttpResponse>(exception("AccessDeniedException"))}) {
    DynamoDbWorld world;
    world.script({kLost, later});

    const auto reply = world.run(world.client.transact(two_writes(), world.in(3s)));

    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().code(), Errc::timed_out) << reply.error().text();
    EXPECT_THAT(reply.error().text(), HasSubstr("nobody knows whether"));
  }
}

TEST(DynamoDbRetryTest, AHangingServerIsLeftAfterAWhileIfTheCallMayBeRepeated) {
  DynamoDbWorld world;
  int calls = 0;
  world.http.handler = [&](const HttpRequest&) {
    world.times.push_back(world.scheduler.now() - Instant());
    world.http.delay = ++calls < 3 ? ScriptedHttp::kNoAnswer : 10ms;
    return kDone;
  };

  const auto reply = world.run(world.client.transact(two_writes(), world.in(10s)));

  EXPECT_TRUE(reply.has_value() && reply->is_done);
  const std::vector<Duration> waits = gaps(world.times);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_THAT(waits[0], AllOf(Ge(Duration(1500ms)), Le(Duration(1550ms))));
  EXPECT_THAT(waits[1], AllOf(Ge(Duration(1500ms)), Le(Duration(1600ms))));
}

TEST(DynamoDbRetryTest, AHangingServerIsWaitedForIfTheWriteMayNotBeRepeated) {
  DynamoDbWorld world;
  world.script({kDone});
  world.http.delay = ScriptedHttp::kNoAnswer;

  const auto reply = world.run(world.client.write(counting_write(), world.in(4s)));

  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code(), Errc::timed_out);
  EXPECT_EQ(world.scheduler.now(), Instant(4s));
  EXPECT_EQ(world.client.usage().requests, 1u);
}

TEST(DynamoDbRetryTest, EachTryHasAShareOfAShortDeadline) {
  DynamoDbWorld world;
  world.script({kDone});
  world.http.delay = ScriptedHttp::kNoAnswer;

  const auto item = world.run(world.client.get("leases", "a", world.in(1s)));

  ASSERT_FALSE(item.has_value());
  EXPECT_EQ(item.error().code(), Errc::timed_out);
  EXPECT_LE(world.scheduler.now(), Instant(1s));
  ASSERT_GE(world.times.size(), 3u);
  EXPECT_THAT(world.times[1], AllOf(Ge(Duration(500ms)), Le(Duration(550ms))));
}

// DynamoDB knows what came of a transaction after 5 s at the latest.
TEST(DynamoDbRetryTest, ATransactionInProgressIsAskedForAfterItsEnd) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    DynamoDbWorld world;
    world.random = SeededRandom(seed);
    world.http.handler = [&](const HttpRequest&) -> Result<HttpResponse> {
      world.times.push_back(world.scheduler.now() - Instant());
      if (world.times.back() > 5s) return kDone;
      return exception("TransactionInProgressException");
    };

    const auto reply = world.run(world.client.transact(two_writes(), world.in(5200ms)));

    EXPECT_TRUE(reply.has_value() && reply->is_done) << seed;
  }
}

TEST(DynamoDbRetryTest, NoTimeLeftMeansNotAsked) {
  DynamoDbWorld world;
  world.script({kDone});

  const auto item = world.run(world.client.get("leases", "a", world.in(0s)));

  ASSERT_FALSE(item.has_value());
  EXPECT_EQ(item.error().code(), Errc::timed_out);
  EXPECT_TRUE(world.http.requests.empty());
}

// A transaction whose k-th try, and each before it, is lost: it is made once by a server that knows
// tokens, and the answer is true.
TEST(DynamoDbRetryTest, LostAnswersAtAnyTryDoNotRepeatATransaction) {
  for (int lost = 0; lost < 6; ++lost) {
    DynamoDbWorld world;
    std::vector<std::string> tokens;  // of the transactions that were made
    int left = lost;
    world.http.handler = [&](const HttpRequest& request) -> Result<HttpResponse> {
      const std::string token = text_at(*parse_object(request.body), "ClientRequestToken");
      if (!std::ranges::count(tokens, token)) tokens.push_back(token);
      if (left-- > 0) return kLost;
      return kDone;
    };

    const auto reply = world.run(world.client.transact(two_writes(), world.in(10s)));

    ASSERT_TRUE(reply.has_value()) << reply.error().text();
    EXPECT_TRUE(reply->is_done);
    EXPECT_EQ(tokens.size(), 1u);
    EXPECT_EQ(world.client.usage().requests, static_cast<std::uint64_t>(lost) + 1);
  }
}

// Each request of a scan over three pages fails once, in turn.
TEST(DynamoDbRetryTest, AScanGoesOnWhereItWasWhicheverRequestFails) {
  for (int failing = 0; failing < 3; ++failing) {
    DynamoDbWorld world;
    int number = 0;
    world.http.handler = [&](const HttpRequest& request) -> Result<HttpResponse> {
      if (number++ == failing) return kLost;
      if (request.body.find("ExclusiveStartKey") == std::string::npos)
        return response(200, R"({"Items":[{}],"LastEvaluatedKey":{"pk":{"S":"1"}}})");
      if (request.body.find(R"("S":"1")") != std::string::npos)
        return response(200, R"({"Items":[{}],"LastEvaluatedKey":{"pk":{"S":"2"}}})");
      return response(200, R"({"Items":[{}]})");
    };

    const auto items = world.run(world.client.scan("leases", "", world.in(5s)));

    ASSERT_TRUE(items.has_value());
    EXPECT_EQ(items->size(), 3u);
    EXPECT_EQ(number, 4);
  }
}

}  // namespace
}  // namespace forebay::aws
