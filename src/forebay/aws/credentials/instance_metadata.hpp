// InstanceMetadata: what EC2 tells a program that runs on one of its instances (version 2, with a
// token for each visit).
//
// The timeouts are short, because elsewhere nobody answers at all and the user waits.
#pragma once

#include <optional>
#include <string>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/profiles.hpp"

namespace forebay::aws {

class MetadataAnswer {
 public:
  static MetadataAnswer found(std::string text);
  static MetadataAnswer absent(std::string reason);

  std::optional<std::string> text;
  std::string absence;  // why there is none, for people
};

class InstanceMetadata {
 public:
  // Where it is: AWS_EC2_METADATA_SERVICE_ENDPOINT and its MODE, or what the profile says.
  InstanceMetadata(AwsEnv env, const Profile& profile);

  // Absent: this is no instance, metadata is turned off, or it has nothing at this path (404).
  // Fetches a token if there is none yet.
  Task<Result<MetadataAnswer>> get(std::string path, Instant deadline);
  std::string who() const;  // for people: names the address

 private:
  Task<Result<MetadataAnswer>> fetch_token(Instant deadline);

  const AwsEnv env_;
  std::string base_;
  std::string token_;
};

}  // namespace forebay::aws
