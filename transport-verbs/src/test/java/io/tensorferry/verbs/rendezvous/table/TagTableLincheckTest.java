package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.TestTensors;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Every interleaving of a few threads on a table behaves as some order of the same calls on [TagTableModel].
///
/// A match is reported on the thread that made it, so a call's result is complete: the waiter that a send met, the item
/// that a receive met, or that it was queued.
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "item", gen = IntGen.class, conf = "0:3")
@Param(name = "waiter", gen = IntGen.class, conf = "0:2")
@Timeout(120)
public class TagTableLincheckTest {
    private static final RendezvousKey[] KEYS = {TestTensors.key(0), TestTensors.key(1)};
    // Told apart by identity.
    private static final RecvResult[] ITEMS = {
        new RecvResult.Dead(), new RecvResult.Dead(), new RecvResult.Dead(), new RecvResult.Dead()
    };

    private final TagTable table = new TagTable();
    private final ThreadLocal<Match> lastMatch = ThreadLocal.withInitial(Match::new);
    private final RepeatedWaiter[] waiters = {waiter(0), waiter(1), waiter(2)};

    private static final class Match {
        int waiter = TagTableModel.QUEUED;
        int item = TagTableModel.QUEUED;
    }

    private RepeatedWaiter waiter(int number) {
        return new RepeatedWaiter(result -> {
            Match match = lastMatch.get();
            match.waiter = number;
            match.item = numberOf(result);
        });
    }

    @SuppressWarnings("ReferenceEquality")
    private static int numberOf(RecvResult result) {
        for (int i = 0; i < ITEMS.length; i++) {
            if (ITEMS[i] == result) {
                return i;
            }
        }
        return TagTableModel.ABORTED;
    }

    @Operation
    public int send(@Param(name = "key") int key, @Param(name = "item") int item) {
        var match = new Match();
        lastMatch.set(match);
        try {
            table.send(KEYS[key], ITEMS[item]);
        } catch (TransportException e) {
            return TagTableModel.ABORTED;
        }
        return match.waiter;
    }

    @Operation
    public int receive(@Param(name = "key") int key, @Param(name = "waiter") int waiter) {
        var match = new Match();
        lastMatch.set(match);
        waiters[waiter].receive(table, KEYS[key]);
        return match.item;
    }

    @Operation
    public boolean remove(@Param(name = "key") int key, @Param(name = "waiter") int waiter) {
        return waiters[waiter].remove(table, KEYS[key]);
    }

    @Operation(runOnce = true)
    public int abort() {
        return table.abort(new TransportException(StatusCode.ABORTED, "the end"));
    }

    @Test
    void everyInterleavingIsLinearizable() {
        new ModelCheckingOptions()
                .iterations(Integer.getInteger("lincheck.iterations", 3))
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .invocationsPerIteration(200)
                .sequentialSpecification(Model.class)
                .check(TagTableLincheckTest.class);
    }

    public static final class Model extends TagTableModel {
        public Model() {
            super(KEYS.length);
        }
    }
}
