// RouteText: what a file says of one route of the proxy, word for word.
//
//   proxy:
//     routes:
//       - database: temporal          # who: what a client asks for, and who it says it is
//         user: '*'
//         target: {host: db, name: x} # where: as `database` has it for all routes
//         pool: {max: 20}             # and how; what a route does not say is as for all
//         pooling: session
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/config/setting.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::config {

// Of a route that is for everybody.
inline constexpr std::string_view kAnybody = "*";

struct RouteWord {
  RouteWord(const Setting& what, std::string text, int at_line, std::string at_path)
      : setting(&what), word(std::move(text)), line(at_line), path(std::move(at_path)) {}
  const Setting* setting;
  std::string word;
  int line;
  std::string path;  // "proxy.routes[1].pool.max"
};

struct RouteText {
  RouteText(std::string at_path, int at_line) : path(std::move(at_path)), line(at_line) {}
  std::string path;  // "proxy.routes[1]"
  int line;
  std::string database{kAnybody};
  std::string user{kAnybody};
  int database_line = 0;  // 0: the file does not say it
  int user_line = 0;
  std::vector<RouteWord> words;  // in the order of the table
};

// The key in a group of a route that sets it: "target.host", "pool.max", "pooling". Empty: it holds
// for all routes, and none can say it.
std::string key_in_route(const Setting& setting);

// What is wrong becomes a problem of the file.
std::vector<RouteText> read_routes(const yaml::Field& routes);

}  // namespace forebay::config
