#include "support/http_server.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace forebay::test {

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  listener_.shut_down();
  acceptor_.join();
  for (Connection& connection : connections_) {
    ::shutdown(connection.socket, SHUT_RDWR);
    connection.thread.join();
    ::close(connection.socket);
  }
}

void HttpServer::set_mode(Mode mode) {
  const std::scoped_lock lock(mutex_);
  mode_ = mode;
}

void HttpServer::set_delay(Duration delay) {
  const std::scoped_lock lock(mutex_);
  delay_ = delay;
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::size_t HttpServer::connections() const {
  const std::scoped_lock lock(mutex_);
  return connections_.size();
}

void HttpServer::wait_for_requests(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, count] { return requests_.size() >= count; });
}

void HttpServer::accept_all() {
  for (;;) {
    const int socket = listener_.accept();
    if (socket < 0) return;
    const std::scoped_lock lock(mutex_);
    Connection& connection = connections_.emplace_back();
    connection.socket = socket;
    connection.thread = std::thread([this, socket] { serve(socket); });
  }
}

void HttpServer::serve(int socket) {
  std::string buffer;
  int number = 0;
  while (serve_one(socket, buffer, ++number)) {
  }
  ::shutdown(socket, SHUT_RDWR);  // closed by the destructor, so that its number stays ours
}

bool HttpServer::serve_one(int socket, std::string& buffer, int number) {
  const std::optional<HttpRequest> request = receive(socket, buffer);
  if (!request) return false;
  std::unique_lock lock(mutex_);
  requests_.push_back(*request);
  changed_.notify_all();
  const auto is_over = [this] { return is_stopping_; };
  if (mode_ == Mode::never_answers) changed_.wait(lock, is_over);
  if (delay_ > Duration::zero()) changed_.wait_for(lock, delay_, is_over);
  const bool has_had_enough = mode_ == Mode::closes_when_reused && number > 1;
  if (is_stopping_ || mode_ == Mode::closes_at_once || has_had_enough) return false;
  std::string answer = mode_ == Mode::talks_nonsense ? "this is no HTTP at all\r\n\r\n"
                                                     : text_of(handler_(*request));
  const bool is_cut = mode_ == Mode::closes_mid_answer;
  if (is_cut) answer.resize(answer.size() - 1);
  const bool is_last = is_cut || mode_ == Mode::talks_nonsense;
  lock.unlock();
  return send_all(socket, answer) && !is_last;
}

std::optional<HttpRequest> HttpServer::receive(int socket, std::string& buffer) {
  std::array<char, 4096> part;
  const auto read_more = [&] {
    const ssize_t count = ::recv(socket, part.data(), part.size(), 0);
    if (count > 0) buffer.append(part.data(), static_cast<std::size_t>(count));
    return count > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
    if (!read_more()) return std::nullopt;

  const std::size_t first_end = buffer.find("\r\n");
  const std::size_t space = buffer.find(' ');
  const std::size_t second = buffer.find(' ', space + 1);
  HttpRequest request(buffer.substr(0, space), buffer.substr(space + 1, second - space - 1));
  std::size_t length = 0;
  for (std::size_t at = first_end + 2; at < end + 2;) {
    const std::size_t line_end = buffer.find("\r\n", at);
    const std::size_t colon = buffer.find(':', at);
    const std::size_t value = std::min(buffer.find_first_not_of(' ', colon + 1), line_end);
    request.headers.emplace_back(buffer.substr(at, colon - at),
                                 buffer.substr(value, line_end - value));
    if (request.headers.back().name == "Content-Length")
      length = std::strtoul(request.headers.back().value.c_str(), nullptr, 10);
    at = line_end + 2;
  }
  while (buffer.size() < end + 4 + length)
    if (!read_more()) return std::nullopt;
  request.body = buffer.substr(end + 4, length);
  buffer.erase(0, end + 4 + length);
  return request;
}

std::string HttpServer::text_of(const HttpResponse& response) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " Because\r\n";
  for (const HttpHeader& header : response.headers)
    text += header.name + ": " + header.value + "\r\n";
  text += "Content-Length: " + std::to_string(response.body.size()) + "\r\n\r\n" + response.body;
  return text;
}

}  // namespace forebay::test
