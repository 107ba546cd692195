// NotingConnector: a connector that says when the server has refused a connect for good, so that
// nobody waits for what waiting cannot mend. Confined to the scheduler.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "forebay/pool/connection.hpp"

namespace forebay {

class NotingConnector final : public Connector {
 public:
  using OnRefused = std::function<void(const Error&)>;

  explicit NotingConnector(std::unique_ptr<Connector> inner) : inner_(std::move(inner)) {}
  // Before the first connect.
  void set_on_refused(OnRefused on_refused) { on_refused_ = std::move(on_refused); }

  Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                    Instant deadline) override {
    Result<std::unique_ptr<Connection>> connected =
        co_await inner_->connect(std::move(password), deadline);
    if (!connected && connected.error().code() == Errc::refused) on_refused_(connected.error());
    co_return connected;
  }
  void close() override { inner_->close(); }
  void give_up() override { inner_->give_up(); }

 private:
  const std::unique_ptr<Connector> inner_;
  OnRefused on_refused_;
};

}  // namespace forebay
