// The transport over TLS, against a server with a certificate of the test's own: only a server
// that proves its name hears the request.
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/env/real/curl_transport.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "support/loopback.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;

struct Deleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};
template <class T>
using Owned = std::unique_ptr<T, Deleter>;

// For the name localhost, signed by itself.
Owned<X509> make_certificate(EVP_PKEY* key) {
  Owned<X509> certificate(X509_new());
  X509* const x = certificate.get();
  X509_set_version(x, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
  X509_gmtime_adj(X509_getm_notBefore(x), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x), 24 * 3600);
  X509_set_pubkey(x, key);
  X509_NAME* const name = X509_get_subject_name(x);
  const auto* const host = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, host, -1, -1, 0);
  X509_set_issuer_name(x, name);
  const Owned<X509_EXTENSION> names(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost"));
  X509_add_ext(x, names.get(), -1);
  X509_sign(x, key, EVP_sha256());
  return certificate;
}

class HttpsServer {
 public:
  HttpsServer()
      : key_(EVP_RSA_gen(2048)),
        certificate_(make_certificate(key_.get())),
        context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_use_certificate(context_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpsServer() {
    listener_.shut_down();
    thread_.join();
  }

  std::string url(const std::string& host) const {
    return "https://" + host + ":" + std::to_string(listener_.port()) + "/";
  }
  int requests() const { return requests_; }
  void write_certificate(const std::string& path) const {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    PEM_write_X509(file, certificate_.get());
    std::fclose(file);
  }

 private:
  void serve() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    for (;;) {
      const int socket = listener_.accept();
      if (socket < 0) return;
      serve_one(socket);
      ::close(socket);
    }
  }
  void serve_one(int socket) {
    const Owned<SSL> tls(SSL_new(context_.get()));
    SSL_set_fd(tls.get(), socket);
    std::array<char, 4096> request;
    if (SSL_accept(tls.get()) != 1) return;
    if (SSL_read(tls.get(), request.data(), static_cast<int>(request.size())) <= 0) return;
    ++requests_;
    const std::string answer =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    SSL_write(tls.get(), answer.data(), static_cast<int>(answer.size()));
    SSL_shutdown(tls.get());
  }

  const Owned<EVP_PKEY> key_;
  const Owned<X509> certificate_;
  const Owned<SSL_CTX> context_;
  test::LoopbackListener listener_;
  std::atomic<int> requests_{0};
  std::thread thread_;
};

class CurlTlsTest : public testing::Test {
 protected:
  CurlTlsTest() { server_.write_certificate(ca_file_); }
  ~CurlTlsTest() override { std::filesystem::remove(ca_file_); }

  Result<HttpResponse> get(const std::string& host, const std::string& ca_file) {
    CurlSettings settings;
    settings.ca_file = ca_file;
    CurlTransport transport(runtime_.scheduler(), settings);
    const Instant deadline = runtime_.scheduler().now() + 10s;
    return run_blocking(runtime_.scheduler(),
                        transport.send(HttpRequest("GET", server_.url(host)), deadline));
  }
  void expect_refused(const Result<HttpResponse>& result) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code(), Errc::connect_failed);
    EXPECT_NE(result.error().text().find("certificate"), std::string::npos)
        << result.error().text();
    EXPECT_EQ(server_.requests(), 0);
  }

  const std::string ca_file_ =
      testing::TempDir() + "forebay_ca_" + std::to_string(::getpid()) + ".pem";
  Runtime runtime_;
  HttpsServer server_;
};

TEST_F(CurlTlsTest, AServerWhoseCertificateIsTrustedAnswers) {
  const Result<HttpResponse> result = get("localhost", ca_file_);

  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_EQ(result->body, "ok");
}

TEST_F(CurlTlsTest, AServerThatNobodyVouchesForHearsNothing) {
  expect_refused(get("localhost", ""));
}

TEST_F(CurlTlsTest, AServerOfAnotherNameHearsNothing) {
  expect_refused(get("127.0.0.1", ca_file_));
}

}  // namespace
}  // namespace forebay::real
