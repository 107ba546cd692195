// What AWS answers in XML, as far as it is read here: the texts of elements.
#pragma once

#include <string>
#include <string_view>

namespace forebay::aws {

// The text of the first element of that name, decoded. Empty: there is none, it is not closed, or
// it holds other elements.
std::string xml_text(std::string_view document, std::string_view element);

}  // namespace forebay::aws
