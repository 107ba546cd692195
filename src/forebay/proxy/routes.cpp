#include "forebay/proxy/routes.hpp"

#include <fmt/format.h>

namespace forebay::proxy {

Result<Route*> Routes::find(std::string_view database) const {
  Route* for_all = nullptr;
  std::string names;
  for (const std::unique_ptr<Route>& route : routes_) {
    const std::string& name = route->options().database;
    if (name == database) return route.get();
    if (name == "*") for_all = route.get();
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  if (for_all != nullptr) return for_all;
  return failure(Error(Errc::refused, ErrorClass::permanent,
                       fmt::format("database \"{}\" is not served here; served are: {}", database,
                                   names.empty() ? "none" : names),
                       "3D000"));
}

}  // namespace forebay::proxy
