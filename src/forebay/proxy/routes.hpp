// Routes: which clients are served where, by the database that they ask for.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "forebay/proxy/route.hpp"

namespace forebay::proxy {

class Routes {
 public:
  void add(std::unique_ptr<Route> route) { routes_.push_back(std::move(route)); }
  // The one of this name, else the one for all. Errc::refused with 3D000: there is none.
  Result<Route*> find(std::string_view database) const;
  const std::vector<std::unique_ptr<Route>>& all() const { return routes_; }

 private:
  std::vector<std::unique_ptr<Route>> routes_;
};

}  // namespace forebay::proxy
