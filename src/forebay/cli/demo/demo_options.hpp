// DemoOptions: what "forebay demo" was told, and the way there from the words of the command line.
//
// read() finds everything that is wrong at once. The texts name options as the user types them and
// never show a connection string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/cli/listen_place.hpp"
#include "forebay/pool/options.hpp"

namespace forebay::cli {

// As typed; what was not typed is the default.
struct DemoArguments {
  std::string seconds = "0";
  std::optional<std::string> database;
  std::string connections = "20";
  std::optional<std::string> ready;
  std::string threads = "8";
  std::string lifetime = "5s";
  std::string guard = "500ms";
  std::string rate = "100";
  std::string burst = "10";
  std::string hold = "2ms";
  std::string fill_limit = "30s";
  std::optional<std::string> metrics;
  bool is_json = false;
};

struct DemoOptions {
  std::optional<std::string> database;  // nothing: a throw-away server
  std::string place;                    // what to call it on the screen
  PoolOptions pool;
  Duration run_time{};  // zero: until it is told to end
  Duration hold{};
  int threads = 0;
  std::optional<ListenPlace> metrics;  // nothing: they are not served
  std::string metrics_url;             // where they are served
  bool is_json = false;
};

// Appends what is wrong to problems; the options are to be used only if that is nothing.
DemoOptions read(const DemoArguments& arguments, std::vector<std::string>& problems);

}  // namespace forebay::cli
