// What is wrong with options is told before anything starts, all at once.
#include "forebay/coordination/cluster_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ClusterOptions good_options() {
  ClusterOptions options;
  options.endpoint = "abc.dsql.eu-west-1.on.aws";
  options.user = "admin";
  options.lease_table = "leases";
  options.rate_table = "rates";
  return options;
}

TEST(ClusterOptionsTest, TheDefaultsAreRight) { EXPECT_THAT(problems(good_options()), IsEmpty()); }

TEST(ClusterOptionsTest, EverythingWrongIsToldAtOnce) {
  ClusterOptions options = good_options();
  options.endpoint = "";
  options.service = "";
  options.lease_table = "a#b";
  options.limit = 0;
  options.ttl = 1s;
  options.rate_table = "x";
  options.connects_per_second = 0;
  options.burst = 0;
  options.max_wait = 0s;
  options.request_timeout = 0s;
  options.token_lifetime = 24h * 8;
  options.dynamodb_url = "localhost:8000";
  options.credentials.emplace("", "hush");

  const std::vector<std::string> wrong = sentences(problems(options));

  EXPECT_THAT(wrong, ElementsAre(HasSubstr("endpoint is empty"), HasSubstr("service is empty"),
                                 HasSubstr("lease_table is \"a#b\""), HasSubstr("limit is 0"),
                                 HasSubstr("ttl is 1s"), HasSubstr("rate_table is \"x\""),
                                 HasSubstr("connects_per_second is 0"), HasSubstr("burst is 0"),
                                 HasSubstr("max_wait is"), HasSubstr("request_timeout is"),
                                 HasSubstr("token_lifetime is"), HasSubstr("dynamodb_url is"),
                                 HasSubstr("credentials.access_key_id is empty")));
  for (const std::string& text : wrong) EXPECT_EQ(text.find("hush"), std::string::npos);
}

TEST(ClusterOptionsTest, AUrlWithAPasswordIsRefusedAndNotShown) {
  for (const char* url : {"https://u:hush@ddb", "u:hush@ddb"}) {
    ClusterOptions options = good_options();
    options.dynamodb_url = url;
    EXPECT_THAT(sentences(problems(options)),
                ElementsAre(AllOf(HasSubstr("dynamodb_url (not shown): it holds"),
                                  Not(HasSubstr("hush")))));
  }
}

TEST(ClusterOptionsTest, WhatIsNotSharedIsNotChecked) {
  ClusterOptions options = good_options();
  options.lease_table = "";
  options.limit = 0;
  options.rate_table = "";
  options.burst = 0;

  EXPECT_THAT(problems(options), IsEmpty());
  options.user = "";
  EXPECT_THAT(sentences(problems(options)), ElementsAre(HasSubstr("nothing would be shared")));
}

TEST(ClusterOptionsTest, AWindowCountsWholeConnects) {
  ClusterOptions options = good_options();
  options.connects_per_second = 0.5;
  EXPECT_THAT(sentences(problems(options)), ElementsAre(HasSubstr("connects_per_second is 0.5")));

  options.rate_mode = RateMode::automatic;  // it may become one
  EXPECT_THAT(sentences(problems(options)), ElementsAre(HasSubstr("connects_per_second is 0.5")));

  options.rate_mode = RateMode::bucket;
  EXPECT_THAT(problems(options), IsEmpty());
}

TEST(ClusterOptionsTest, TheFenceLeavesTimeToRenew) {
  ClusterOptions options = good_options();
  options.on_loss = LeaseLoss::fence;
  EXPECT_EQ(fence_before(options), 30s);

  options.fence_before = 2min;

  EXPECT_THAT(sentences(problems(options)), ElementsAre(HasSubstr("fence_before is 2m")));
}

TEST(ClusterOptionsTest, SessionsOfTheDeadLingerAsLongAsTheDatabaseMayCountThem) {
  ClusterOptions options = good_options();
  options.endpoint = "abc.dsql.eu-west-1.on.aws";
  EXPECT_EQ(session_linger(options), 5min);
  options.endpoint = "db.example";
  EXPECT_EQ(session_linger(options), 30s);
  options.session_linger = 0s;
  EXPECT_EQ(session_linger(options), 0s);
  EXPECT_THAT(problems(options), IsEmpty());

  options.session_linger = -1s;

  EXPECT_THAT(sentences(problems(options)), ElementsAre(HasSubstr("session_linger is -1s")));
}

}  // namespace
}  // namespace forebay::test
