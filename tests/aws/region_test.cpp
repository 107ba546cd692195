#include "forebay/aws/region.hpp"

#include "support/aws_world.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

class RegionTest : public test::AwsWorld {
 protected:
  std::string find(const std::string& region = {}, const std::string& host = {}) {
    const Result<std::string> found = run(find_region(aws(), RegionHints(region, host), in(10s)));
    return found ? *found : "error: " + found.error().text();
  }
};

TEST_F(RegionTest, AClusterIsWhereItsNameSays) {
  EXPECT_EQ(region_of_host("abcdefghijklmnopqrstuvwxyz.dsql.us-east-1.on.aws"), "us-east-1");
  EXPECT_EQ(region_of_host("x.dsql-fnh4.eu-west-2.on.aws"), "eu-west-2");
  EXPECT_EQ(region_of_host("x.dsql-gamma.us-east-2.on.aws."), "us-east-2");
  EXPECT_EQ(region_of_host("ABC.DSQL.US-EAST-1.ON.AWS"), "us-east-1");
  EXPECT_EQ(region_of_host("abc.dsql.eu-west-1.on.aws:5432"), "eu-west-1");
  for (const char* host :
       {"", "localhost", "dsql.us-east-1.on.aws", "x.dsql.us-east-1.amazonaws.com",
        "x.rds.us-east-1.on.aws", ".on.aws", "x.dsql..on.aws", "x.dsql.us-east-1.on.aws.example"})
    EXPECT_EQ(region_of_host(host), std::nullopt) << host;
}

TEST_F(RegionTest, EachSourceCountsMoreThanTheNext) {
  http_.handler = [](const HttpRequest& request) {
    return test::response(200, request.method == "PUT" ? "token" : "from-instance");
  };
  EXPECT_EQ(find(), "from-instance");
  machine_.files["/home-of-test/.aws/config"] = "[default]\nregion = from-profile";
  EXPECT_EQ(find(), "from-profile");
  machine_.variables["AWS_DEFAULT_REGION"] = "from-default";
  EXPECT_EQ(find(), "from-default");
  machine_.variables["AWS_REGION"] = "from-variable";
  EXPECT_EQ(find(), "from-variable");
  EXPECT_EQ(find("", "x.dsql.from-host.on.aws"), "from-host");
  EXPECT_EQ(find("from-user", "x.dsql.from-host.on.aws"), "from-user");
  EXPECT_EQ(http_.requests.size(), 2u);
  EXPECT_EQ(http_.requests[1].url, "http://169.254.169.254/latest/meta-data/placement/region");
}

TEST_F(RegionTest, WithoutAnyItSaysWhatToDo) {
  EXPECT_EQ(find(),
            "error: no AWS region is known (AWS_REGION and AWS_DEFAULT_REGION are not set, the "
            "profile has none, no answer from instance metadata at 169.254.169.254): set "
            "AWS_REGION, for example to eu-west-1");
}

// It becomes a part of host names.
TEST_F(RegionTest, AnythingElseThanANameIsRefused) {
  EXPECT_EQ(find("eu-west-1.example/"),
            "error: \"eu-west-1.example/\" is not the name of an AWS region, like eu-west-1");
}

}  // namespace
}  // namespace forebay::aws
