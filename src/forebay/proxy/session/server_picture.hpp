// ServerPicture: what a session on a server carries, as far as those who use it one after the other
// must know. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "forebay/wire/leftovers.hpp"
#include "forebay/wire/protocol/pending_answers.hpp"

namespace forebay::proxy {

// Parameters by name, as a server reported them, or as a client wants them.
using Parameters = std::map<std::string, std::string, std::less<>>;

struct ServerPicture {
  Parameters reported;           // what the server said last of each parameter that it reports
  wire::PendingAnswers answers;  // what it owes
  wire::Leftovers leftovers;     // what must be cleared before somebody else may use the session
};

}  // namespace forebay::proxy
