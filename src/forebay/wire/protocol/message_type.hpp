// The messages of PostgreSQL's protocol 3 by their first byte, and how long each may be.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace forebay::wire {

enum class Sender : std::uint8_t { client, server };

enum class ClientMessage : char {
  bind = 'B',
  close = 'C',
  copy_data = 'd',
  copy_done = 'c',
  copy_fail = 'f',
  describe = 'D',
  execute = 'E',
  flush = 'H',
  function_call = 'F',
  parse = 'P',
  password = 'p',  // also what SASL and GSSAPI answer
  query = 'Q',
  sync = 'S',
  terminate = 'X',
};

enum class ServerMessage : char {
  authentication = 'R',
  backend_key_data = 'K',
  bind_complete = '2',
  close_complete = '3',
  command_complete = 'C',
  copy_both_response = 'W',
  copy_data = 'd',
  copy_done = 'c',
  copy_in_response = 'G',
  copy_out_response = 'H',
  data_row = 'D',
  empty_query_response = 'I',
  error_response = 'E',
  function_call_response = 'V',
  negotiate_protocol_version = 'v',
  no_data = 'n',
  notice_response = 'N',
  notification_response = 'A',
  parameter_description = 't',
  parameter_status = 'S',
  parse_complete = '1',
  portal_suspended = 's',
  ready_for_query = 'Z',
  row_description = 'T',
};

// As PostgreSQL's manual has it, "Bind"; empty: there is no such message.
std::string_view message_name(Sender sender, char type);

// PostgreSQL's own limits, of the length in the header.
inline constexpr std::uint32_t kLongestStartup = 10'000;
inline constexpr std::uint32_t kLongestMessage = 0x3fff'ffff;

// The longest that a message may say to be, by the rules of PostgreSQL for clients, and those of
// libpq for servers. 0: nobody may send it. Of a server's messages that are not known, later
// versions may have them, all are let through.
std::uint32_t longest_message(Sender sender, char type);

// A set of types.
class MessageTypes {
 public:
  constexpr MessageTypes() = default;
  // Each byte is one of them.
  explicit constexpr MessageTypes(std::string_view types) {
    for (const char type : types) words_[word(type)] |= bit(type);
  }
  static constexpr MessageTypes all() {
    MessageTypes types;
    types.words_.fill(~std::uint64_t{0});
    return types;
  }
  constexpr bool has(char type) const { return (words_[word(type)] & bit(type)) != 0; }

 private:
  static constexpr std::size_t word(char type) { return static_cast<unsigned char>(type) / 64; }
  static constexpr std::uint64_t bit(char type) {
    return std::uint64_t{1} << (static_cast<unsigned char>(type) % 64);
  }

  std::array<std::uint64_t, 4> words_{};
};

}  // namespace forebay::wire
