// StandinSettings: what "forebay standin" was told, and the way there from the words of the command
// line.
//
// read() finds everything that is wrong at once. The texts name options as the user types them and
// never show a connection string.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/cli/listen_place.hpp"
#include "forebay/standin/standin_options.hpp"

namespace forebay::cli {

// As typed; what was not typed is the default.
struct StandinArguments {
  std::optional<std::string> postgres;
  std::optional<std::string> data;
  std::optional<std::string> listen;
  std::optional<std::string> dynamodb;
  std::vector<std::string> names;
  std::string region = "us-east-1";
  std::vector<std::string> keys;
  std::optional<std::string> certificates;
  std::string rate = "100";
  std::string burst = "1000";
  std::string connections = "10000";
  std::string session_age = "60m";
  std::optional<std::string> rules;
  std::vector<std::string> chaos;
  std::string seconds = "0";
  bool is_failure_free = false;
  bool cuts_transactions = false;
  bool has_no_schema_conflicts = false;
  bool is_json = false;
  bool lists_rules = false;
};

struct StandinSettings {
  std::string postgres;      // empty: a PostgreSQL of its own
  std::string data;          // its folder; empty: a throw-away one
  std::string certificates;  // a folder; empty: a temporary one
  ListenPlace listen;
  std::optional<ListenPlace> dynamodb;  // nothing: it is not served
  std::string cluster;                  // its name, as DSQL would have it
  standin::StandinOptions options;
  Duration run_time{};               // zero: until it is told to end
  std::vector<std::string> command;  // to run with it; empty: none
  bool is_json = false;
  bool lists_rules = false;  // and nothing else
};

// Appends what is wrong to problems; the settings are to be used only if that is nothing.
StandinSettings read(const StandinArguments& arguments, std::vector<std::string> command,
                     std::vector<std::string>& problems);

// The one key that every stand-in knows. It protects nothing: whoever can reach a stand-in may come
// in.
inline constexpr const char* kStandinKeyId = "AKIAFOREBAYSTANDIN00";
inline constexpr const char* kStandinSecret = "not-a-secret/forebay-standin/not-a-secret";

}  // namespace forebay::cli
