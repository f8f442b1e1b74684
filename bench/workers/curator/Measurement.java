import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The measured window of a worker. */
final class Measurement {
  private static final double[] SHARES = {
      0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999};

  private final boolean stamps;
  private final List<Samples> all = new ArrayList<>();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private volatile boolean open = false;
  private long opened;
  private long cpu;
  private double seconds;
  private long peakKib;
  private long threads;

  Measurement(Settings settings) {
    stamps = settings.stamps();
  }

  boolean isOpen() {
    return open;
  }

  boolean stamps() {
    return stamps;
  }

  Samples newSamples() {
    Samples samples = new Samples(this);
    all.add(samples);
    return samples;
  }

  void open() {
    System.out.println("measuring");
    cpu = system.getProcessCpuTime();
    opened = System.nanoTime();
    open = true;
  }

  void close() throws IOException {
    open = false;
    seconds = (System.nanoTime() - opened) / 1e9;
    cpu = system.getProcessCpuTime() - cpu;
    peakKib = status("VmHWM");
    threads = status("Threads");
    System.out.println("measured");
  }

  /** Prints one line of JSON. */
  void report() {
    float[] sorted = sort(Samples::cycles);
    StringBuilder holds = new StringBuilder();
    for (Samples samples : all) {
      long[] times = samples.stamps();
      for (int i = 0; i < times.length; i += 2) {
        if (holds.length() > 0) holds.append(',');
        holds.append('[').append(times[i]).append(',').append(times[i + 1]).append(']');
      }
    }
    System.out.printf(Locale.ROOT,
        "{\"cycles\": %d, \"seconds\": %f, \"p50_ms\": %f, \"p99_ms\": %f, \"max_ms\": %f, "
            + "\"cpu_seconds\": %f, \"peak_rss_kib\": %d, \"threads\": %d, \"acquire_ms\": {%s}, "
            + "\"holds\": [%s]}%n",
        sorted.length, seconds, percentile(sorted, 0.5), percentile(sorted, 0.99), percentile(sorted, 1),
        cpu / 1e9, peakKib, threads, distribution(sort(Samples::acquires)), holds);
  }

  private float[] sort(Function<Samples, float[]> times) {
    List<float[]> parts = all.stream().map(times).toList();
    float[] sorted = new float[parts.stream().mapToInt(part -> part.length).sum()];
    int at = 0;
    for (float[] part : parts) {
      System.arraycopy(part, 0, sorted, at, part.length);
      at += part.length;
    }
    Arrays.sort(sorted);
    return sorted;
  }

  /** Returns the times by the shares of the samples that do not exceed them. */
  private static String distribution(float[] sorted) {
    return Arrays.stream(SHARES)
        .mapToObj(share -> String.format(
            Locale.ROOT, "\"%s\": %f", share, percentile(sorted, share)))
        .collect(Collectors.joining(", "));
  }

  /** Returns the smallest sample that at least this share of the samples does not exceed. */
  private static float percentile(float[] sorted, double share) {
    if (sorted.length == 0) return 0;
    return sorted[(int) Math.max(Math.ceil(share * sorted.length), 1) - 1];
  }

  private static long status(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status")))
      if (line.startsWith(name + ":")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
    throw new IOException("/proc/self/status does not contain " + name);
  }
}
