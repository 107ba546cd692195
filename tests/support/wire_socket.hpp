// WireSocket: a blocking socket that speaks PostgreSQL's protocol, plain or over TLS, either side.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/time.h>

#include "support/certificates.hpp"
#include "support/loopback.hpp"
#include "support/wire_frames.hpp"

namespace forebay::test {

class WireSocket {
 public:
  // The peer is who sends what is read here.
  WireSocket(int socket, wire::Sender peer)
      : socket_(socket), reader_(wire::FrameOptions{.sender = peer, .capacity = 1024}) {}
  WireSocket(const WireSocket&) = delete;
  WireSocket& operator=(const WireSocket&) = delete;
  ~WireSocket() {
    SSL_free(tls_);
    SSL_CTX_free(context_);
    ::close(socket_);
  }
  static std::unique_ptr<WireSocket> connect(std::uint16_t port) {
    const int socket = loopback_socket();
    FOREBAY_CHECK(connect_on_loopback(socket, port));
    // What does not come is missing: a test fails then, and does not hang.
    const timeval patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return std::make_unique<WireSocket>(socket, wire::Sender::server);
  }

  void expect_messages() { reader_.expect_messages(); }

  void send(std::string_view bytes) {
    if (!tls_) {
      send_all(socket_, bytes);
    } else if (!bytes.empty()) {
      SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
    }
  }

  // Type 0: a start-up packet, or, with an empty body, the end of the stream.
  WireMessage next() {
    for (;;) {
      const wire::Frame frame = reader_.next();
      if (frame.kind == wire::Frame::Kind::whole) return {frame.type, std::string(frame.body)};
      FOREBAY_CHECK(frame.kind == wire::Frame::Kind::none, "a peer out of step");
      if (!receive()) return {};
    }
  }
  // One byte that is no message: the answer to a request for encryption.
  char next_byte() {
    if (reader_.unread().empty() && !receive()) return 0;
    const char byte = reader_.unread().front();
    reader_.skip(1);
    return byte;
  }
  std::string_view unread() const { return reader_.unread(); }

  void begin_tls() {
    context_ = SSL_CTX_new(TLS_client_method());
    tls_ = SSL_new(context_);
    SSL_set_fd(tls_, socket_);
    FOREBAY_CHECK(SSL_connect(tls_) == 1);
  }
  void accept_tls(const CertificateFiles& files) {
    context_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate_file(context_, files.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_, files.key.c_str(), SSL_FILETYPE_PEM);
    tls_ = SSL_new(context_);
    SSL_set_fd(tls_, socket_);
    FOREBAY_CHECK(SSL_accept(tls_) == 1);
  }
  // What SCRAM binds itself to: the hash of the server's certificate.
  std::string channel_binding() const {
    X509* const theirs = SSL_is_server(tls_) ? nullptr : SSL_get1_peer_certificate(tls_);
    const X509* const certificate = theirs ? theirs : SSL_get_certificate(tls_);
    unsigned char hash[32];
    unsigned size = 0;
    X509_digest(certificate, EVP_sha256(), hash, &size);
    X509_free(theirs);
    return std::string(reinterpret_cast<const char*>(hash), size);
  }

 private:
  bool receive() {
    const auto room = reader_.room();
    const auto count = tls_ ? SSL_read(tls_, room.data(), static_cast<int>(room.size()))
                            : static_cast<int>(::recv(socket_, room.data(), room.size(), 0));
    if (count <= 0) return false;
    reader_.add(static_cast<std::size_t>(count));
    return true;
  }

  const int socket_;
  wire::FrameReader reader_;
  SSL_CTX* context_ = nullptr;
  SSL* tls_ = nullptr;
};

}  // namespace forebay::test
