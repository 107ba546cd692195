#include "forebay/env/real/made_certificates.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/tls_pair.hpp"

namespace forebay::real {
namespace {

class MadeCertificatesTest : public testing::Test {
 protected:
  MadeCertificatesTest() {
    std::string path = std::filesystem::temp_directory_path() / "forebay_made_XXXXXX";
    FOREBAY_CHECK(::mkdtemp(path.data()) != nullptr);
    folder_ = path;
  }
  ~MadeCertificatesTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(MadeCertificatesTest, AServerHasThemAndAClientThatTrustsTheAuthorityBelievesEachName) {
  const auto files =
      make_certificates(folder_, {"cluster.dsql.eu-west-1.on.aws", "localhost", "127.0.0.1"});
  ASSERT_TRUE(files.has_value()) << files.error().text();
  TlsServerOptions server;
  server.certificate_file = files->certificate;
  server.key_file = files->key;
  TlsClientOptions client;
  client.ca_file = files->authority;
  for (const char* const name : {"cluster.dsql.eu-west-1.on.aws", "localhost", "127.0.0.1"}) {
    test::TlsPair pair;
    pair.shake_hands(server, client, name);
    EXPECT_TRUE(pair.client->has_value()) << name;
  }
  test::TlsPair pair;
  pair.shake_hands(server, client, "elsewhere.example");
  EXPECT_FALSE(pair.client->has_value());
}

TEST_F(MadeCertificatesTest, TheServerLearnsWhichNameWasAskedFor) {
  const auto files = make_certificates(folder_, {"localhost"});
  ASSERT_TRUE(files.has_value());
  TlsServerOptions server;
  server.certificate_file = files->certificate;
  server.key_file = files->key;
  TlsClientOptions client;
  client.ca_file = files->authority;
  test::TlsPair pair;
  pair.shake_hands(server, client, "localhost");
  EXPECT_EQ((**pair.server)->peer().server_name, "localhost");
}

TEST_F(MadeCertificatesTest, TheKeyIsForItsOwnerAloneAndNewOnesReplaceOldOnes) {
  for (int i = 0; i < 2; ++i) {
    const auto files = make_certificates(folder_, {"localhost"});
    ASSERT_TRUE(files.has_value()) << files.error().text();
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(files->key).permissions(),
              perms::owner_read | perms::owner_write);
  }
  EXPECT_EQ(make_certificates(folder_ / "none", {"localhost"}).error().code(), Errc::invalid);
  EXPECT_EQ(make_certificates(folder_, {"bad,name"}).error().code(), Errc::invalid);
}

}  // namespace
}  // namespace forebay::real
