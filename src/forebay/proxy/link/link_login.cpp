#include "forebay/proxy/link/link_login.hpp"

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/proxy/link/server_words.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::proxy {
namespace {

using wire::ServerMessage;

std::unexpected<Error> wrong_door(std::string_view what) {
  return failure(Errc::connect_failed,
                 fmt::format("what answers does not speak PostgreSQL's protocol: {}", what));
}

}  // namespace

Result<LinkLogin::Step> LinkLogin::receive(const wire::FrameReader& reader,
                                           const wire::Frame& frame, std::string& out,
                                           ServerPicture& picture) {
  if (frame.kind == wire::Frame::Kind::broken) return wrong_door(reader.problem().text());
  FOREBAY_CHECK(frame.kind == wire::Frame::Kind::whole, "a log-in reads whole messages");
  switch (static_cast<ServerMessage>(frame.type)) {
    case ServerMessage::authentication: return authenticate(frame.body, out);
    case ServerMessage::error_response: return failure(refusal_of_connect(frame.body));
    case ServerMessage::notice_response: return Step::goes_on;
    case ServerMessage::negotiate_protocol_version: {
      const Result<wire::NegotiationView> answer = wire::parse_negotiation(frame.body);
      if (!answer) return wrong_door(answer.error().text());
      const auto version = wire::negotiated_version(*answer, wire::kVersion30);
      if (!version) return wrong_door(version.error().text());
      return Step::goes_on;
    }
    default: break;
  }
  if (!is_accepted_) return wrong_door("it goes on before it has let us in");
  switch (static_cast<ServerMessage>(frame.type)) {
    case ServerMessage::backend_key_data: return note_key(frame.body);
    case ServerMessage::parameter_status: {
      const Result<wire::ParameterStatusView> status = wire::parse_parameter_status(frame.body);
      if (!status) return wrong_door(status.error().text());
      picture.reported.insert_or_assign(std::string(status->name), std::string(status->value));
      return Step::goes_on;
    }
    case ServerMessage::ready_for_query: {
      const Result<wire::TransactionStatus> status = wire::parse_ready_for_query(frame.body);
      if (!status) return wrong_door(status.error().text());
      picture.begin(Parameters(picture.reported));
      picture.answers = wire::PendingAnswers(*status);
      return Step::ready;
    }
    default:
      return wrong_door(fmt::format("a message of type {} during the log-in", int{frame.type}));
  }
}

Result<LinkLogin::Step> LinkLogin::authenticate(std::string_view body, std::string& out) {
  has_begun_ = true;
  const Result<wire::ClientAuthentication::Step> step = authentication_.receive(body, out);
  if (step) {
    if (*step == wire::ClientAuthentication::Step::accepted) is_accepted_ = true;
    return Step::goes_on;
  }
  if (step.error().code() == Errc::refused) return failure(step.error());
  return wrong_door(step.error().text());
}

Result<LinkLogin::Step> LinkLogin::note_key(std::string_view body) {
  const Result<wire::CancelKeyView> key = wire::parse_backend_key_data(body);
  if (!key) return wrong_door(key.error().text());
  key_ = CancelKey(*key);
  return Step::goes_on;
}

}  // namespace forebay::proxy
