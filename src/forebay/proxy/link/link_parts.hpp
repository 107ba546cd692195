// LinkParts: what a session that has just begun consists of.
#pragma once

#include <memory>
#include <utility>

#include "forebay/core/notice.hpp"
#include "forebay/env/byte_stream.hpp"
#include "forebay/env/stream_address.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/proxy/link/cancel_key.hpp"
#include "forebay/proxy/link/link_env.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

struct LinkParts {
  LinkParts(const LinkEnv& world, std::unique_ptr<ByteStream> bytes, wire::FrameReader reader,
            StreamAddress where)
      : env(world),
        stream(std::move(bytes)),
        frames(std::move(reader)),
        address(std::move(where)) {}

  LinkEnv env;
  std::unique_ptr<ByteStream> stream;
  wire::FrameReader frames;
  StreamAddress address;  // as it was called
  ServerPicture picture;
  CancelKey key;
  postgres::ServerProfile profile;
  ServerNotice notice;  // how soon the server notices our end
};

}  // namespace forebay::proxy
