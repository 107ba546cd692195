#include "forebay/aws/credentials/process_credentials.hpp"

#include "support/aws_world.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

class ProcessCredentialsTest : public test::AwsWorld {
 protected:
  Result<Credentials> ask(const std::string& command) {
    return run(credentials_of_program(aws(), command, "work", in(1min)));
  }
};

TEST_F(ProcessCredentialsTest, WhatAProgramComplainsOfIsToldWithoutSecrets) {
  machine_.programs.emplace(
      "/bin/creds",
      ProgramEnd(7, R"({"Version":1,"SecretAccessKey":"printed-secret","SessionToken":"abcdefgh"})",
                 "cannot use hunter2hunter2\nnor printed-secret and abcdefgh\n"));

  const Error error = ask("/bin/creds --password hunter2hunter2").error();

  EXPECT_EQ(error.code(), Errc::connect_failed);
  EXPECT_EQ(error.text(),
            "no credentials from the program /bin/creds of the AWS profile \"work\" "
            "(credential_process): it ended with 7: cannot use *** nor *** and ***");
}

TEST_F(ProcessCredentialsTest, OnlyTheEndOfALongComplaintIsTold) {
  machine_.programs.emplace("creds",
                            ProgramEnd(1, "", std::string(5000, 'x') + "\x1b[31m the point"));

  const std::string text = ask("creds").error().text();

  EXPECT_LT(text.size(), 600u);
  EXPECT_TRUE(text.ends_with(" [31m the point")) << text;
}

TEST_F(ProcessCredentialsTest, AProgramThatHangsIsNotAConfigurationThatIsWrong) {
  machine_.programs.emplace("slow", failure(Errc::timed_out, "slow was not done in time"));

  EXPECT_EQ(ask("slow").error().code(), Errc::timed_out);
  EXPECT_EQ(ask("absent").error().code(), Errc::refused);
  EXPECT_EQ(ask("").error().code(), Errc::refused);
}

}  // namespace
}  // namespace forebay::aws
