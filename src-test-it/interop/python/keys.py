"""Rendezvous keys (docs/protocol.md, section 1)."""

import re

_WORKER = r"(/job:[A-Za-z][A-Za-z0-9_.-]*/replica:\d{1,9}/task:\d{1,9})"
_DEVICE = _WORKER + r"/device:[A-Z][A-Z0-9_]*:\d{1,9}"
_KEY = re.compile(rf"{_DEVICE};[0-9a-fA-F]{{1,16}};{_DEVICE};[^;]+;\d+:\d+")


def key(source, destination, edge):
    """A key from the first CPU of one worker to that of another, outside of all frames."""
    return f"{source}/device:CPU:0;{0:016x};{destination}/device:CPU:0;{edge};0:0"


def workers_of(name):
    """The producing and the consuming worker of a key; None where it is malformed."""
    match = _KEY.fullmatch(name)
    return match.groups() if match else None
