import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The command line, the same as that of the workers of other systems. */
final class Settings {
  private static final Set<String> NAMES = Set.of("--servers", "--path", "--mode", "--index",
      "--waiters", "--locks", "--held", "--local-handoffs", "--keep-ms", "--pause-ms",
      "--warmup", "--seconds", "--stamps");
  private static final List<String> MODES = List.of("cycle", "first_use", "try_busy", "hold");

  private final Map<String, String> values = new HashMap<>();

  Settings(String[] arguments) {
    for (int i = 0; i < arguments.length; i += 2) {
      if (!NAMES.contains(arguments[i]))
        throw new IllegalArgumentException("unknown argument " + arguments[i]);
      if (i + 1 == arguments.length)
        throw new IllegalArgumentException(arguments[i] + " needs a value");
      values.put(arguments[i], arguments[i + 1]);
    }
    if (!values.containsKey("--servers") || !values.containsKey("--path"))
      throw new IllegalArgumentException("--servers or --path is missing");
    if (!MODES.contains(mode())) throw new IllegalArgumentException("not for Curator: " + mode());
  }

  String servers() {
    return values.get("--servers");
  }

  String path() {
    return values.get("--path");
  }

  String mode() {
    return values.getOrDefault("--mode", "cycle");
  }

  int waiters() {
    return number("--waiters", 1);
  }

  int held() {
    return number("--held", 0);
  }

  boolean stamps() {
    return "yes".equals(values.get("--stamps"));
  }

  long keepNanoseconds() {
    return nanoseconds("--keep-ms", 1e6, 0);
  }

  long pauseNanoseconds() {
    return nanoseconds("--pause-ms", 1e6, 0);
  }

  long warmupNanoseconds() {
    return nanoseconds("--warmup", 1e9, 1);
  }

  long windowNanoseconds() {
    return nanoseconds("--seconds", 1e9, 1);
  }

  /** The path of a waiter's lock. */
  String lockOf(int waiter) {
    return path() + "/" + waiter % number("--locks", 1);
  }

  private int number(String name, int otherwise) {
    return Integer.parseInt(values.getOrDefault(name, Integer.toString(otherwise)));
  }

  private long nanoseconds(String name, double perUnit, double otherwise) {
    String text = values.getOrDefault(name, Double.toString(otherwise));
    return Math.round(Double.parseDouble(text) * perUnit);
  }
}
