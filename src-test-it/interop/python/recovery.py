"""What a sender keeps for a peer when a channel to it is lost (docs/protocol.md, section 13, "Recovery" to "Refused replays")."""

import dataclasses

from messages import Violation


@dataclasses.dataclass
class _End:
    """How a request ended on this side, as long as the peer may not know it."""

    channel: object
    message: object  # the TENSOR_REQUEST
    code: int
    text: str


class Kept:
    """What is kept for one peer, from one channel to the next. No device, no lock: the caller's.

    A request that ended is remembered until the peer has acknowledged the immediate of its end (then it has seen it), or
    until RESUMED on a later channel.
    """

    def __init__(self):
        self.detached = {}  # request index -> (TENSOR_REQUEST, tensor that was taken for it)
        self._ends = {}  # request index -> _End
        self._refusal = None  # (code, text) of every replay

    def detach(self, message, tensor):
        """The channel is lost and the peer may come back: the tensor waits for the replay."""
        self.detached[message.request_index] = (message, tensor)

    def ended(self, channel, message, code, text):
        """A request ended on `channel`; the replay of it, if there is one, is refused with this status."""
        self._ends[message.request_index] = _End(channel, message, code, text)

    def arrived(self, index):
        """The peer has acknowledged the end of this request: it does not replay it."""
        self._ends.pop(index, None)

    def new_request(self, message):
        """Violation where the index is that of a request which only a replay may go on with."""
        if message.request_index in self.detached:
            raise Violation("a new request with the index of one that waits for its replay")

    def replay(self, channel, message):
        """What to do at a replay: (tensor, None) to go on with, (None, (code, text)) to refuse it, (None, None): as if new.

        Violation where the peer may not replay this.
        """
        if channel.resumed:
            raise Violation("a replay after RESUMED")
        before, tensor = self.detached.pop(message.request_index, (None, None))
        end = self._ends.get(message.request_index)
        before = before or end and end.message
        if before and (before.step_id, before.name) != (message.step_id, message.name):
            raise Violation("a replay of another request")
        if self._refusal:
            return None, self._refusal
        return tensor, end and (end.code, end.text)

    def resumed(self, channel):
        """The peer has replayed all that it wants to on this channel: what is of earlier ones is not wanted."""
        if channel.resumed:
            raise Violation("RESUMED again")
        channel.resumed = True
        self.detached.clear()
        self._ends = {index: end for index, end in self._ends.items() if end.channel is channel}
        self._refusal = None

    def drop(self, code, text, refuse=False):
        """The peer is given up. Replays are refused with this status where tensors were dropped, or `refuse` says so."""
        if self.detached or refuse:
            self._refusal = (code, text)
        self.detached.clear()
