// ServeOptions: what "forebay serve" was told, and the way there from the words of the command
// line.
//
// read() finds everything that is wrong at once. The texts name options as the user types them and
// never show a connection string.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/cli/listen_place.hpp"
#include "forebay/env/stream_address.hpp"
#include "forebay/proxy/proxy_options.hpp"
#include "forebay/proxy/session/session_rules.hpp"

namespace forebay::cli {

// As typed; what was not typed is the default.
struct ServeArguments {
  std::optional<std::string> database;
  std::optional<std::string> config;
  std::vector<std::string> listen;
  std::optional<std::string> connections;
  std::string pooling = "transaction";
  std::string on_session_state = "pin";
  std::string query_wait = "10s";
  std::string query_limit = "off";
  std::string idle_limit = "off";
  std::string seconds = "0";
  std::optional<std::string> metrics;
  bool is_trial = false;
  bool has_no_load = false;
};

struct ServeOptions {
  std::optional<std::string> database;  // counts more than the configuration's
  std::string config;                   // a file; empty: the one that FOREBAY_CONFIG names, if any
  std::vector<StreamAddress> listen;
  std::optional<int> connections;
  proxy::SessionRules rules;
  proxy::ClientLimits limits;
  std::optional<ListenPlace> metrics;  // nothing: they are not served
  Duration run_time{};                 // zero: until it is told to end
  bool is_trial = false;               // with a throw-away server, unless there is one
  bool has_load = false;
};

// Appends what is wrong to problems; the options are to be used only if that is nothing.
ServeOptions read(const ServeArguments& arguments, std::vector<std::string>& problems);

}  // namespace forebay::cli
