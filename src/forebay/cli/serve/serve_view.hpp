// The live view of "forebay serve": looks in, lines of text out. Pure.
#pragma once

#include <string>
#include <vector>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/proxy/proxy_counters.hpp"

namespace forebay::cli {

// One look.
struct ServeSample {
  ServeSample() = default;
  Duration at{};  // since the beginning
  proxy::ProxyStatistics proxy;
};

struct ServeHead {
  ServeHead() = default;
  std::string place;                 // which servers
  std::string listen;                // where clients call
  std::vector<std::string> remarks;  // a line to paste, where the metrics are
};

// What happened since the earlier look is shown as a rate.
std::vector<std::string> render(const ServeHead& head, const ServeSample& earlier,
                                const ServeSample& now, const TextStyle& style);

// What was done, one line for each thing, at the end.
std::string summary_text(const ServeSample& end);

}  // namespace forebay::cli
