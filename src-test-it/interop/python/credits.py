"""Who may send an immediate when (docs/protocol.md, section 8). Plain counting; no device."""

import collections

from messages import Violation

RESERVE = 8


class Credits:
    """The credits of one queue pair, both directions. An item is whatever the caller wants back when it was acknowledged."""

    def __init__(self, depth, batch):
        self.depth = depth
        self.batch = batch
        self._outstanding = collections.deque()
        self._unacknowledged = 0

    @property
    def outstanding(self):
        return len(self._outstanding)

    def may_send(self):
        """Whether a message or a content may go (rule 2)."""
        return self.outstanding < self.depth - RESERVE

    def acknowledgement_due(self):
        """Whether an acknowledgement must go now, before anything else (rules 3 and 5)."""
        return self._unacknowledged >= self.batch and self.outstanding < self.depth

    def sent(self, item):
        """A message or content was posted."""
        self._outstanding.append(item)

    def acknowledgement_sent(self):
        self._unacknowledged -= self.batch
        self._outstanding.append(None)

    def received(self):
        """An immediate of any kind arrived, and its receive is posted again (rules 4 and 8)."""
        self._unacknowledged += 1
        if self._unacknowledged > self.depth:
            raise Violation("the peer sent without credit")

    def acknowledged(self):
        """An acknowledgement arrived: the items of the batch that it stands for, without acknowledgements (rules 1 and 7)."""
        if self.outstanding < self.batch:
            raise Violation("acknowledgement of what was not sent")
        batch = [self._outstanding.popleft() for _ in range(self.batch)]
        return [item for item in batch if item is not None]
