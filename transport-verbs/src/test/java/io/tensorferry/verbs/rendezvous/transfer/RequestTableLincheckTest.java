package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Every interleaving of a few threads on a table of two slots, full at the start, behaves as some order of the
/// same calls on a plain model.
@Param(name = "slot", gen = IntGen.class, conf = "0:1")
@Param(name = "generation", gen = IntGen.class, conf = "0:1")
@Timeout(120)
public class RequestTableLincheckTest {
    private static final int CAPACITY = 2;
    private static final int FIRST = 100;
    private static final int SECOND = 101;

    private final RequestTable<Integer> table = new RequestTable<>(CAPACITY);

    public RequestTableLincheckTest() {
        table.add(FIRST);
        table.add(SECOND);
    }

    @Operation
    public int add(int request) {
        try {
            return table.add(request);
        } catch (TransportException e) {
            return -1;
        }
    }

    @Operation
    public @Nullable Integer get(@Param(name = "slot") int slot, @Param(name = "generation") int generation) {
        return table.get(RequestIndex.of(slot, generation));
    }

    @Operation
    public @Nullable Integer remove(@Param(name = "slot") int slot, @Param(name = "generation") int generation) {
        return table.remove(RequestIndex.of(slot, generation));
    }

    @Operation
    public List<Integer> all() {
        return table.all();
    }

    @Operation
    public int size() {
        return table.size();
    }

    @Test
    void everyInterleavingIsLinearizable() {
        new ModelCheckingOptions()
                .iterations(Integer.getInteger("lincheck.iterations", 3))
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1)
                .invocationsPerIteration(200)
                .sequentialSpecification(Model.class)
                .check(RequestTableLincheckTest.class);
    }

    /// The same in plain collections.
    public static final class Model {
        private final TreeMap<Integer, Integer> liveBySlot = new TreeMap<>();
        private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>(List.of(0, 1));
        private final int[] generations = new int[CAPACITY];

        public Model() {
            add(FIRST);
            add(SECOND);
        }

        public int add(int request) {
            Integer slot = freeSlots.poll();
            if (slot == null) {
                return -1;
            }
            liveBySlot.put(slot, request);
            return RequestIndex.of(slot, generations[slot]);
        }

        public @Nullable Integer get(int slot, int generation) {
            return generations[slot] == generation ? liveBySlot.get(slot) : null;
        }

        public @Nullable Integer remove(int slot, int generation) {
            Integer request = get(slot, generation);
            if (request != null) {
                free(slot);
            }
            return request;
        }

        public List<Integer> all() {
            return new ArrayList<>(liveBySlot.values());
        }

        public int size() {
            return liveBySlot.size();
        }

        private void free(int slot) {
            liveBySlot.remove(slot);
            generations[slot]++;
            freeSlots.add(slot);
        }
    }
}
