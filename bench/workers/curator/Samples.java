import java.util.Arrays;

/** The cycles of one thread. Plain arrays, so that the measurement creates little garbage. */
final class Samples {
  private final Measurement owner;
  // In milliseconds: of whole cycles, and until the lock was held.
  private float[] cycles = new float[64];
  private float[] acquires = new float[64];
  private long[] stamps = new long[0];
  private int count = 0;

  Samples(Measurement owner) {
    this.owner = owner;
  }

  /** Adds a cycle if the window is open. A cycle that began before the window counts. */
  void add(long started, long held, long released, long ended) {
    if (!owner.isOpen()) return;
    synchronized (this) {
      if (count == cycles.length) {
        cycles = Arrays.copyOf(cycles, 2 * count);
        acquires = Arrays.copyOf(acquires, 2 * count);
      }
      cycles[count] = (ended - started) / 1e6f;
      acquires[count] = (held - started) / 1e6f;
      if (owner.stamps()) {
        if (stamps.length < 2 * (count + 1)) stamps = Arrays.copyOf(stamps, 4 * (count + 1));
        stamps[2 * count] = held;
        stamps[2 * count + 1] = released;
      }
      ++count;
    }
  }

  synchronized float[] cycles() {
    return Arrays.copyOf(cycles, count);
  }

  synchronized float[] acquires() {
    return Arrays.copyOf(acquires, count);
  }

  /** The begin and the end of each hold, alternating. */
  synchronized long[] stamps() {
    return Arrays.copyOf(stamps, owner.stamps() ? 2 * count : 0);
  }
}
