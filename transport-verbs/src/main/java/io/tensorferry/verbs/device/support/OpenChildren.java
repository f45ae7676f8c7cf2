package io.tensorferry.verbs.device.support;

import io.tensorferry.verbs.device.VerbsException;

/// Counts the open children of a parent object, so that it cannot be closed before them and its limit is enforced. For
/// implementations of a device.
///
/// Threading: any thread.
public final class OpenChildren {
    private final String parent;
    private final int limit;
    private int open;
    private boolean closed;

    public OpenChildren(String parent) {
        this(parent, Integer.MAX_VALUE);
    }

    public OpenChildren(String parent, int limit) {
        this.parent = parent;
        this.limit = limit;
    }

    /// Adds a child to each of these parents, or to none of them.
    ///
    /// @throws VerbsException EINVAL if a parent is closed, ENOMEM if a parent has reached its limit
    public static void add(String verb, OpenChildren... parents) {
        for (int i = 0; i < parents.length; i++) {
            try {
                parents[i].addOne(verb);
            } catch (VerbsException refused) {
                for (int j = 0; j < i; j++) {
                    parents[j].remove();
                }
                throw refused;
            }
        }
    }

    private synchronized void addOne(String verb) {
        if (closed) {
            throw new VerbsException(verb, VerbsException.EINVAL, "the " + parent + " is closed");
        }
        if (open >= limit) {
            throw new VerbsException(
                    verb, VerbsException.ENOMEM, "the " + parent + " has " + open + ", which is its limit");
        }
        open++;
    }

    /// Removes a closed child.
    public synchronized void remove() {
        open--;
    }

    /// Marks the parent as closed.
    ///
    /// @return false if it was closed before
    /// @throws VerbsException EBUSY if children are open
    public synchronized boolean close(String verb) {
        if (open > 0) {
            throw new VerbsException(
                    verb, VerbsException.EBUSY, "the " + parent + " is used by " + open + " open objects");
        }
        boolean first = !closed;
        closed = true;
        return first;
    }
}
