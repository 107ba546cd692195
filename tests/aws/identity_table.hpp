// The table of environments in tests/aws/identities: who we are there, as data. tests/aws_botocore
// compares it with botocore.
//
//   variables, files   "~" and "@home@" are the home folder; lines of a file as a list, or a text
//   programs           by path: arguments that it must get, out, err, status
//   http               [start of method and address, status, answer, what the request must hold];
//                      the first that fits; an answer as a list is [id, secret, token, end] of STS
//   expected           [id, secret, token, part of the source], or {"refused": part of the error}
//   botocore, reason   what botocore finds, if that differs, and why we do not
//
// In all texts @+60@ is the time in a minute, without its zone, "@ms+60@" the same as a number.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/base/ascii_text.hpp"
#include "support/scripted_http.hpp"

namespace forebay::test {

using JsonValue = boost::json::value;

inline std::string text_of(const JsonValue& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (!value.is_array()) return boost::json::serialize(value);
  std::string lines;
  for (const JsonValue& line : value.get_array()) lines += text_of(line) + '\n';
  return lines;
}

inline std::string with_times(const std::string& text, const std::string& home, WallTime now) {
  static const std::regex marks("\"@ms([+-]\\d+)@\"|@([+-]\\d+)@|@home@");
  std::string result;
  std::size_t end = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), marks), last; at != last; ++at) {
    const std::smatch& mark = *at;
    result += text.substr(end, static_cast<std::size_t>(mark.position()) - end);
    end = static_cast<std::size_t>(mark.position() + mark.length());
    const std::string seconds = mark[1].matched ? mark[1].str() : mark[2].str();
    const WallTime time = now + std::chrono::seconds(std::atol(seconds.c_str()));
    if (mark[1].matched) {
      const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
      result += std::to_string(since.count());
    } else {
      std::string stamp = aws::iso_time(time);
      stamp.pop_back();
      result += mark[2].matched ? stamp : home;
    }
  }
  return result + text.substr(end);
}

inline std::vector<boost::json::object> read_identities(const std::filesystem::path& folder,
                                                        const std::string& home, WallTime now) {
  std::vector<boost::json::object> cases;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const JsonValue table = boost::json::parse(with_times(text.str(), home, now));
    for (const JsonValue& line : table.as_array()) cases.push_back(line.as_object());
  }
  return cases;
}

// As STS answers, for the action that the request asks for.
inline std::string sts_xml(const boost::json::array& credentials) {
  std::string xml = "<R><Credentials>";
  std::size_t index = 0;
  for (const char* const name : {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"})
    xml += '<' + std::string(name) + '>' + text_of(credentials.at(index++)) + "</" + name + '>';
  return xml + "</Credentials></R>";
}

inline Result<HttpResponse> answer_of(const boost::json::array& answers,
                                      const HttpRequest& request) {
  std::string sent;
  for (const HttpHeader& header : request.headers)
    sent += lower_case(header.name) + ": " + header.value + '\n';
  sent += request.body;
  for (const JsonValue& each : answers) {
    const boost::json::array& answer = each.as_array();
    const bool is_its_address =
        (request.method + ' ' + request.url).starts_with(text_of(answer.at(0)));
    const bool holds = answer.size() < 4 || sent.find(text_of(answer.at(3))) != std::string::npos;
    if (!is_its_address || !holds) continue;
    const JsonValue& body = answer.at(2);
    return response(static_cast<int>(answer.at(1).as_int64()),
                    body.is_array() ? sts_xml(body.get_array()) : text_of(body));
  }
  return failure(Errc::connect_failed, "nobody listens");
}

}  // namespace forebay::test
