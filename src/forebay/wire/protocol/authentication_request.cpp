#include "forebay/wire/protocol/authentication_request.hpp"

#include "forebay/wire/protocol/body_reader.hpp"
#include "forebay/wire/protocol/message_type.hpp"
#include "forebay/wire/protocol/message_writer.hpp"

namespace forebay::wire {

Result<AuthenticationView> parse_authentication(std::string_view body) {
  BodyReader reader("Authentication", body);
  AuthenticationView view;
  view.kind = static_cast<AuthenticationKind>(reader.take_uint32());
  switch (view.kind) {
    case AuthenticationKind::ok:
    case AuthenticationKind::cleartext: break;
    case AuthenticationKind::md5: view.data = reader.take_bytes(4); break;
    case AuthenticationKind::sasl:
      view.mechanisms = reader.take_texts();
      reader.require(!view.mechanisms.empty(), "it names no mechanism");
      break;
    default: view.data = reader.take_rest();
  }
  return reader.finish(view);
}

void write_authentication(std::string& out, AuthenticationKind kind, std::string_view data) {
  MessageWriter message(out, ServerMessage::authentication);
  message.uint32(static_cast<std::uint32_t>(kind)).bytes(data);
}

void write_authentication_sasl(std::string& out, std::span<const std::string_view> mechanisms) {
  MessageWriter message(out, ServerMessage::authentication);
  message.uint32(static_cast<std::uint32_t>(AuthenticationKind::sasl));
  for (const std::string_view mechanism : mechanisms) message.text(mechanism);
  message.byte('\0');
}

}  // namespace forebay::wire
