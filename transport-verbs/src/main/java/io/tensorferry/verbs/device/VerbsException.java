package io.tensorferry.verbs.device;

import java.util.Map;

/// The failure of a verb, with its name, errno and details.
public final class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EIO = 5;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int EMFILE = 24;
    public static final int ENOSYS = 38;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    public static final int ETIMEDOUT = 110;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(EPERM, "EPERM"),
            Map.entry(ENOENT, "ENOENT"),
            Map.entry(EIO, "EIO"),
            Map.entry(EBADF, "EBADF"),
            Map.entry(EAGAIN, "EAGAIN"),
            Map.entry(ENOMEM, "ENOMEM"),
            Map.entry(EACCES, "EACCES"),
            Map.entry(EFAULT, "EFAULT"),
            Map.entry(EBUSY, "EBUSY"),
            Map.entry(ENODEV, "ENODEV"),
            Map.entry(EINVAL, "EINVAL"),
            Map.entry(EMFILE, "EMFILE"),
            Map.entry(ENOSYS, "ENOSYS"),
            Map.entry(ENODATA, "ENODATA"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP"),
            Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL"),
            Map.entry(ENETDOWN, "ENETDOWN"),
            Map.entry(ETIMEDOUT, "ETIMEDOUT"));

    private final int errno;

    /// @param verb the name in the man page, for example `ibv_reg_mr`
    /// @param errno the system's error number
    /// @param detail the cause, with the values
    public VerbsException(String verb, int errno, String detail) {
        super(verb + " failed with " + name(errno) + ": " + detail);
        this.errno = errno;
    }

    private static String name(int errno) {
        String name = NAMES.get(errno);
        return name == null ? "errno " + errno : name + " (errno " + errno + ")";
    }

    public int errno() {
        return errno;
    }
}
