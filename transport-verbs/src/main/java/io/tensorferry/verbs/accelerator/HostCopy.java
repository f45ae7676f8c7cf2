package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The content of one tensor on its way between an accelerator and host memory that the accelerator does not know:
/// piece after piece through one proxy, which a worker fills or empties. For tensors that do not go by RDMA; it is no
/// way for many.
///
/// Owner: the loop.
final class HostCopy extends CopyTask implements ProxyWaiter {
    private final AcceleratorUnit unit;
    private final CopyQueue copies;
    private final ProxyPool proxies;
    private final boolean toHost;
    private final long address;
    private final MemorySegment host;
    // Of a source that may not be there yet.
    private @Nullable DeviceEvent awaited;
    private final Consumer<@Nullable Failure> end;
    private long position;
    private @Nullable Proxy proxy;

    /// Why a content was not copied.
    ///
    /// @param stranded whether the accelerator may still reach its end of the copy, for ever
    record Failure(TransportException cause, boolean stranded) {}

    /// @param onDevice not empty
    /// @param host as large
    /// @param end is told once, of nothing where all is copied; on the loop
    HostCopy(
            AcceleratorUnit unit,
            boolean toHost,
            Tensor onDevice,
            MemorySegment host,
            Consumer<@Nullable Failure> end) {
        this.unit = unit;
        this.copies = unit.copies();
        this.proxies = toHost ? unit.sendProxies() : unit.receiveProxies();
        this.toHost = toHost;
        this.address = onDevice.address();
        this.host = host;
        this.awaited = toHost ? onDevice.readyEvent() : null;
        this.end = end;
    }

    /// @param peer who counts as the one that holds the proxy
    void start(String peer) {
        DeviceEvent event = awaited;
        if (event == null) {
            proxies.acquire(Math.min(unit.options().pieceBytes(), host.byteSize()), peer, this);
        } else {
            // No proxy is held for an event that may never be reached.
            copies.whenReached(event, new CopyTask() {
                @Override
                protected void onDone() {
                    awaited = null;
                    start(peer);
                }

                @Override
                protected void onFailed(TransportException cause, boolean stranded) {
                    end.accept(new Failure(cause, stranded));
                }
            });
        }
    }

    @Override
    public void onProxy(Proxy given) {
        proxy = given;
        next();
    }

    @Override
    public void onNoProxy(TransportException cause) {
        end.accept(new Failure(cause, false));
    }

    private void next() {
        if (position == host.byteSize()) {
            proxy().close();
            end.accept(null);
        } else if (toHost) {
            copies.toHost(address + position, inProxy(), this);
        } else {
            work(() -> {
                inProxy().copyFrom(inHost());
                copies.fromHost(inProxy(), address + position, this);
            });
        }
    }

    @Override
    protected void onDone() {
        if (toHost) {
            work(() -> {
                inHost().copyFrom(inProxy());
                unit.loop().execute(this::advance);
            });
        } else {
            advance();
        }
    }

    private void work(Runnable task) {
        unit.work(task, cause -> onFailed(cause, false));
    }

    private void advance() {
        position += bytesOfThis();
        next();
    }

    @Override
    protected void onFailed(TransportException cause, boolean stranded) {
        if (stranded) {
            proxy().strand();
        } else {
            proxy().close();
        }
        end.accept(new Failure(cause, stranded));
    }

    private Proxy proxy() {
        Proxy held = proxy;
        if (held == null) {
            throw new IllegalStateException("the copy has no proxy");
        }
        return held;
    }

    private long bytesOfThis() {
        return Math.min(proxy().byteSize(), host.byteSize() - position);
    }

    private MemorySegment inProxy() {
        return proxy().segment().asSlice(0, bytesOfThis());
    }

    private MemorySegment inHost() {
        return host.asSlice(position, bytesOfThis());
    }
}
