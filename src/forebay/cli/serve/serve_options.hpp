// ServeOptions: what "forebay serve" is told, from the words of the command line. Pure.
//
// What is also a setting is passed on as one: the table of settings says what it may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/cli/listen_place.hpp"
#include "forebay/config/read_configuration.hpp"

namespace forebay::cli {

// As typed.
struct ServeArguments {
  ServeArguments() = default;

  std::optional<std::string> database;
  std::optional<std::string> config;
  std::vector<std::string> listen;
  std::optional<std::string> connections;
  std::optional<std::string> pooling;
  std::optional<std::string> on_session_state;
  std::optional<std::string> query_wait;
  std::optional<std::string> query_limit;
  std::optional<std::string> idle_limit;
  std::string seconds = "0";
  std::optional<std::string> metrics;
  bool is_trial = false;
  bool has_no_load = false;
};

struct ServeOptions {
  ServeOptions() = default;

  std::string config;                  // a file; empty: the one that FOREBAY_CONFIG names, if any
  std::vector<GivenSetting> given;     // count more than the file and the environment
  bool has_own_server = false;         // a throw-away PostgreSQL
  int connections = 10;                // to that
  std::optional<ListenPlace> metrics;  // nothing: they are not served
  Duration run_time{};                 // zero: until it is told to end
  bool has_load = false;
};

// Appends what is wrong to problems; the options are to be used only if that is nothing.
ServeOptions read(const ServeArguments& arguments, std::vector<std::string>& problems);

}  // namespace forebay::cli
