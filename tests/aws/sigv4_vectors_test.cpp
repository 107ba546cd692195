// AWS's own test vectors for Signature Version 4, each signed in the headers and in the query.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/aws/json.hpp"
#include "forebay/aws/signing/sigv4.hpp"
#include "support/places.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// "GET /path HTTP/1.1", then headers that may go on in the next line, then perhaps a body.
HttpRequest read_request(const std::string& text) {
  const std::size_t head_end = std::min(text.size(), text.find("\n\n"));
  std::istringstream head(text.substr(0, head_end));
  std::string line;
  std::getline(head, line);
  const std::size_t target = line.find(' ') + 1;
  HttpRequest request(
      line.substr(0, target - 1),
      "https://example.amazonaws.com" + line.substr(target, line.rfind(' ') - target));
  while (std::getline(head, line)) {
    if (line.starts_with(' ')) {
      request.headers.back().value += '\n' + line;
    } else if (!line.empty()) {
      const std::size_t colon = line.find(':');
      request.headers.emplace_back(line.substr(0, colon), line.substr(colon + 1));
    }
  }
  if (head_end + 2 < text.size()) request.body = text.substr(head_end + 2);
  return request;
}

std::string written(const HttpRequest& request) {
  std::string text = request.method + ' ' +
                     request.url.substr(std::string("https://example.amazonaws.com").size()) +
                     " HTTP/1.1\n";
  for (const HttpHeader& header : request.headers) text += header.name + ':' + header.value + '\n';
  return text + '\n' + request.body;
}

struct Vector {
  explicit Vector(const std::filesystem::path& where) : folder(where) {
    const boost::json::object context = *parse_object(file_text(folder / "context.json"));
    const boost::json::object& keys = context.at("credentials").as_object();
    credentials = Credentials(text_at(keys, "access_key_id"), text_at(keys, "secret_access_key"),
                              text_at(keys, "token"));
    scope.region = text_at(context, "region");
    scope.service = text_at(context, "service");
    scope.is_path_normalized = context.at("normalize").as_bool();
    scope.has_body_header = context.at("sign_body").as_bool();
    const boost::json::value* omitted = context.if_contains("omit_session_token");
    scope.is_session_token_signed = omitted == nullptr || !omitted->as_bool();
    lifetime = std::chrono::seconds(context.at("expiration_in_seconds").as_int64());
    EXPECT_EQ(text_at(context, "timestamp"), "2015-08-30T12:36:00Z");
  }

  void expect(const std::string& how, const Signature& signature,
              const HttpRequest& request) const {
    const auto file = [&](const char* what) { return file_text(folder / (how + what)); };
    EXPECT_EQ(signature.canonical_request, file("-canonical-request.txt")) << folder;
    EXPECT_EQ(signature.string_to_sign, file("-string-to-sign.txt")) << folder;
    EXPECT_EQ(signature.hex, file("-signature.txt")) << folder;
    EXPECT_EQ(written(request), file("-signed-request.txt")) << folder;
  }

  std::filesystem::path folder;
  Credentials credentials{"", ""};
  SigningScope scope;
  Duration lifetime{};
};

TEST(SigV4VectorsTest, AllOfThemSigned) {
  const char* const named = std::getenv("FOREBAY_SIGV4_VECTORS");
  const std::filesystem::path folder =
      named != nullptr ? named : test::source_file("../shared/data/sigv4");
  if (!std::filesystem::is_directory(folder)) {
    std::printf("left out: there is no folder %s; FOREBAY_SIGV4_VECTORS names another\n",
                folder.c_str());
    return;
  }
  const WallTime time(1'440'938'160s);  // 2015-08-30T12:36:00Z
  int vectors = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const Vector vector(entry.path());
    const HttpRequest request = read_request(file_text(vector.folder / "request.txt"));

    HttpRequest by_headers = request;
    const Signature signature = sign_headers(by_headers, vector.credentials, vector.scope, time);
    HttpRequest by_query = request;
    const PresignedUrl presigned =
        presign(request, vector.credentials, vector.scope, time, vector.lifetime);
    by_query.url = presigned.url;

    vector.expect("header", signature, by_headers);
    vector.expect("query", presigned.signature, by_query);
    ++vectors;
  }
  EXPECT_EQ(vectors, 38);
}

}  // namespace
}  // namespace forebay::aws
