#include "forebay/cli/listen_place.hpp"

#include <optional>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/cli/secrets.hpp"

namespace forebay::cli {

ListenPlace listen_place(std::string_view option, std::string_view text,
                         std::vector<std::string>& problems) {
  ListenPlace place;
  if (text.empty()) return place;
  std::string_view port = text;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view address = text.substr(0, colon);
    if (address.starts_with('[') && address.ends_with(']'))
      address = address.substr(1, address.size() - 2);
    place.address = address;
    port = text.substr(colon + 1);
  }
  const std::optional<int> number = parse_number<int>(port);
  if (number && *number >= 0 && *number <= 65'535 && !place.address.empty()) {
    place.port = static_cast<std::uint16_t>(*number);
    return place;
  }
  problems.push_back(
      fmt::format("{} is {}: it must be a port, as in 9464, or an address and a port, as in "
                  "0.0.0.0:9464 or [::1]:9464",
                  option, shown(text)));
  return place;
}

}  // namespace forebay::cli
