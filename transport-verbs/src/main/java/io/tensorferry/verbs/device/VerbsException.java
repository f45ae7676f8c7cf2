package io.tensorferry.verbs.device;

/// A verb that failed: which one, the error number and what it means here.
public final class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public static final int ENOENT = 2;
    public static final int EIO = 5;
    public static final int ENOMEM = 12;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;

    private final int errno;

    /// @param verb the man page's name, as `ibv_reg_mr`
    /// @param errno the system's error number
    /// @param detail what was wrong, with the values
    public VerbsException(String verb, int errno, String detail) {
        super(verb + " failed with errno " + errno + ": " + detail);
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
