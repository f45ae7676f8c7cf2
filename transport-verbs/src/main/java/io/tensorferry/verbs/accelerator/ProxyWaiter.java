package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.TransportException;

/// Receives a proxy or a failure. Exactly one of the methods is called, once, on the loop, possibly before the
/// requesting call returns.
public interface ProxyWaiter {
    /// Called with a proxy, which the waiter closes.
    void onProxy(Proxy proxy);

    /// Called when no proxy will ever be available.
    void onNoProxy(TransportException cause);
}
