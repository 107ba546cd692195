// Whom a client and a server believe, and what they say of those whom they do not.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/stream_tasks.hpp"
#include "support/tls_pair.hpp"

namespace forebay::real {
namespace {

using test::authority;
using test::CertificateFiles;
using test::CertificateWish;
using test::client_options;
using test::error_name;
using test::server_options;
using test::TlsPair;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// What the client says of a server with such a certificate.
std::string verdict(const CertificateWish& wish, TlsVerify verify = TlsVerify::name,
                    const std::string& name = "db.example") {
  TlsClientOptions options = client_options();
  options.verify = verify;
  TlsPair pair;
  pair.shake_hands(server_options(wish), options, name);
  if (pair.client->has_value()) return "trusted";
  return error_name(*pair.client) + ": " + pair.client->error().text();
}

CertificateWish of_name(const std::string& alternatives) {
  CertificateWish wish;
  wish.alternatives = alternatives;
  return wish;
}

TEST(TlsVerifyTest, AServerMustHaveTheNameThatWasAskedFor) {
  EXPECT_EQ(verdict(of_name("DNS:db.example")), "trusted");
  EXPECT_EQ(verdict(of_name("DNS:*.db.example"), TlsVerify::name, "a.db.example"), "trusted");
  EXPECT_EQ(verdict(of_name("IP:10.0.0.1"), TlsVerify::name, "10.0.0.1"), "trusted");
  EXPECT_THAT(verdict(of_name("DNS:other.example,DNS:third.example")),
              AllOf(StartsWith("connect_failed: TLS with sim:called failed: the certificate of "
                               "db.example is for other.example, third.example;"),
                    HasSubstr("connect by a name that it has")));
  EXPECT_THAT(verdict(of_name("IP:10.0.0.2"), TlsVerify::name, "10.0.0.1"),
              HasSubstr("the certificate of 10.0.0.1 is for CN=server"));
  EXPECT_THAT(verdict(of_name("DNS:db.example"), TlsVerify::name, ""), StartsWith("invalid: "));
}

TEST(TlsVerifyTest, WhatIsAskedLessIsCheckedLess) {
  EXPECT_EQ(verdict(of_name("DNS:other.example"), TlsVerify::certificate), "trusted");
  EXPECT_EQ(verdict(of_name("DNS:other.example"), TlsVerify::none), "trusted");
  CertificateWish self_signed;
  self_signed.is_self_signed = true;
  EXPECT_EQ(verdict(self_signed, TlsVerify::none), "trusted");
  EXPECT_THAT(verdict(self_signed, TlsVerify::certificate), HasSubstr("is signed by itself"));
}

TEST(TlsVerifyTest, ACertificateMustHoldNow) {
  CertificateWish expired = of_name("DNS:db.example");
  expired.ends_in_seconds = -60;
  EXPECT_THAT(verdict(expired), AllOf(HasSubstr("the certificate of db.example expired at 20"),
                                      HasSubstr("it must be renewed there")));
  CertificateWish early = of_name("DNS:db.example");
  early.begins_in_seconds = 3600;
  EXPECT_THAT(verdict(early), AllOf(HasSubstr("is not valid before 20"),
                                    HasSubstr("is the clock of this machine right?")));
}

TEST(TlsVerifyTest, SomebodyTrustedMustVouchForTheServer) {
  CertificateWish self_signed = of_name("DNS:db.example");
  self_signed.is_self_signed = true;
  EXPECT_THAT(verdict(self_signed), AllOf(HasSubstr("is signed by itself"),
                                          HasSubstr("name it as the CA file to trust it")));

  test::CertificateAuthority stranger("Another CA");
  TlsServerOptions of_stranger;
  const CertificateFiles files = stranger.issue(of_name("DNS:db.example"));
  of_stranger.certificate_file = files.certificate;
  of_stranger.key_file = files.key;
  TlsPair pair;
  pair.shake_hands(of_stranger, client_options(), "db.example");
  ASSERT_FALSE(pair.client->has_value());
  EXPECT_THAT(pair.client->error().text(),
              HasSubstr("was issued by CN=Another CA, whom this machine does not trust"));
  // The server is told why, too.
  EXPECT_THAT(pair.server->error().text(), HasSubstr("unknown ca"));
}

TEST(TlsVerifyTest, TheSystemVouchesForNobodyOfOurs) {
  TlsClientOptions options = client_options();
  options.ca_file.clear();
  TlsPair pair;
  pair.shake_hands(server_options(), options);
  EXPECT_EQ(error_name(*pair.client), "connect_failed");
}

// What a server says of a client that shows such a certificate, or none.
std::string verdict_on_client(bool is_required, const CertificateFiles& shown) {
  TlsServerOptions for_server = server_options();
  for_server.client_ca_file = authority().ca_file();
  for_server.is_client_certificate_required = is_required;
  TlsClientOptions for_client = client_options();
  for_client.certificate_file = shown.certificate;
  for_client.key_file = shown.key;
  TlsPair pair;
  pair.shake_hands(for_server, for_client);
  if (!pair.server->has_value()) return pair.server->error().text();
  return "trusted: " + (**pair.server)->peer().certificate_subject;
}

TEST(TlsVerifyTest, AServerMayAskWhoItsClientIs) {
  CertificateWish wish;
  wish.name = "application";
  const CertificateFiles good = authority().issue(wish);
  wish.ends_in_seconds = -60;
  const CertificateFiles expired = authority().issue(wish);
  test::CertificateAuthority stranger("Another CA");

  EXPECT_EQ(verdict_on_client(true, good), "trusted: CN=application");
  EXPECT_EQ(verdict_on_client(false, good), "trusted: CN=application");
  EXPECT_EQ(verdict_on_client(false, {}), "trusted: ");
  EXPECT_THAT(verdict_on_client(true, {}), HasSubstr("peer did not return a certificate"));
  EXPECT_THAT(verdict_on_client(true, expired),
              HasSubstr("the client's certificate, CN=application expired at"));
  EXPECT_THAT(verdict_on_client(false, stranger.issue(wish)),
              HasSubstr("was issued by CN=Another CA"));
}

TEST(TlsVerifyTest, AClientThatWantsAnotherProtocolIsRefused) {
  TlsServerOptions for_server = server_options();
  for_server.protocol = "postgresql";
  TlsClientOptions for_client = client_options();
  for_client.protocol = "h2";
  TlsPair other;
  other.shake_hands(for_server, for_client);
  EXPECT_EQ(error_name(*other.server), "connect_failed");
  EXPECT_THAT(other.client->error().text(), HasSubstr("no application protocol"));

  for_client.protocol.clear();
  TlsPair none;
  none.shake_hands(for_server, for_client);
  ASSERT_TRUE(none.server->has_value());
  EXPECT_EQ((**none.server)->peer().protocol, "");
}

TEST(TlsVerifyTest, FilesThatCannotBeUsedAreNamed) {
  const TlsServerOptions good = server_options();
  TlsServerOptions missing = good;
  missing.certificate_file = "/nowhere/server.pem";
  EXPECT_THAT(make_tls_server(missing).error().text(),
              StartsWith("the certificate file \"/nowhere/server.pem\" cannot be used: "));
  TlsServerOptions of_another = good;
  of_another.key_file = server_options().key_file;
  EXPECT_THAT(make_tls_server(of_another).error().text(), HasSubstr("key values mismatch"));
  TlsServerOptions unverifiable = good;
  unverifiable.is_client_certificate_required = true;
  EXPECT_EQ(error_name(make_tls_server(unverifiable)), "invalid");
  TlsClientOptions client = client_options();
  client.ca_file = good.key_file;
  EXPECT_THAT(make_tls_client(client).error().text(), StartsWith("the CA file \""));

  const std::string locked = authority().folder() + "/locked.key";
  const std::string command = "openssl ec -aes128 -passout pass:secret -in " + good.key_file +
                              " -out " + locked + " 2> " + locked + ".log";
  ASSERT_EQ(std::system(command.c_str()), 0);
  TlsServerOptions with_passphrase = good;
  with_passphrase.key_file = locked;
  EXPECT_THAT(make_tls_server(with_passphrase).error().text(), StartsWith("the key file \""));
}

}  // namespace
}  // namespace forebay::real
