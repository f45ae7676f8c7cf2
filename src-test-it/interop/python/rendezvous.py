"""Keys, and requests on both sides (docs/protocol.md, sections 1, 11, 12 and 13)."""

import collections
import dataclasses
import enum
import itertools
import re

import tensors
from device import READ_BY_DEVICE, WRITABLE_BY_PEER
from messages import Message, Type, Violation
from names import Names
from recovery import INTERNAL, UNAVAILABLE, Kept

CANCELLED, INVALID_ARGUMENT, ABORTED, DATA_LOSS = 1, 3, 10, 15

_WORKER = r"(/job:[A-Za-z][A-Za-z0-9_.-]*/replica:\d{1,9}/task:\d{1,9})"
_DEVICE = _WORKER + r"/device:[A-Z][A-Z0-9_]*:\d{1,9}"
_KEY = re.compile(rf"{_DEVICE};[0-9a-fA-F]{{1,16}};{_DEVICE};[^;]+;\d+:\d+")

_SLOTS, _GENERATIONS = 4096, 4095
LARGE_BYTES = 1 << 20


def key(source, destination, edge):
    """A key from the first CPU of one worker to that of another, outside of all frames."""
    return f"{source}/device:CPU:0;{0:016x};{destination}/device:CPU:0;{edge};0:0"


def workers_of(name):
    """The producing and the consuming worker of a key; None where it is malformed."""
    match = _KEY.fullmatch(name)
    return match.groups() if match else None


class Asked(enum.Enum):
    """The receiver's side of a request."""

    AWAITING_CHANNEL = enum.auto()
    AWAITING_REPLY = enum.auto()
    AWAITING_CONTENT = enum.auto()
    GIVEN_UP = enum.auto()
    ENDED = enum.auto()


class Served(enum.Enum):
    """The sender's side."""

    AWAITING_TENSOR = enum.auto()
    AWAITING_RE_REQUEST = enum.auto()
    WRITING = enum.auto()
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

    def over(self):
        return self.tensor is not None or self.failure is not None


@dataclasses.dataclass(eq=False)
class Request:
    """One request that the peer made."""

    channel: object
    message: Message
    state: Served = Served.AWAITING_TENSOR
    tensor: object = None
    memory: object = None
    arrived: bool = False  # the peer has acknowledged the content


class Rendezvous:
    """All sends and receives of this worker. Not thread-safe: the exchange's lock.

    `event(channel, kind)` is called as requests go on; README.md says what kinds there are.
    """

    def __init__(self, device, name, validate, log, event):
        self.device, self.name, self.validate, self.log, self.event = device, name, validate, log, event
        self.remembered = {}  # key -> Metadata of the last time
        self.unasked = []  # receives that wait for their first channel
        self.asked = {}  # (peer, index) -> Receive, oldest first; also those that wait for another channel
        self.served = {}  # (channel, index) -> Request
        self.kept = collections.defaultdict(Kept)  # peer -> what is kept for its replays
        self.names = collections.defaultdict(Names)  # channel -> numbers of keys
        self.incarnations = {}  # peer -> that of the last channel
        self.tensors = collections.defaultdict(collections.deque)  # (step, key) -> Tensor
        self.requests = collections.defaultdict(collections.deque)  # (step, key) -> Request
        self.aborted = {}  # step -> (code, text)
        self.confirmed_give_ups = 0
        self._indices = itertools.count()

    # ------------------------------------------------------------ receiver's side

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
        receive.failure = (CANCELLED, "given up")
        if receive in self.unasked:
            self.unasked.remove(receive)
            receive.state = Asked.ENDED
        elif receive.state == Asked.AWAITING_CHANNEL:
            self._end(receive)
        else:
            receive.state = Asked.GIVEN_UP
            receive.channel.send(Message(Type.ERROR_STATUS, receive.step, receive.index, to_sender=True,
                                         status_code=CANCELLED, status_text="given up"))

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
        if receive.state == Asked.AWAITING_REPLY and (not receive.metadata or self.validate):
            raise Violation("content before the answer that was needed")
        if receive.state != Asked.GIVEN_UP:
            content = receive.memory.read(receive.metadata.tensor_bytes, 0) if receive.memory else b""
            if receive.checksum is not None and tensors.crc32c(content) != receive.checksum:
                receive.failure = (DATA_LOSS, "the checksum is another")
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

    def _meta_data_response(self, channel, m):
        receive = self._asked_on(channel, m.request_index)
        if not receive or receive.state == Asked.GIVEN_UP:
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
        self._allocate(receive, m.metadata)
        receive.state = Asked.AWAITING_CONTENT
        channel.send(Message(Type.TENSOR_RE_REQUEST, receive.step, receive.index, m.metadata, *self._place(receive)))
        self.event(channel, "asked-again")

    def _failed_by_sender(self, channel, m):
        receive = self._asked_on(channel, m.request_index)
        if not receive:
            return
        if receive.state == Asked.GIVEN_UP:
            self.confirmed_give_ups += 1
        else:
            receive.failure = (m.status_code if m.status_code <= 16 else 2, m.status_text)
        self._end(receive)

    # -------------------------------------------------------------- sender's side

    def send(self, step, name, tensor):
        """Puts a tensor under a key; the oldest request that waits for it gets it."""
        if self.requests[step, name]:
            self._match(self.requests[step, name].popleft(), tensor)
        else:
            self.tensors[step, name].append(tensor)

    def unserved(self):
        """Tensors that nobody has asked for, and requests that are not served to their end."""
        waiting = sum(len(kept.detached) for kept in self.kept.values())
        return sum(map(len, self.tensors.values())) + len(self.served) + waiting

    def abort(self, step, code, text):
        """Requests of the step, those that wait and those to come, fail with this status."""
        self.aborted[step] = (code, text)
        for request in [r for r in self.served.values() if r.message.step_id == step]:
            if request.state == Served.AWAITING_TENSOR:
                self.requests[step, request.message.name].remove(request)
                self._refuse(request, code, text)

    def _tensor_request(self, channel, m):
        if (channel, m.request_index) in self.served:
            raise Violation("a request index that is in use")
        tensor = refusal = None
        if m.replay:
            tensor, refusal = self.kept[channel.peer].replay(channel, m)
        else:
            self.kept[channel.peer].new_request(m)
        request = Request(channel, m)
        self.served[channel, m.request_index] = request
        self.event(channel, "requested")
        workers = workers_of(m.name)
        if not workers or workers != (self.name, channel.peer):
            self._refuse(request, INVALID_ARGUMENT, f"not a key from {self.name} to {channel.peer}: {m.name}")
        elif refusal:
            self._refuse(request, *refusal)
        elif tensor:
            self._match(request, tensor)
        elif m.step_id in self.aborted:
            self._refuse(request, *self.aborted[m.step_id])
        elif self.tensors[m.step_id, m.name]:
            self._match(request, self.tensors[m.step_id, m.name].popleft())
        else:
            self.requests[m.step_id, m.name].append(request)

    def _refuse(self, request, code, text):
        self._served(request)
        self.kept[request.channel.peer].ended(request.channel, request.message, code, text)
        request.channel.send(Message(Type.ERROR_STATUS, request.message.step_id, request.message.request_index,
                                     status_code=code, status_text=text))

    def _served(self, request):
        del self.served[request.channel, request.message.request_index]
        request.state = Served.ENDED
        if request.memory:
            request.memory.close()
            request.memory = None

    def _match(self, request, tensor):
        request.tensor = tensor
        m = request.message
        if m.metadata == tensor.metadata and not m.wants_checksum:
            self._write(request, m)
        else:
            request.state = Served.AWAITING_RE_REQUEST
            checksum = tensors.crc32c(tensor.content) if m.wants_checksum else None
            request.channel.send(Message(Type.META_DATA_RESPONSE, m.step_id, m.request_index, tensor.metadata,
                                         checksum=checksum))
            self.event(request.channel, "announced")

    def _write(self, request, m):
        request.state = Served.WRITING
        content = request.tensor.content
        if content:
            request.memory = self.device.register(len(content), READ_BY_DEVICE)
            request.memory.write(content, len(content), 0)
        request.channel.write_content(m.request_index, request.memory, len(content), m.remote_addr, m.rkey,
                                      lambda: self._written(request))
        self.event(request.channel, "writing-large" if len(content) > LARGE_BYTES else "writing")

    def _written(self, request):
        self._served(request)
        if not request.arrived:
            self.kept[request.channel.peer].ended(request.channel, request.message, UNAVAILABLE, "the content was lost")

    def arrived(self, channel, index):
        """The peer has acknowledged the content or the ERROR_STATUS that ended a request: it has seen it."""
        request = self.served.get((channel, index))
        if request:
            request.arrived = True  # the own device is late to say that the write has completed
        else:
            self.kept[channel.peer].arrived(index)

    def _re_request(self, channel, m):
        request = self.served.get((channel, m.request_index))
        if not request:
            return
        if request.state != Served.AWAITING_RE_REQUEST or m.metadata != request.tensor.metadata:
            raise Violation("TENSOR_RE_REQUEST that does not fit")
        self._write(request, m)

    def _given_up_by_receiver(self, channel, m):
        request = self.served.get((channel, m.request_index))
        if not request or request.state == Served.WRITING:
            return  # the content, or what ended the request, is the confirmation
        if request.state == Served.AWAITING_TENSOR:
            self.requests[request.message.step_id, request.message.name].remove(request)
        self._refuse(request, CANCELLED, "given up, as asked")

    # ----------------------------------------------------------------- channels

    def message(self, channel, m):
        """A control message has arrived."""
        self.log(f"<- {m}")
        if m.type == Type.HEARTBEAT:
            return
        if m.type == Type.RESUMED:
            self.kept[channel.peer].resumed(channel)
        elif m.type in (Type.TENSOR_REQUEST, Type.REPEATED_REQUEST):
            self._tensor_request(channel, self.names[channel].in_full(m))
        elif m.type == Type.TENSOR_RE_REQUEST:
            self._re_request(channel, m)
        elif m.type == Type.META_DATA_RESPONSE:
            self._meta_data_response(channel, m)
        elif m.to_sender:
            self._given_up_by_receiver(channel, m)
        else:
            self._failed_by_sender(channel, m)

    def opened(self, channel, incarnation):
        """There is a channel: requests that were asked on an earlier one to the same incarnation go on."""
        peer = channel.peer
        if self.incarnations.get(peer, incarnation) != incarnation:
            self.gone(peer, ABORTED, "the peer was restarted", unasked=False)
            self.kept[peer] = Kept()
        self.incarnations[peer] = incarnation
        for receive in self._detached(peer):
            self._ask(receive, channel, replay=True)
            self.event(channel, "replayed")
        channel.send(Message(Type.RESUMED))

    def lost(self, channel, code, text, for_good):
        """The channel is gone. Its requests wait for another one, unless the peer cannot come back."""
        self.names.pop(channel, None)
        for receive in [r for r in self.asked.values() if r.channel is channel]:
            if receive.state == Asked.GIVEN_UP:
                self._end(receive)
            else:
                receive.state, receive.channel, receive.checksum = Asked.AWAITING_CHANNEL, None, None
        for request in [r for (c, _), r in self.served.items() if c is channel]:
            if request.state == Served.AWAITING_TENSOR:
                self.requests[request.message.step_id, request.message.name].remove(request)
            else:
                self.kept[channel.peer].detach(request.message, request.tensor)
            self._served(request)
        if for_good:
            self.gone(channel.peer, code, text, unasked=code == UNAVAILABLE, refuse=code == INTERNAL)

    def gone(self, peer, code, text, unasked=True, refuse=False):
        """Nothing goes on: receives that wait for the peer fail (`unasked`: also new ones), kept tensors are dropped."""
        for receive in self._detached(peer):
            receive.failure = (code, text)
            self._end(receive)
        for receive in [r for r in self.unasked if unasked and workers_of(r.key)[0] == peer]:
            receive.failure = (code, text)
            self.unasked.remove(receive)
            receive.state = Asked.ENDED
        self.kept[peer].drop(code, text, refuse)
