// PageRequest and PageResponse: what a service that serves pages over HTTP is asked, and answers.
#pragma once

#include <string>
#include <utility>

namespace forebay {

struct PageRequest {
  std::string method;
  std::string path;    // "/metrics"
  std::string query;   // what follows a question mark
  std::string accept;  // the header of that name; empty: there is none
};

class PageResponse {
 public:
  PageResponse(unsigned code, std::string type, std::string text)
      : status(code), content_type(std::move(type)), body(std::move(text)) {}

  unsigned status;
  std::string content_type;
  std::string body;
};

}  // namespace forebay
