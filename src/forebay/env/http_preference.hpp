// What a client prefers, by its Accept or Accept-Encoding header. Pure.
#pragma once

#include <string_view>

namespace forebay {

// How much it wants this, from 0 (not at all) to 1. The part of the header that is most exact
// counts: "text/plain" before "text/*" before "*/*", and of equals the one that wants it most.
double http_preference(std::string_view header, std::string_view offered);

}  // namespace forebay
