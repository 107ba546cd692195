#include "forebay/aws/endpoint.hpp"

#include <gtest/gtest.h>

#include "support/fake_machine.hpp"

namespace forebay::aws {
namespace {

class EndpointTest : public testing::Test {
 protected:
  std::string url(std::string_view service = "dynamodb",
                  std::string_view region = "eu-west-1") const {
    Profiles profiles;
    profiles.add_config("[default]\n" + profile_);
    const Result<std::string> found = endpoint_url(service, region, machine_, profiles);
    return found ? *found : "error: " + found.error().text();
  }

  test::FakeMachine machine_;
  std::string profile_;
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
  profile_ = "use_fips_endpoint = true\n";
  EXPECT_EQ(url("sts", "cn-north-1"), "https://sts.cn-north-1.api.amazonwebservices.com.cn");
}

TEST_F(EndpointTest, TheMostSpecialSettingCounts) {
  profile_ = "endpoint_url = http://profile.example/\n";
  EXPECT_EQ(url(), "http://profile.example");
  machine_.variables["AWS_ENDPOINT_URL"] = "http://localhost:8000";
  EXPECT_EQ(url(), "http://localhost:8000");
  machine_.variables["AWS_ENDPOINT_URL_DYNAMODB"] = "http://localhost:8001/ ";
  EXPECT_EQ(url(), "http://localhost:8001");
  EXPECT_EQ(url("sts"), "http://localhost:8000");
  machine_.variables["AWS_ENDPOINT_URL_STS"] = "http://localhost:8002";
  EXPECT_EQ(url("sts"), "http://localhost:8002");
}

TEST_F(EndpointTest, AProfileCanReferToServices) {
  profile_ =
      "services = local\nendpoint_url = http://profile.example\n[services local]\n"
      "dynamodb =\n  endpoint_url = http://localhost:8000/\n  region = x\nsso_oidc =\n"
      "  endpoint_url = http://localhost:8001\n";
  EXPECT_EQ(url(), "http://localhost:8000");
  EXPECT_EQ(url("sso_oidc"), "http://localhost:8001");
  EXPECT_EQ(url("sts"), "http://profile.example");
  machine_.variables["AWS_ENDPOINT_URL"] = "http://localhost:8002";
  EXPECT_EQ(url(), "http://localhost:8002");

  machine_.variables.clear();
  profile_ = "services = gone\n";
  EXPECT_EQ(url(),
            "error: the AWS profile \"default\" has services = gone, but there is no "
            "[services gone] in ");
}

TEST_F(EndpointTest, SingleSignOnHasNamesOfItsOwn) {
  EXPECT_EQ(url("sso"), "https://portal.sso.eu-west-1.amazonaws.com");
  EXPECT_EQ(url("sso_oidc"), "https://oidc.eu-west-1.amazonaws.com");
}

TEST_F(EndpointTest, ConfiguredOnesCanBeIgnored) {
  profile_ = "endpoint_url = http://profile.example/\n";
  machine_.variables["AWS_ENDPOINT_URL"] = "http://localhost:8000";
  machine_.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "TRUE";

  EXPECT_EQ(url(), "https://dynamodb.eu-west-1.amazonaws.com");
}

}  // namespace
}  // namespace forebay::aws
