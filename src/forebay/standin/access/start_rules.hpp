// What a client may ask for in its start-up packet, as Aurora DSQL has it. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/standin/statements/statement_rules.hpp"
#include "forebay/wire/protocol/error_fields.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::standin {

struct ClientStart {
  ClientStart() = default;
  std::string user;
  // Of the start-up packet and of its options, without user and database.
  std::vector<std::pair<std::string, std::string>> settings;
};

// What is wrong with a start, if anything is; otherwise what it asks for.
std::optional<wire::ErrorReport> read_start(const wire::StartupView& packet,
                                            const StatementRules& rules, ClientStart& start);

// "access denied": the one answer to everybody who may not come in.
wire::ErrorReport access_denied(std::string hint = {});

}  // namespace forebay::standin
