#include "forebay/proxy/session/server_picture.hpp"

namespace forebay::proxy {

using wire::Leftover;

void ServerPicture::cleared(wire::Leftovers kinds) {
  const bool is_all = kinds.has(Leftover::everything);
  if (is_all || kinds.has(Leftover::settings)) applied.clear();
  fitted_for = 0;
  unnamed_there = 0;  // a query drops it
  if (is_all || kinds.has(Leftover::prepared)) forget_statements();
  leftovers = {};
}

void ServerPicture::forget_statements() {
  statements.clear();
  borrowed_names.clear();
}

}  // namespace forebay::proxy
