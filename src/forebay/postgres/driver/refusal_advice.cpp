// Searched in order: the first fragment that the message contains decides.
#include "forebay/postgres/driver/refusal_advice.hpp"

#include <array>
#include <string>

#include "forebay/base/ascii_text.hpp"

namespace forebay::postgres {
namespace {

struct Advice {
  std::string_view fragment;  // lower case
  std::string_view text;
};

constexpr std::string_view kSendTheName =
    "connect to the cluster by its host name and not by an address, with libpq 14 or newer, so "
    "that TLS tells the server which cluster is meant";

constexpr std::array<Advice, 11> kAdvice{{
    {"signature expired", ""},  // who asked for the token knows more: see Gate
    {"signature not yet current",
     "the clock of this machine is ahead: compare it with a time server and correct it"},
    {"unable to accept connection, access denied",
     "check that the IAM policy allows dsql:DbConnect, or dsql:DbConnectAdmin for the user admin, "
     "on this cluster, that the region of the token is the cluster's, and that AWS IAM GRANT maps "
     "the user to the IAM role"},
    {"sni was not received", kSendTheName},
    {"unrecognized ssl error code: 6", kSendTheName},
    {"waking up cluster", "the cluster was asleep; it is tried again"},
    {"wrong user to action mapping",
     "the user admin needs a token for DbConnectAdmin, every other user one for DbConnect: make "
     "the token for the user who connects"},
    {"iam authentication failed",
     "the token is older than its life, or the session of the role that signed it has ended: renew "
     "the credentials"},
    {"unable to accept connection, rate",
     "the cluster has more connects a second than it allows: let all processes share one rate, or "
     "lower connect_rate"},
    {"unable to accept connection, too many",
     "the cluster has all the connections it allows: let all processes share one limit, or ask for "
     "a higher quota"},
    {"sorry, too many clients already",
     "make the pools of all clients together smaller than the server's max_connections"},
}};

}  // namespace

std::string_view refusal_advice(std::string_view message) {
  const std::string lowered = lower_case(message);
  for (const Advice& advice : kAdvice) {
    if (lowered.contains(advice.fragment)) return advice.text;
  }
  return "";
}

}  // namespace forebay::postgres
