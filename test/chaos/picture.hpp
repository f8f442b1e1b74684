#pragma once

#include "chaos/crew.hpp"
#include "chaos/outcome.hpp"

#include <algorithm>
#include <array>
#include <iosfwd>
#include <sstream>
#include <string>
#include <vector>

namespace chaos {

inline constexpr std::size_t left = 110;
inline constexpr std::size_t width = 1070;
inline constexpr std::size_t lane_height = 7;
inline constexpr std::size_t single_lane_height = 16;
inline constexpr std::size_t fault_height = 15;
inline constexpr nanoseconds longest_window = 30 * second;

inline constexpr std::array<const char*, crew::clients> process_colours{
    "#2b6cb0", "#dd7a1f", "#2f9e6b", "#8456b0", "#c2a100", "#8a5a3c"};

/// A group of faults with a colour.
struct fault_group {
  const char* name;
  const char* colour;
};

inline constexpr std::array<fault_group, 7> groups{{{"killed", "#e39a93"},
                                                    {"paused, blocked", "#f0cf8e"},
                                                    {"cut off", "#b4bfca"},
                                                    {"slow", "#cfe0a4"},
                                                    {"disk full", "#d5b3e3"},
                                                    {"restored", "#9fd3c7"},
                                                    {"authentication", "#e8b7d0"}}};

/// Returns the group of a kind of faults.
const fault_group& group_of(fault_kind kind);

/// A picture of a run that is being drawn, from top to bottom.
class picture {
 public:
  picture(std::ostream& out, const outcome& all)
      : out_(out), all_(all), window_(choose_window(all)) {}

  picture(const picture&) = delete;
  picture& operator=(const picture&) = delete;

  void draw();

 private:
  static span choose_window(const outcome& all);

  struct box {
    double x;
    double y;
    double width;
    double height;
  };

  static double column(nanoseconds time, const span& of) {
    const double part =
        static_cast<double>(time - of.begin) / static_cast<double>(of.end - of.begin);
    return static_cast<double>(left) + std::clamp(part, 0.0, 1.0) * static_cast<double>(width);
  }

  void rectangle(const box& at, const std::string& style, const std::string& title = {}) {
    body_ << "<rect x='" << at.x << "' y='" << at.y << "' width='" << at.width << "' height='"
          << at.height << "' " << style;
    if (title.empty())
      body_ << "/>\n";
    else
      body_ << "><title>" << title << "</title></rect>\n";
  }

  void text(double x, double y, const std::string& what, const std::string& style = {}) {
    body_ << "<text x='" << x << "' y='" << y << "' " << style << '>' << what << "</text>\n";
  }

  void label(const std::string& what, double y) { text(left - 8, y, what, "text-anchor='end'"); }

  void draw_head(std::size_t holds);
  void draw_overview();
  void draw_leaders();
  void draw_fault_rows();
  void draw_fault_row(const std::string& name, const std::vector<const past_fault*>& faults);
  void draw_bands(double top, double bottom);
  void draw_locks(const std::vector<claim>& claims);
  void draw_axis(const span& of, double y);
  void draw_legend();

  std::ostream& out_;
  const outcome& all_;
  const span window_;
  std::ostringstream body_;
  double y_ = 0;
};

} // namespace chaos
