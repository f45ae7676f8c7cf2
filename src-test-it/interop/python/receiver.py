"""The receiver's side of requests (docs/protocol.md, sections 11 to 13)."""

import dataclasses
import enum
import itertools

import codes
import tensors
from device import WRITABLE_BY_PEER
from keys import workers_of
from messages import Message, Type, Violation

_SLOTS, _GENERATIONS = 4096, 4095


class Asked(enum.Enum):
    """Where a receive is."""

    AWAITING_CHANNEL = enum.auto()
    AWAITING_REPLY = enum.auto()
    AWAITING_CONTENT = enum.auto()
    GIVEN_UP = enum.auto()
    ENDED = enum.auto()


@dataclasses.dataclass(eq=False)
class Receive:
    """One receive. It is over for the caller when `tensor` or `failure` is there; `state` is ENDED when memory is free."""

    step: int
    key: str
    state: Asked = Asked.AWAITING_CHANNEL
    channel: object = None
    index: int = 0
    metadata: object = None
    memory: object = None
    checksum: int | None = None
    tensor: object = None
    failure: tuple | None = None  # (code, text)
    lanes: set = dataclasses.field(default_factory=set)  # those whose part of the content has landed
    course: str = "cold"  # cold, warm or changed: how it went, for a person to read
    way: str = ""  # how the content came: written, carried, or announced, in the message with its metadata

    def over(self):
        return self.tensor is not None or self.failure is not None


class Receiver:
    """All receives of this worker. Not thread-safe: the exchange's lock.

    `names` has the numbers of keys of each channel; `event(channel, kind)` is called as requests go on.
    """

    def __init__(self, device, validate, names, log, event):
        self.device, self.validate, self.names, self.log, self.event = device, validate, names, log, event
        self.remembered = {}  # key -> Metadata of the last time
        self.unasked = []  # receives that wait for their first channel
        self.asked = {}  # (peer, index) -> Receive, oldest first; also those that wait for another channel
        self._indices = itertools.count()

    def receive(self, step, name):
        """Starts a receive; `ask` sends it when there is a channel."""
        receive = Receive(step, name)
        self.unasked.append(receive)
        return receive

    def ask(self, channel_to):
        """Sends the requests that have a channel now; `channel_to(worker)` is the channel or None."""
        for receive in list(self.unasked):
            peer = workers_of(receive.key)[0]
            channel = channel_to(peer)
            if channel:
                self.unasked.remove(receive)
                receive.index = self._new_index(peer)
                self.asked[peer, receive.index] = receive
                known = self.remembered.get(receive.key)
                if known:
                    receive.course = "warm"
                    self._allocate(receive, known)
                self._ask(receive, channel)
                self.event(channel, "asked")

    def _ask(self, receive, channel, replay=False):
        receive.channel = channel
        receive.state = Asked.AWAITING_REPLY
        receive.lanes.clear()
        request = Message(Type.TENSOR_REQUEST, receive.step, receive.index, receive.metadata, *self._place(receive),
                          wants_checksum=self.validate, replay=replay, name=receive.key)
        channel.send(self.names[channel].shortened(request))

    def waits_for(self, peer):
        """Whether a receive waits for a channel to the peer."""
        return any(workers_of(r.key)[0] == peer for r in self.unasked) or bool(self._detached(peer))

    def _detached(self, peer):
        """The receives that were asked on a channel that is lost, oldest first."""
        return [r for (p, _), r in self.asked.items() if p == peer and r.state == Asked.AWAITING_CHANNEL]

    def _new_index(self, peer):
        while True:
            n = next(self._indices)
            index = n % _SLOTS | n // _SLOTS % _GENERATIONS << 20
            if (peer, index) not in self.asked:
                return index

    def _allocate(self, receive, metadata):
        receive.metadata = metadata
        if metadata.tensor_bytes:
            receive.memory = self.device.register(metadata.tensor_bytes, WRITABLE_BY_PEER)

    @staticmethod
    def _place(receive):
        return (receive.memory.buf, receive.memory.rkey) if receive.memory else (0, 0)

    def _free(self, receive):
        if receive.memory:
            receive.memory.close()
            receive.memory = None

    def give_up(self, receive):
        """The caller wants the tensor no longer: it is told at once, memory stays until the peer is done with it."""
        receive.failure = (codes.CANCELLED, "given up")
        if receive in self.unasked:
            self.unasked.remove(receive)
            receive.state = Asked.ENDED
        elif receive.state == Asked.AWAITING_CHANNEL:
            self._end(receive)
        else:
            receive.state = Asked.GIVEN_UP
            receive.channel.send(Message(Type.ERROR_STATUS, receive.step, receive.index, to_sender=True,
                                         status_code=codes.CANCELLED, status_text="given up"))

    # ------------------------------------------------------------- what arrives

    def content(self, channel, index, lane):
        """What a lane brings of the content of a request has landed."""
        receive = self._asked_on(channel, index)
        if not receive:
            return  # it crossed the end of the request
        expected = channel.lanes_of(index, receive.metadata.tensor_bytes if receive.metadata else 0)
        # Stricter than a receiver must be: the peer of a test says what it sees.
        if lane not in expected or lane in receive.lanes:
            raise Violation("content on a lane that is not its own, or twice on one")
        receive.lanes.add(lane)
        if receive.lanes != expected:
            return
        if len(expected) > 1:
            self.log(f"landed over {len(expected)} lanes")
        self.event(channel, "landed")
        self._require_answered(receive)
        content = receive.memory.read(receive.metadata.tensor_bytes, 0) if receive.memory else b""
        self._landed(receive, content, "written")

    def tensor_content(self, channel, m):
        """The content of a request has come in a message, as it was expected."""
        receive = self._asked_on(channel, m.request_index)
        if not receive:
            return  # it crossed the end of the request
        self.event(channel, "landed-carried")
        self._require_answered(receive)
        if not receive.metadata or len(m.content) != receive.metadata.tensor_bytes:
            raise Violation(f"a content of {len(m.content)} bytes in a message, which is not what was expected")
        # Stricter than a receiver must be, as above.
        if m.step_id != receive.step or receive.lanes:
            raise Violation("a content of another step in a message, or of what came over a lane in part")
        self._landed(receive, m.content, "carried")

    def _require_answered(self, receive):
        if receive.state == Asked.AWAITING_REPLY and (not receive.metadata or self.validate):
            raise Violation("content before the answer that was needed")

    def _landed(self, receive, content, way):
        """The content is there, in whatever way: it ends the request, also one that was given up."""
        if receive.state != Asked.GIVEN_UP:
            receive.way = way
            if receive.checksum is not None and tensors.crc32c(content) != receive.checksum:
                receive.failure = (codes.DATA_LOSS, "the checksum is another")
            else:
                receive.tensor = tensors.Tensor(receive.metadata, content)
        self._end(receive)

    def _asked_on(self, channel, index):
        receive = self.asked.get((channel.peer, index))
        return receive if receive and receive.channel is channel else None

    def _end(self, receive):
        del self.asked[workers_of(receive.key)[0], receive.index]
        receive.state = Asked.ENDED
        self._free(receive)

    def meta_data_response(self, channel, m):
        receive = self._asked_on(channel, m.request_index)
        if not receive:
            return
        if m.content is not None:
            self.event(channel, "landed-announced")
        if receive.state == Asked.GIVEN_UP:
            if m.content is not None:
                self._end(receive)  # with a content it is the confirmation
            return
        if receive.state != Asked.AWAITING_REPLY:
            raise Violation("META_DATA_RESPONSE again")
        if self.validate and m.checksum is None:
            raise Violation("an answer without the checksum that was asked for")
        self._free(receive)
        if receive.metadata and receive.metadata != m.metadata:
            receive.course = "changed"
        receive.checksum = m.checksum
        self.remembered[receive.key] = m.metadata
        if m.content is not None:
            receive.metadata = m.metadata
            self._landed(receive, m.content, "announced")
            return
        self._allocate(receive, m.metadata)
        receive.state = Asked.AWAITING_CONTENT
        channel.send(Message(Type.TENSOR_RE_REQUEST, receive.step, receive.index, m.metadata, *self._place(receive)))
        self.event(channel, "asked-again")

    def failed_by_sender(self, channel, m):
        receive = self._asked_on(channel, m.request_index)
        if not receive:
            return
        if receive.state != Asked.GIVEN_UP:
            receive.failure = (m.status_code if m.status_code <= codes.LAST else codes.UNKNOWN, m.status_text)
        self._end(receive)

    # ----------------------------------------------------------------- channels

    def opened(self, channel):
        """There is a channel to the same incarnation: requests that were asked on an earlier one go on."""
        for receive in self._detached(channel.peer):
            self._ask(receive, channel, replay=True)
            self.event(channel, "replayed")
        channel.send(Message(Type.RESUMED))

    def lost(self, channel):
        """The channel is gone: its requests wait for another one."""
        for receive in [r for r in self.asked.values() if r.channel is channel]:
            if receive.state == Asked.GIVEN_UP:
                self._end(receive)
            else:
                receive.state, receive.channel, receive.checksum = Asked.AWAITING_CHANNEL, None, None

    def gone(self, peer, code, text, unasked):
        """No channel comes: receives that wait for the peer fail, also those that were never asked if `unasked`."""
        for receive in self._detached(peer):
            receive.failure = (code, text)
            self._end(receive)
        for receive in [r for r in self.unasked if unasked and workers_of(r.key)[0] == peer]:
            receive.failure = (code, text)
            self.unasked.remove(receive)
            receive.state = Asked.ENDED
