#include "cli/line_table.hpp"

#include "cli/lock_text.hpp"
#include "cli/text.hpp"
#include "cli/text_table.hpp"

#include <ostream>
#include <string>

namespace zklock::cli {

void print_line(std::ostream& out, const found_lock& lock, bool colours) {
  text_table table({{.heading = "STATE"},
                    {.heading = "IDENTITY"},
                    {.heading = "ROLE"},
                    {.heading = "AGE", .numbers = true},
                    {.heading = "SESSION"},
                    {.heading = "TOKEN"},
                    {.heading = "NODE"},
                    {.heading = "MARKS"}});
  for (const auto& each : lock.participants) {
    const bool read = each.token.transaction() != 0;
    const auto marks = marks_of(each);
    table.add({std::string(state_of(each)), read ? printable(each.identity) : "?",
               std::string(name_of(each.role)), read ? age_text(age_of(each)) : "?",
               read ? session_text(each.session_id) : "?", read ? each.token.to_string() : "?",
               printable(node_name(each)), join(marks)},
              !marks.empty());
  }
  const auto marks = marks_of(lock);
  out << printable(lock.path) << "  " << name_of(lock.type);
  if (!marks.empty()) out << "  " << join(marks);
  out << '\n';
  table.print(out, colours);
}

} // namespace zklock::cli
