#include "forebay/aws/endpoint.hpp"

#include <gtest/gtest.h>

#include "support/fake_machine.hpp"

namespace forebay::aws {
namespace {

class EndpointTest : public testing::Test {
 protected:
  std::string url(std::string_view service = "dynamodb",
                  std::string_view region = "eu-west-1") const {
    return endpoint_url(service, region, machine_, profile_);
  }

  test::FakeMachine machine_;
  Profile profile_;
};

TEST_F(EndpointTest, FollowsTheRegionsPartition) {
  EXPECT_EQ(url(), "https://dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(url("sts", "us-east-2"), "https://sts.us-east-2.amazonaws.com");
  EXPECT_EQ(url("dynamodb", "cn-north-1"), "https://dynamodb.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(url("dynamodb", "us-iso-east-1"), "https://dynamodb.us-iso-east-1.c2s.ic.gov");
  EXPECT_EQ(url("dynamodb", "us-isob-east-1"), "https://dynamodb.us-isob-east-1.sc2s.sgov.gov");
  EXPECT_EQ(url("dynamodb", "eusc-de-east-1"), "https://dynamodb.eusc-de-east-1.amazonaws.eu");
}

TEST_F(EndpointTest, FipsAndDualStackChangeTheName) {
  machine_.variables["AWS_USE_FIPS_ENDPOINT"] = "true";
  EXPECT_EQ(url("dynamodb", "us-east-1"), "https://dynamodb-fips.us-east-1.amazonaws.com");
  EXPECT_EQ(url("dynamodb", "us-gov-west-1"), "https://dynamodb.us-gov-west-1.amazonaws.com");
  machine_.variables["AWS_USE_DUALSTACK_ENDPOINT"] = "True";
  EXPECT_EQ(url("dynamodb", "us-east-1"), "https://dynamodb-fips.us-east-1.api.aws");
  machine_.variables["AWS_USE_FIPS_ENDPOINT"] = "false";
  profile_["use_fips_endpoint"] = "true";
  EXPECT_EQ(url("sts", "cn-north-1"), "https://sts.cn-north-1.api.amazonwebservices.com.cn");
}

TEST_F(EndpointTest, TheMostSpecialSettingCounts) {
  profile_["endpoint_url"] = "http://profile.example/";
  EXPECT_EQ(url(), "http://profile.example");
  machine_.variables["AWS_ENDPOINT_URL"] = "http://localhost:8000";
  EXPECT_EQ(url(), "http://localhost:8000");
  machine_.variables["AWS_ENDPOINT_URL_DYNAMODB"] = "http://localhost:8001/ ";
  EXPECT_EQ(url(), "http://localhost:8001");
  EXPECT_EQ(url("sts"), "http://localhost:8000");
  machine_.variables["AWS_ENDPOINT_URL_STS"] = "http://localhost:8002";
  EXPECT_EQ(url("sts"), "http://localhost:8002");
}

TEST_F(EndpointTest, ConfiguredOnesCanBeIgnored) {
  profile_["endpoint_url"] = "http://profile.example/";
  machine_.variables["AWS_ENDPOINT_URL"] = "http://localhost:8000";
  machine_.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "TRUE";

  EXPECT_EQ(url(), "https://dynamodb.eu-west-1.amazonaws.com");
}

}  // namespace
}  // namespace forebay::aws
