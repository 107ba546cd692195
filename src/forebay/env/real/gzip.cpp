// With the deflate of Boost.Beast, which is here already; header and check sum are a few bytes.
#include "forebay/env/real/gzip.hpp"

#include <array>
#include <cstdint>

#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>

#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

namespace zlib = boost::beast::zlib;

constexpr int kQuick = 1;  // pages of metrics say much the same in each line: it is a tenth of them
constexpr int kWindowBits = 15;
constexpr int kMemoryLevel = 8;
// Magic number, deflate, no flags, no time, quickest, unknown system.
constexpr std::array<unsigned char, 10> kHeader{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255};

void append_little_endian(std::string& to, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) to += static_cast<char>(number >> (8 * i) & 0xff);
}

}  // namespace

std::string gzipped(std::string_view text) {
  zlib::deflate_stream stream;
  stream.reset(kQuick, kWindowBits, kMemoryLevel, zlib::Strategy::normal);
  std::string result(kHeader.begin(), kHeader.end());
  result.resize(kHeader.size() + stream.upper_bound(text.size()));
  zlib::z_params params;
  params.next_in = text.data();
  params.avail_in = text.size();
  params.next_out = result.data() + kHeader.size();
  params.avail_out = result.size() - kHeader.size();
  boost::system::error_code end;
  stream.write(params, zlib::Flush::finish, end);
  FOREBAY_CHECK(end == zlib::error::end_of_stream, end.message());
  result.resize(kHeader.size() + params.total_out);
  boost::crc_32_type checksum;
  checksum.process_bytes(text.data(), text.size());
  append_little_endian(result, checksum.checksum());
  append_little_endian(result, static_cast<std::uint32_t>(text.size()));
  return result;
}

}  // namespace forebay
