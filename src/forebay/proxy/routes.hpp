// Routes: which clients are served where, by the database that they ask for and who they say they
// are.
//
// Of the routes that fit, the one that says most counts, in whatever order they stand: first one
// that names database and user, then one that names the database, then one that names the user.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "forebay/proxy/route.hpp"

namespace forebay::proxy {

// How much of a client a route names; null: it is not for this client.
std::optional<int> fit(const RouteOptions& route, std::string_view database, std::string_view user);

// For a client for whom none is: 3D000 if nobody is served in that database, else 28000.
Error no_route(const std::vector<const RouteOptions*>& routes, std::string_view database,
               std::string_view user);

class Routes {
 public:
  void add(std::unique_ptr<Route> route) { routes_.push_back(std::move(route)); }
  // Errc::refused as no_route() has it.
  Result<Route*> find(std::string_view database, std::string_view user) const;
  const std::vector<std::unique_ptr<Route>>& all() const { return routes_; }

 private:
  std::vector<std::unique_ptr<Route>> routes_;
};

}  // namespace forebay::proxy
