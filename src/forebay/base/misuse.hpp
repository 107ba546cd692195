// What to do about an application that uses the library in a way that cannot work, where no Error
// can be returned: a sentence that names the mistake and the place, and the end of the process.
//
// Not for bugs of our own, for which there is FOREBAY_CHECK, nor for what the world does wrong.
#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <string_view>

namespace forebay {

// "main.cpp:12"
std::string place_text(const std::source_location& place);

// Says "forebay: main.cpp:12: <sentence>" on stderr and aborts.
[[noreturn]] void stop_for_misuse(std::string_view sentence, const std::source_location& place);
// Where no place of the application is known.
[[noreturn]] void stop_for_misuse(std::string_view sentence);

// What an exception has to say for itself. REQUIRES: there is one.
std::string text_of(const std::exception_ptr& thrown);

}  // namespace forebay
