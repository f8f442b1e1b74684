#include "chaos/lanes.hpp"
#include "chaos/picture.hpp"

#include <algorithm>

namespace chaos {

const fault_group& group_of(fault_kind kind) {
  using enum fault_kind;
  if (kind == pause_server || kind == pause_client || kind == block_loop) return groups[1];
  if (kind == slow_server || kind == slow_client) return groups[3];
  if (kind == fill_disk) return groups[4];
  if (kind == restore_data) return groups[5];
  if (kind == demand_authentication) return groups[6];
  if (kind == kill_server || kind == restart_server || kind == lose_quorum ||
      kind == kill_in_turns || kind == kill_client)
    return groups[0];
  return groups[2];
}

void picture::draw_fault_row(const std::string& name,
                             const std::vector<const past_fault*>& faults) {
  rectangle({left, y_, width, fault_height - 2}, "fill='#f4f5f7'");
  label(name, y_ + 11);
  for (const auto* each : faults) {
    if (each->when.end < window_.begin || each->when.begin > window_.end) continue;
    const double x = column(each->when.begin, window_);
    const double length = std::max(column(each->when.end, window_) - x, 2.0);
    std::string what = name_of(each->kind);
    if (each->kind == fault_kind::lose_quorum) what = "kill two";
    for (const char* rest : {" a server", " servers", " a client"})
      if (const auto found = what.find(rest); found != what.npos)
        what.erase(found, std::string(rest).size());
    const bool by_hand = !is_of_servers(each->kind) && !is_of_client(each->kind);
    rectangle({x, y_, by_hand ? 2.5 : length, fault_height - 2},
              std::string("fill='") + (by_hand ? "#222" : group_of(each->kind).colour) + "'",
              what + ": " + each->target);
    if (length > 7.0 * static_cast<double>(what.size()))
      text(x + 3, y_ + 11, what, "class='small'");
  }
  y_ += fault_height;
}

void picture::draw_leaders() {
  rectangle({left, y_, width, fault_height - 2}, "fill='#f4f5f7'");
  label("leader", y_ + 11);
  const auto& samples = all_.leaders;
  for (std::size_t i = 0, end = 0; i < samples.size(); i = end) {
    const auto leads = samples[i].server;
    for (end = i + 1; end < samples.size() && samples[end].server == leads;)
      ++end;
    const auto until = end < samples.size() ? samples[end].time : all_.when.end;
    if (!leads || until < window_.begin || samples[i].time > window_.end) continue;
    const double x = column(samples[i].time, window_);
    const double length = column(until, window_) - x;
    rectangle({x, y_, length, fault_height - 2}, "fill='#a9c7dd'");
    const auto name = "server " + std::to_string(*leads + 1);
    if (length > 7.0 * static_cast<double>(name.size()))
      text(x + 3, y_ + 11, name, "class='small'");
  }
  y_ += fault_height;
}

void picture::draw_fault_rows() {
  for (std::size_t i = 0; i < cluster::servers; ++i) {
    std::vector<const past_fault*> faults;
    for (const auto& each : all_.faults)
      if (std::count(each.servers.begin(), each.servers.end(), i) > 0) faults.push_back(&each);
    draw_fault_row("server " + std::to_string(i + 1), faults);
  }
  for (std::size_t i = 0; i < crew::clients; ++i) {
    std::vector<const past_fault*> faults;
    for (const auto& each : all_.faults)
      if (each.client == static_cast<int>(i)) faults.push_back(&each);
    const double top = y_;
    draw_fault_row("client " + std::to_string(i + 1), faults);
    rectangle({left - 6, top, 4, fault_height - 2},
              std::string("fill='") + process_colours[i] + "'");
  }
  std::vector<const past_fault*> by_hand;
  for (const auto& each : all_.faults)
    if (!is_of_servers(each.kind) && !is_of_client(each.kind)) by_hand.push_back(&each);
  draw_fault_row("by hand", by_hand);
  y_ += 8;
}

void picture::draw_bands(double top, double bottom) {
  for (const auto& each : all_.faults) {
    const bool inside = each.when.end > window_.begin && each.when.begin < window_.end;
    if (!inside || !is_of_servers(each.kind)) continue;
    const double x = column(each.when.begin, window_);
    rectangle({x, top, std::max(column(each.when.end, window_) - x, 1.0), bottom - top},
              std::string("fill='") + group_of(each.kind).colour + "' fill-opacity='0.45'");
  }
}

void picture::draw_locks(const std::vector<claim>& claims) {
  const auto locks = arrange(claims, window_, width);
  const auto height_of = [](const lanes_of_lock& one) {
    return one.lanes.size() == 1 ? single_lane_height : one.lanes.size() * lane_height;
  };
  std::size_t height = 0;
  for (const auto& each : locks)
    height += height_of(each) + 5;
  draw_bands(y_, y_ + static_cast<double>(height));
  std::array<std::ostringstream, crew::clients> paths;
  for (const auto& each : locks) {
    const auto lock_height = height_of(each);
    const auto lane = lock_height / each.lanes.size();
    label(each.lock.substr(each.lock.rfind('/') + 1),
          y_ + static_cast<double>(lock_height) / 2 + 4);
    for (std::size_t i = 0; i < each.lanes.size(); ++i)
      for (const auto& part : each.lanes[i])
        paths[part.process] << 'M' << left + part.begin << ' ' << y_ + static_cast<double>(i * lane)
                            << 'h' << part.end - part.begin << 'v' << lane - 1 << 'h' << '-'
                            << part.end - part.begin << 'z';
    y_ += static_cast<double>(lock_height) + 5;
  }
  for (std::size_t i = 0; i < paths.size(); ++i)
    body_ << "<path d='" << paths[i].str() << "' fill='" << process_colours[i] << "'/>\n";
}

} // namespace chaos
