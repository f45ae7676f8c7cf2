package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.TransportException;

/// Waits for a proxy. Both are called on the loop, one of them, once, and perhaps before the call that asked returns.
public interface ProxyWaiter {
    /// The waiter closes it.
    void onProxy(Proxy proxy);

    /// There is none, and never will be.
    void onNoProxy(TransportException cause);
}
