#include "forebay/wire/protocol/message_type.hpp"

namespace forebay::wire {
namespace {

constexpr std::uint32_t kShortFromClient = 10'000;  // PQ_SMALL_MESSAGE_LIMIT of the server
constexpr std::uint32_t kPassword = 65'535;         // PQ_MAX_AUTH_TOKEN_LENGTH of the server
constexpr std::uint32_t kShortFromServer = 30'000;  // what libpq takes for a loss of step

struct MessageEntry {
  std::string_view name;
  std::uint32_t longest = 0;
};

constexpr MessageEntry client_entry(char type) {
  switch (static_cast<ClientMessage>(type)) {
    case ClientMessage::bind: return {"Bind", kLongestMessage};
    case ClientMessage::close: return {"Close", kShortFromClient};
    case ClientMessage::copy_data: return {"CopyData", kLongestMessage};
    case ClientMessage::copy_done: return {"CopyDone", kShortFromClient};
    case ClientMessage::copy_fail: return {"CopyFail", kShortFromClient};
    case ClientMessage::describe: return {"Describe", kShortFromClient};
    case ClientMessage::execute: return {"Execute", kShortFromClient};
    case ClientMessage::flush: return {"Flush", kShortFromClient};
    case ClientMessage::function_call: return {"FunctionCall", kLongestMessage};
    case ClientMessage::parse: return {"Parse", kLongestMessage};
    case ClientMessage::password: return {"PasswordMessage", kPassword};
    case ClientMessage::query: return {"Query", kLongestMessage};
    case ClientMessage::sync: return {"Sync", kShortFromClient};
    case ClientMessage::terminate: return {"Terminate", kShortFromClient};
  }
  return {};
}

constexpr MessageEntry server_entry(char type) {
  switch (static_cast<ServerMessage>(type)) {
    case ServerMessage::authentication: return {"Authentication", kShortFromServer};
    case ServerMessage::backend_key_data: return {"BackendKeyData", kShortFromServer};
    case ServerMessage::bind_complete: return {"BindComplete", kShortFromServer};
    case ServerMessage::close_complete: return {"CloseComplete", kShortFromServer};
    case ServerMessage::command_complete: return {"CommandComplete", kShortFromServer};
    case ServerMessage::copy_both_response: return {"CopyBothResponse", kShortFromServer};
    case ServerMessage::copy_data: return {"CopyData", kLongestMessage};
    case ServerMessage::copy_done: return {"CopyDone", kShortFromServer};
    case ServerMessage::copy_in_response: return {"CopyInResponse", kShortFromServer};
    case ServerMessage::copy_out_response: return {"CopyOutResponse", kShortFromServer};
    case ServerMessage::data_row: return {"DataRow", kLongestMessage};
    case ServerMessage::empty_query_response: return {"EmptyQueryResponse", kShortFromServer};
    case ServerMessage::error_response: return {"ErrorResponse", kLongestMessage};
    case ServerMessage::function_call_response: return {"FunctionCallResponse", kLongestMessage};
    case ServerMessage::negotiate_protocol_version:
      return {"NegotiateProtocolVersion", kShortFromServer};
    case ServerMessage::no_data: return {"NoData", kShortFromServer};
    case ServerMessage::notice_response: return {"NoticeResponse", kLongestMessage};
    case ServerMessage::notification_response: return {"NotificationResponse", kLongestMessage};
    // 65,535 parameters are possible, and longer than libpq takes; a proxy has no opinion.
    case ServerMessage::parameter_description: return {"ParameterDescription", kLongestMessage};
    case ServerMessage::parameter_status: return {"ParameterStatus", kShortFromServer};
    case ServerMessage::parse_complete: return {"ParseComplete", kShortFromServer};
    case ServerMessage::portal_suspended: return {"PortalSuspended", kShortFromServer};
    case ServerMessage::ready_for_query: return {"ReadyForQuery", kShortFromServer};
    case ServerMessage::row_description: return {"RowDescription", kLongestMessage};
  }
  return {"", kLongestMessage};
}

// Asked for each message, and so by a table.
using Lengths = std::array<std::uint32_t, 256>;
constexpr Lengths lengths_of(MessageEntry (*entry)(char)) {
  Lengths lengths{};
  for (std::size_t type = 0; type < lengths.size(); ++type)
    lengths[type] = entry(static_cast<char>(type)).longest;
  return lengths;
}
constexpr Lengths kFromClient = lengths_of(&client_entry);
constexpr Lengths kFromServer = lengths_of(&server_entry);

}  // namespace

std::string_view message_name(Sender sender, char type) {
  return sender == Sender::client ? client_entry(type).name : server_entry(type).name;
}

std::uint32_t longest_message(Sender sender, char type) {
  const Lengths& lengths = sender == Sender::client ? kFromClient : kFromServer;
  return lengths[static_cast<unsigned char>(type)];
}

}  // namespace forebay::wire
