#include "forebay/aws/credentials/profiles.hpp"

#include "support/aws_world.hpp"

namespace forebay::aws {
namespace {

class ProfilesTest : public test::AwsWorld {
 protected:
  std::string value(const std::string& profile, const std::string& key) const {
    const Profile* const found = profiles_.find(profile);
    return found == nullptr ? "(no profile)" : value_at(*found, key);
  }

  Profiles profiles_;
};

TEST_F(ProfilesTest, ReadsSectionsKeysAndComments) {
  profiles_.add_config(
      "# a comment\r\n"
      "; another = one\r\n"
      "ignored = before any section\r\n"
      "[default]\r\n"
      "Region = eu-west-1 # where we are\r\n"
      "output=json;not a comment\r\n"
      "\r\n"
      "  [ profile   two  ]  # the second\n"
      "role_arn\t=\tarn:aws:iam::1:role/x=y ; a comment\n"
      "s3 =\n"
      "  region = nested\n"
      "no equals sign\n"
      "[profile \"three four\"]\n"
      "region = there");

  EXPECT_EQ(value("default", "region"), "eu-west-1");
  EXPECT_EQ(value("default", "output"), "json;not a comment");
  EXPECT_EQ(value("default", "ignored"), "");
  EXPECT_EQ(value("two", "role_arn"), "arn:aws:iam::1:role/x=y");
  EXPECT_EQ(value("two", "region"), "");
  EXPECT_EQ(value("three four", "region"), "there");
}

TEST_F(ProfilesTest, TheConfigFileSaysProfileAndTheCredentialsFileDoesNot) {
  profiles_.add_config(
      "[one]\nregion = not-a-profile\n[profile two]\nregion = b\n"
      "[sso-session three]\nregion = c\n[services four]\nregion = d\n[profile default]\nregion=e");
  profiles_.add_credentials("[five]\nregion = f\n[two]\naws_access_key_id = id\n");

  EXPECT_EQ(value("one", "region"), "(no profile)");
  EXPECT_EQ(value("two", "region"), "b");
  EXPECT_EQ(value("two", "aws_access_key_id"), "id");
  EXPECT_EQ(value("sso-session three", "region"), "(no profile)");
  EXPECT_EQ(value("services four", "region"), "(no profile)");
  EXPECT_EQ(value("default", "region"), "e");
  EXPECT_EQ(value("five", "region"), "f");
}

TEST_F(ProfilesTest, TheCredentialsFileCountsMore) {
  profiles_.add_config("[default]\naws_access_key_id = config\nregion = r\n");
  profiles_.add_credentials("[default]\naws_access_key_id = credentials\n");

  EXPECT_EQ(value("default", "aws_access_key_id"), "credentials");
  EXPECT_EQ(value("default", "region"), "r");
}

TEST_F(ProfilesTest, OddTextDoesNoHarm) {
  for (const char* text : {"", "\n\n", "[", "[]", "]", "[profile", "[profile ]\nx=1", "=",
                           "[a]\n=", "[default]\nkey", "\xff\xfe"})
    profiles_.add_config(text);

  EXPECT_EQ(value("default", "key"), "");
}

TEST_F(ProfilesTest, FilesAreInTheHomeFolderUnlessTold) {
  machine_.files["/home-of-test/.aws/config"] = "[default]\nregion = home";
  machine_.files["/home-of-test/.aws/credentials"] = "[default]\naws_access_key_id = home";
  machine_.files["/home-of-test/other"] = "[profile work]\nregion = other";
  machine_.files["/keys"] = "[work]\naws_access_key_id = other";

  profiles_ = run(load_profiles(aws()));
  EXPECT_EQ(value("default", "region"), "home");
  EXPECT_EQ(value("default", "aws_access_key_id"), "home");
  EXPECT_EQ(profiles_.selected_name, "default");

  machine_.variables["AWS_CONFIG_FILE"] = "~/other";
  machine_.variables["AWS_SHARED_CREDENTIALS_FILE"] = "/keys";
  machine_.variables["AWS_PROFILE"] = "work";
  profiles_ = run(load_profiles(aws()));
  EXPECT_EQ(value_at(profiles_.selected(), "region"), "other");
  EXPECT_EQ(value_at(profiles_.selected(), "aws_access_key_id"), "other");
  EXPECT_EQ(value("default", "region"), "(no profile)");
  EXPECT_EQ(profiles_.chosen_by, "AWS_PROFILE");
}

TEST_F(ProfilesTest, IndentedKeysAndColonsAreReadAsTheAwsCommandReadsThem) {
  profiles_.add_config(
      "[default]\n  Region: eu-west-1\n  role_arn : arn:aws:iam::1:role/x\n\n  output = json\n"
      "s3 =\n    region = nested\n\n    # a comment\n    style=path\n"
      "credential_process = /bin/x --a=b:c\n");

  EXPECT_EQ(value("default", "region"), "eu-west-1");
  EXPECT_EQ(value("default", "role_arn"), "arn:aws:iam::1:role/x");
  EXPECT_EQ(value("default", "output"), "json");
  EXPECT_EQ(value("default", "s3.region"), "nested");
  EXPECT_EQ(value("default", "s3.style"), "path");
  EXPECT_EQ(value("default", "credential_process"), "/bin/x --a=b:c");
}

TEST_F(ProfilesTest, WhatEachFileSaysIsKnownApart) {
  profiles_.add_config("[default]\naws_session_token = stale\n[sso-session s]\nsso_region = r\n");
  profiles_.add_credentials("[default]\naws_access_key_id = id\n");

  EXPECT_EQ(value_at(profiles_.in_credentials("default"), "aws_session_token"), "");
  EXPECT_EQ(value_at(profiles_.in_config("default"), "aws_access_key_id"), "");
  EXPECT_EQ(value_at(*profiles_.sso_session("s"), "sso_region"), "r");
  EXPECT_EQ(profiles_.services("s"), nullptr);
}

TEST_F(ProfilesTest, VariablesInPathsAreReplaced) {
  machine_.variables["X_1"] = "one";
  EXPECT_EQ(expanded_path(machine_, "~/a"), "/home-of-test/a");
  EXPECT_EQ(expanded_path(machine_, "~"), "/home-of-test");
  EXPECT_EQ(expanded_path(machine_, "$HOME/${X_1}/$X_1-b"), "/home-of-test/one/one-b");
  EXPECT_EQ(expanded_path(machine_, "/a/$NOT_SET/${NOT_SET}/$"), "/a/$NOT_SET/${NOT_SET}/$");
  EXPECT_EQ(expanded_path(machine_, "/a/${X_1"), "/a/${X_1");
  EXPECT_EQ(expanded_path(machine_, "~other/a"), "~other/a");
}

}  // namespace
}  // namespace forebay::aws
