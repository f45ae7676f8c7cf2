"""Numbers that stand for keys on one channel (docs/protocol.md, section 9)."""

import dataclasses

import messages
from messages import Type, Violation


class Names:
    """What both ends have given numbers to on one channel. Not thread-safe."""

    def __init__(self):
        self._own = {}  # key -> the TENSOR_REQUEST that gave it a number last
        self._of_peer = {}  # number -> TENSOR_REQUEST

    def shortened(self, m):
        """A TENSOR_REQUEST as it is to be sent: as REPEATED_REQUEST, with a number for its key, or as it is."""
        known = self._own.get(m.name)
        if known and not m.replay and (known.metadata, known.wants_checksum) == (m.metadata, m.wants_checksum):
            return dataclasses.replace(m, type=Type.REPEATED_REQUEST, metadata=None, wants_checksum=False, name="",
                                       name_id=known.name_id)
        rank = len(m.metadata.shape) if m.metadata else 0
        if 64 + 8 * rank + len(m.name.encode()) > messages.LONGEST_NAMING:
            return m
        if not known and len(self._own) == messages.NAME_IDS:
            return m
        named = dataclasses.replace(m, name_id=known.name_id if known else len(self._own) + 1)
        self._own[m.name] = named
        return named

    def in_full(self, m):
        """A request of the peer as TENSOR_REQUEST."""
        if m.type == Type.TENSOR_REQUEST:
            if m.name_id:
                self._of_peer[m.name_id] = m
            return m
        first = self._of_peer.get(m.name_id)
        if not first:
            raise Violation("a number that stands for no key")
        size = first.metadata.tensor_bytes if first.metadata else 0
        if not 0 < m.remote_addr <= 2**64 - size if size else m.remote_addr or m.rkey:
            raise Violation("address")
        return dataclasses.replace(first, step_id=m.step_id, request_index=m.request_index, remote_addr=m.remote_addr,
                                   rkey=m.rkey, replay=False)
