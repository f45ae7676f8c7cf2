package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Copies the content of one tensor between an accelerator and unpinned host memory, piece by piece through one proxy
/// that a worker fills or drains. For tensors that do not travel by RDMA; not optimised for throughput.
///
/// Owner: the loop.
final class HostCopy extends CopyTask implements ProxyWaiter {
    private final AcceleratorUnit unit;
    private final CopyQueue copies;
    private final ProxyPool proxies;
    private final boolean toHost;
    private final long address;
    private final MemorySegment host;
    // The ready event of the source, or null.
    private @Nullable DeviceEvent awaited;
    private final Consumer<@Nullable Failure> end;
    private long position;
    private @Nullable Proxy proxy;

    /// The failure of a copy.
    ///
    /// @param stranded whether the accelerator may still access its end of the copy at any time
    record Failure(TransportException cause, boolean stranded) {}

    /// @param onDevice not empty
    /// @param host as large as `onDevice`
    /// @param end called once on the loop, with null on success
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

    /// @param peer the peer to which the proxy is accounted
    void start(String peer) {
        DeviceEvent event = awaited;
        if (event == null) {
            proxies.acquire(Math.min(unit.options().pieceBytes(), host.byteSize()), peer, this);
        } else {
            // No proxy is held while waiting for an event that may never be reached.
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
