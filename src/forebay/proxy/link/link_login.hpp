// LinkLogin: the log-in of a session, from the start-up packet to the first ReadyForQuery. Pure: it
// is shown messages and writes bytes.
//
//   the server sends                  we
//   NegotiateProtocolVersion          go on, if it speaks 3.0; we ask for nothing newer
//   Authentication …                  answer (ClientAuthentication), until it says Ok
//   ParameterStatus, BackendKeyData   note it; only after Ok
//   ReadyForQuery                     are done; only after Ok
//   NoticeResponse                    go on
//   ErrorResponse                     are refused
//   anything else                     are at the wrong door
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/proxy/link/cancel_key.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/wire/auth/client_authentication.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

class LinkLogin {
 public:
  enum class Step : std::uint8_t { goes_on, ready };

  explicit LinkLogin(wire::ClientCredentials credentials)
      : authentication_(std::move(credentials)) {}

  // Answers are added to `out`, and what the server tells to the picture. Errors: those of a
  // connect (see Connector), with the SQLSTATE if the server spoke; after one it is over. REQUIRES:
  // the frame is whole or broken.
  Result<Step> receive(const wire::FrameReader& reader, const wire::Frame& frame, std::string& out,
                       ServerPicture& picture);

  // The server wanted to know who we are, or let us in: it talks with us at all.
  bool has_begun() const { return has_begun_; }
  const CancelKey& cancel_key() const { return key_; }
  const std::optional<wire::SaltedKeys>& derived_keys() const {
    return authentication_.derived_keys();
  }

 private:
  Result<Step> authenticate(std::string_view body, std::string& out);
  Result<Step> note_key(std::string_view body);

  wire::ClientAuthentication authentication_;
  CancelKey key_;
  bool has_begun_ = false;
  bool is_accepted_ = false;
};

}  // namespace forebay::proxy
