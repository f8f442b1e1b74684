#include "client/node_path.hpp"

namespace zklock::detail {

namespace {

void append_parent(std::string& out, std::string_view directory) {
  out.reserve(out.size() + directory.size() + entry_name_bytes);
  out += directory;
  out += '/';
}

} // namespace

void append_entry_path(std::string& out, std::string_view directory, queue::session_token token,
                       queue::entry_id id, std::string_view label) {
  append_parent(out, directory);
  queue::append_prefix(out, token, id, label);
}

void append_entry_path(std::string& out, std::string_view directory, queue::session_token token,
                       queue::entry_id id, std::string_view label, queue::sequence number) {
  append_entry_path(out, directory, token, id, label);
  queue::append_number(out, number);
}

void append_permit_path(std::string& out, std::string_view directory, queue::session_token token,
                        queue::entry_id id, std::uint32_t index) {
  append_parent(out, directory);
  queue::append_permit(out, token, id, index);
}

} // namespace zklock::detail
