package io.tensorferry.verbs.rendezvous;

import io.tensorferry.verbs.wire.RequestIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The responses to one peer by its request index, which is taken as the number that it is.
///
/// Owner: the loop; any thread may ask for the size. A page of 1,024 slots is made when the peer first uses one of
/// them; nothing is made for a response.
final class ResponseTable {
    private static final int PAGE = 1024;

    private final @Nullable TensorResponse[] @Nullable [] pages =
            new @Nullable TensorResponse[RequestIndex.SLOTS / PAGE] @Nullable [];
    private final AtomicInteger size = new AtomicInteger();

    @Nullable
    TensorResponse get(int requestIndex) {
        @Nullable TensorResponse[] page = pages[RequestIndex.slot(requestIndex) / PAGE];
        TensorResponse response = page == null ? null : page[RequestIndex.slot(requestIndex) % PAGE];
        while (response != null && response.requestIndex() != requestIndex) {
            response = response.nextOfSlot;
        }
        return response;
    }

    /// @param response one whose request index has none yet
    void add(TensorResponse response) {
        int slot = RequestIndex.slot(response.requestIndex());
        @Nullable TensorResponse[] page = pages[slot / PAGE];
        if (page == null) {
            page = new @Nullable TensorResponse[PAGE];
            pages[slot / PAGE] = page;
        }
        response.nextOfSlot = page[slot % PAGE];
        page[slot % PAGE] = response;
        size.lazySet(size.get() + 1);
    }

    /// Does nothing for one that is not here.
    @SuppressWarnings("ReferenceEquality")
    void remove(TensorResponse removed) {
        int slot = RequestIndex.slot(removed.requestIndex());
        @Nullable TensorResponse[] page = pages[slot / PAGE];
        TensorResponse before = null;
        TensorResponse response = page == null ? null : page[slot % PAGE];
        while (response != null && response != removed) {
            before = response;
            response = response.nextOfSlot;
        }
        if (page == null || response == null) {
            return;
        }
        if (before == null) {
            page[slot % PAGE] = removed.nextOfSlot;
        } else {
            before.nextOfSlot = removed.nextOfSlot;
        }
        removed.nextOfSlot = null;
        size.lazySet(size.get() - 1);
    }

    /// All of them, by slot.
    List<TensorResponse> all() {
        var all = new ArrayList<TensorResponse>(size());
        for (@Nullable TensorResponse[] page : pages) {
            if (page != null) {
                for (TensorResponse first : page) {
                    for (TensorResponse response = first; response != null; response = response.nextOfSlot) {
                        all.add(response);
                    }
                }
            }
        }
        return all;
    }

    /// Any thread.
    int size() {
        return size.get();
    }
}
