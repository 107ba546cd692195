#include "forebay/env/real/openssl_tls.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/openssl_owned.hpp"
#include "forebay/env/real/socket_address.hpp"
#include "forebay/env/real/tls_stream.hpp"
#include "forebay/env/real/tls_trouble.hpp"

namespace forebay::real {
namespace {

using Stream = std::unique_ptr<ByteStream>;
using Context = OpensslOwned<SSL_CTX>;

// A key with a passphrase would be asked for on the terminal.
int give_no_passphrase(char*, int, int, void*) { return 0; }

Result<Context> make_context(const SSL_METHOD* method) {
  ERR_clear_error();
  Context context(SSL_CTX_new(method));
  if (context == nullptr)
    return failure(Errc::invalid, "OpenSSL cannot be used: " + openssl_trouble());
  SSL_CTX* const raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_default_passwd_cb(raw, &give_no_passphrase);
  return context;
}

std::unexpected<Error> bad_file(std::string_view what, const std::string& file) {
  return failure(Errc::invalid,
                 fmt::format("the {} \"{}\" cannot be used: {}", what, file, openssl_trouble()));
}

Result<void> use_certificate(SSL_CTX* context, const std::string& certificate_file,
                             const std::string& key_file) {
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1)
    return bad_file("certificate file", certificate_file);
  // Also says so if the key is another certificate's.
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return bad_file("key file", key_file);
  return {};
}

// What OpenSSL's macro of this name does, without the casts of C.
bool set_server_name(SSL* session, const std::string& name) {
  return SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(name.c_str())) == 1;
}

// As ALPN wants it: each name after its length. We know one.
std::string alpn_list(const std::string& protocol) {
  FOREBAY_CHECK(protocol.size() < 256, "the name of a protocol has at most 255 characters");
  return static_cast<char>(protocol.size()) + protocol;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void* list) {
  const std::string& ours = *static_cast<const std::string*>(list);
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(ours.data()),
                            static_cast<unsigned>(ours.size()), offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// The handshake, and the stream that it makes.
Task<Result<Stream>> secured(OpensslOwned<SSL> session, Stream clear, std::string server_name,
                             ConstBytes read_ahead, Instant deadline) {
  auto stream = std::make_unique<TlsStream>(std::move(session), std::move(clear));
  const Result<void> done = co_await stream->shake_hands(read_ahead, server_name, deadline);
  if (!done) co_return failure(done.error());
  co_return Stream(std::move(stream));
}

std::unexpected<Error> too_early(const StreamPeer& peer) {
  return failure(Errc::refused,
                 fmt::format("{} sent more in the clear before TLS began, as somebody between "
                             "would who slips in commands; the connection is not used",
                             peer.address));
}

class OpensslServer final : public TlsServer {
 public:
  OpensslServer(Context context, const std::string& protocol)
      : context_(std::move(context)), protocols_(alpn_list(protocol)) {
    if (!protocol.empty())
      SSL_CTX_set_alpn_select_cb(context_.get(), &choose_protocol, &protocols_);
  }

  Task<Result<Stream>> accept(Stream clear, TlsOpening opening, ConstBytes read_ahead,
                              Instant deadline) override {
    if (opening == TlsOpening::negotiated && !read_ahead.empty())
      co_return too_early(clear->peer());
    OpensslOwned<SSL> session(SSL_new(context_.get()));
    FOREBAY_CHECK(session != nullptr, "no memory for TLS");
    SSL_set_accept_state(session.get());
    co_return co_await secured(std::move(session), std::move(clear), std::string(), read_ahead,
                               deadline);
  }

 private:
  const Context context_;
  std::string protocols_;
};

class OpensslClient final : public TlsClient {
 public:
  OpensslClient(Context context, const TlsClientOptions& options)
      : context_(std::move(context)), verify_(options.verify) {
    if (options.protocol.empty()) return;
    const std::string list = alpn_list(options.protocol);
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(list.data()),
                            static_cast<unsigned>(list.size()));
  }

  Task<Result<Stream>> connect(Stream clear, std::string server_name, ConstBytes read_ahead,
                               Instant deadline) override {
    if (!read_ahead.empty()) co_return too_early(clear->peer());
    OpensslOwned<SSL> session(SSL_new(context_.get()));
    FOREBAY_CHECK(session != nullptr, "no memory for TLS");
    SSL_set_connect_state(session.get());
    if (Result<void> named = ask_for(session.get(), server_name); !named)
      co_return failure(std::move(named).error());
    co_return co_await secured(std::move(session), std::move(clear), std::move(server_name),
                               ConstBytes(), deadline);
  }

 private:
  Result<void> ask_for(SSL* session, const std::string& name) const {
    const bool is_ip = SocketAddress::from_ip(name, 0).has_value();
    bool is_good = true;
    if (!is_ip && !name.empty()) is_good = set_server_name(session, name);
    if (verify_ == TlsVerify::name) {
      X509_VERIFY_PARAM* const rules = SSL_get0_param(session);
      X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      is_good = is_good && !name.empty() &&
                (is_ip ? X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str())
                       : X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size())) == 1;
    }
    if (is_good) return {};
    return failure(Errc::invalid, fmt::format("\"{}\" cannot be the name of a server, to be "
                                              "checked against its certificate",
                                              name));
  }

  const Context context_;
  const TlsVerify verify_;
};

Result<void> ask_clients(SSL_CTX* context, const TlsServerOptions& options) {
  if (options.client_ca_file.empty()) {
    if (!options.is_client_certificate_required) return {};
    return failure(Errc::invalid,
                   "clients cannot be required to show a certificate without a CA file that says "
                   "who vouches for them");
  }
  const char* const file = options.client_ca_file.c_str();
  if (SSL_CTX_load_verify_file(context, file) != 1)
    return bad_file("client CA file", options.client_ca_file);
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(file));
  const int required = options.is_client_certificate_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | required, &verify_and_note);
  return {};
}

}  // namespace

Result<std::unique_ptr<TlsServer>> make_tls_server(const TlsServerOptions& options) {
  Result<Context> context = make_context(TLS_server_method());
  if (!context) return failure(std::move(context).error());
  SSL_CTX* const raw = context->get();
  if (Result<void> used = use_certificate(raw, options.certificate_file, options.key_file); !used)
    return failure(std::move(used).error());
  if (Result<void> asked = ask_clients(raw, options); !asked)
    return failure(std::move(asked).error());
  return std::make_unique<OpensslServer>(std::move(*context), options.protocol);
}

Result<std::unique_ptr<TlsClient>> make_tls_client(const TlsClientOptions& options) {
  Result<Context> context = make_context(TLS_client_method());
  if (!context) return failure(std::move(context).error());
  SSL_CTX* const raw = context->get();
  if (!options.certificate_file.empty()) {
    Result<void> used = use_certificate(raw, options.certificate_file, options.key_file);
    if (!used) return failure(std::move(used).error());
  }
  if (options.verify != TlsVerify::none) {
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, &verify_and_note);
    if (options.ca_file.empty()) {
      SSL_CTX_set_default_verify_paths(raw);
    } else if (SSL_CTX_load_verify_file(raw, options.ca_file.c_str()) != 1) {
      return bad_file("CA file", options.ca_file);
    }
  }
  return std::make_unique<OpensslClient>(std::move(*context), options);
}

}  // namespace forebay::real
