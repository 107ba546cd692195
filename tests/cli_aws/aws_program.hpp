// The real program with credentials of AWS that are none, and secrets that it must not show.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "cli/program.hpp"

namespace forebay::cli {

using Words = std::vector<std::string>;

inline constexpr const char* kCluster = "abc.dsql.us-east-1.on.aws";
inline constexpr const char* kSecretKey = "hunter2SecretAccessKey";
inline constexpr const char* kSessionToken = "hunter2SessionToken";

// Nothing of the machine that runs the test shows through.
inline Words variables(const std::string& url) {
  return {"AWS_ENDPOINT_URL_DYNAMODB=" + url,
          "AWS_ACCESS_KEY_ID=local",
          std::string("AWS_SECRET_ACCESS_KEY=") + kSecretKey,
          std::string("AWS_SESSION_TOKEN=") + kSessionToken,
          "AWS_CONFIG_FILE=/nonexistent",
          "AWS_SHARED_CREDENTIALS_FILE=/nonexistent",
          "AWS_EC2_METADATA_DISABLED=true"};
}

struct Ending {
  int code;
  std::string out;
  std::string err;
};

inline Ending run_forebay(const Words& words, const Words& settings) {
  Program program(words, settings);
  const int code = program.wait();
  EXPECT_THAT(program.err(), testing::Not(testing::HasSubstr("hunter2")));
  return {code, program.out(), program.err()};
}

}  // namespace forebay::cli
