#include "base/flatbuffer.hpp"

#include <fmt/format.h>

namespace kbench::flat {

std::string_view Buffer::span(std::size_t at, std::size_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at)
    throw Broken{at, fmt::format("{} bytes are beyond the end", size)};
  return bytes_.substr(at, size);
}

std::size_t Buffer::follow(std::size_t at) const {
  const std::size_t to = at + number<std::uint32_t>(at);
  if (to == at || to >= bytes_.size()) throw Broken{at, "an offset leads out of the file"};
  return to;
}

void Buffer::spend(std::size_t count, std::size_t at) {
  if (count > budget_) throw Broken{at, "there is more of it than the file has room for"};
  budget_ -= count;
}

Table::Table(Buffer& buffer, std::size_t at) : buffer_(&buffer), at_(at) {
  const std::int64_t fields = static_cast<std::int64_t>(at) - buffer.number<std::int32_t>(at);
  if (fields < 0) throw Broken{at, "the offsets of a table lie before the file"};
  fields_ = static_cast<std::size_t>(fields);
  field_bytes_ = buffer.number<std::uint16_t>(fields_);
  table_bytes_ = buffer.number<std::uint16_t>(fields_ + 2);
  if (field_bytes_ < 4 || field_bytes_ % 2 != 0) throw Broken{fields_, "a table of offsets is cut"};
  buffer.span(fields_, field_bytes_);
  buffer.span(at_, table_bytes_);
  buffer.spend(1, at);
}

std::size_t Table::find(int field) const {
  const std::size_t place = 4 + 2 * static_cast<std::size_t>(field);
  if (place + 2 > field_bytes_) return 0;
  const std::size_t offset = buffer_->number<std::uint16_t>(fields_ + place);
  if (offset >= table_bytes_ && offset != 0)
    throw Broken{fields_ + place, "a field lies outside of its table"};
  return offset == 0 ? 0 : at_ + offset;
}

Table::Elements Table::elements_of(int field, std::size_t size) const {
  const std::size_t place = find(field);
  if (place == 0) return {};
  const std::size_t at = buffer_->follow(place);
  const std::size_t count = buffer_->number<std::uint32_t>(at);
  buffer_->spend(count, at);
  buffer_->span(at + 4, count * size);
  return {at + 4, count};
}

std::string Table::text(int field) const {
  const Elements elements = elements_of(field, 1);
  return std::string(buffer_->span(elements.at, elements.count));
}

std::optional<Table> Table::table(int field) const {
  const std::size_t place = find(field);
  if (place == 0) return std::nullopt;
  return Table(*buffer_, buffer_->follow(place));
}

std::vector<Table> Table::tables(int field) const {
  const Elements elements = elements_of(field, sizeof(std::uint32_t));
  std::vector<Table> out;
  for (std::size_t i = 0; i < elements.count; ++i)
    out.emplace_back(*buffer_, buffer_->follow(elements.at + i * sizeof(std::uint32_t)));
  return out;
}

Table root(Buffer& buffer) { return Table(buffer, buffer.follow(0)); }

}  // namespace kbench::flat
