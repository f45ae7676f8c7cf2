package io.tensorferry.testing.fabric;

import java.util.PriorityQueue;

/// A virtual clock and its event queue. Events run in order of time; events at the same nanosecond run in the order of
/// scheduling.
///
/// Threading: one thread.
final class VirtualClock {
    private record Event(long time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long scheduled;

    long now() {
        return now;
    }

    void schedule(long delayNs, Runnable action) {
        if (delayNs < 0) {
            throw new IllegalArgumentException("delayNs " + delayNs + " must be 0 or more");
        }
        events.add(new Event(Math.addExact(now, delayNs), scheduled++, action));
    }

    /// Advances to the next event and runs it.
    ///
    /// @return false if no event is scheduled
    boolean runNext() {
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        now = event.time;
        event.action.run();
        return true;
    }

    /// Runs all events of the next `durationNs` and advances to the end of that interval.
    void advance(long durationNs) {
        long end = Math.addExact(now, durationNs);
        for (Event next = events.peek(); next != null && next.time <= end; next = events.peek()) {
            runNext();
        }
        now = end;
    }

    int pending() {
        return events.size();
    }
}
