"""Keys, and requests on both sides (docs/protocol.md, sections 1, 11 and 12)."""

import collections
import dataclasses
import enum
import itertools
import re

import tensors
from device import READ_BY_DEVICE, WRITABLE_BY_PEER
from messages import Message, Type, Violation

CANCELLED, INVALID_ARGUMENT, ABORTED, INTERNAL, DATA_LOSS = 1, 3, 10, 13, 15

_WORKER = r"(/job:[A-Za-z][A-Za-z0-9_.-]*/replica:\d{1,9}/task:\d{1,9})"
_DEVICE = _WORKER + r"/device:[A-Z][A-Z0-9_]*:\d{1,9}"
_KEY = re.compile(rf"{_DEVICE};[0-9a-fA-F]{{1,16}};{_DEVICE};[^;]+;\d+:\d+")

_SLOTS, _GENERATIONS = 4096, 4095


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


class Rendezvous:
    """All sends and receives of this worker. Not thread-safe: the exchange's lock."""

    def __init__(self, device, name, validate, log):
        self.device, self.name, self.validate, self.log = device, name, validate, log
        self.remembered = {}  # key -> Metadata of the last time
        self.unasked = []  # receives that wait for a channel
        self.asked = {}  # (channel, index) -> Receive
        self.served = {}  # (channel, index) -> Request
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
            channel = channel_to(workers_of(receive.key)[0])
            if channel:
                self.unasked.remove(receive)
                self._ask(receive, channel)

    def _ask(self, receive, channel):
        receive.channel = channel
        receive.index = self._new_index(channel)
        receive.state = Asked.AWAITING_REPLY
        self.asked[channel, receive.index] = receive
        known = self.remembered.get(receive.key)
        if known:
            receive.course = "warm"
            self._allocate(receive, known)
        channel.send(Message(Type.TENSOR_REQUEST, receive.step, receive.index, known, *self._place(receive),
                             wants_checksum=self.validate, name=receive.key))

    def _new_index(self, channel):
        while True:
            n = next(self._indices)
            index = n % _SLOTS | n // _SLOTS % _GENERATIONS << 20
            if (channel, index) not in self.asked:
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
        if receive.state == Asked.AWAITING_CHANNEL:
            self.unasked.remove(receive)
            receive.state = Asked.ENDED
        else:
            receive.state = Asked.GIVEN_UP
            receive.channel.send(Message(Type.ERROR_STATUS, receive.step, receive.index, to_sender=True,
                                         status_code=CANCELLED, status_text="given up"))

    def content(self, channel, index):
        """The content of a request has landed."""
        receive = self.asked.get((channel, index))
        if not receive:
            return  # it crossed the end of the request
        if receive.state == Asked.AWAITING_REPLY and (not receive.metadata or self.validate):
            raise Violation("content before the answer that was needed")
        if receive.state != Asked.GIVEN_UP:
            content = receive.memory.read(receive.metadata.tensor_bytes, 0) if receive.memory else b""
            if receive.checksum is not None and tensors.crc32c(content) != receive.checksum:
                receive.failure = (DATA_LOSS, "the checksum is another")
            else:
                receive.tensor = tensors.Tensor(receive.metadata, content)
        self._end(receive)

    def _end(self, receive):
        del self.asked[receive.channel, receive.index]
        receive.state = Asked.ENDED
        self._free(receive)

    def _meta_data_response(self, channel, m):
        receive = self.asked.get((channel, m.request_index))
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

    def _failed_by_sender(self, channel, m):
        receive = self.asked.get((channel, m.request_index))
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
        return sum(map(len, self.tensors.values())) + len(self.served)

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
        request = Request(channel, m)
        self.served[channel, m.request_index] = request
        workers = workers_of(m.name)
        if not workers or workers != (self.name, channel.peer):
            self._refuse(request, INVALID_ARGUMENT, f"not a key from {self.name} to {channel.peer}: {m.name}")
        elif m.step_id in self.aborted:
            self._refuse(request, *self.aborted[m.step_id])
        elif self.tensors[m.step_id, m.name]:
            self._match(request, self.tensors[m.step_id, m.name].popleft())
        else:
            self.requests[m.step_id, m.name].append(request)

    def _refuse(self, request, code, text):
        self._served(request)
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

    def _write(self, request, m):
        request.state = Served.WRITING
        content = request.tensor.content
        if content:
            request.memory = self.device.register(len(content), READ_BY_DEVICE)
            request.memory.write(content, len(content), 0)
        request.channel.write_content(m.request_index, request.memory, len(content), m.remote_addr, m.rkey,
                                      lambda: self._served(request))

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
        if m.type == Type.TENSOR_REQUEST:
            self._tensor_request(channel, m)
        elif m.type == Type.TENSOR_RE_REQUEST:
            self._re_request(channel, m)
        elif m.type == Type.META_DATA_RESPONSE:
            self._meta_data_response(channel, m)
        elif m.to_sender:
            self._given_up_by_receiver(channel, m)
        else:
            self._failed_by_sender(channel, m)

    def lost(self, channel, code, text):
        """The channel and all its requests are gone; nothing is repeated on another."""
        for receive in [r for (c, _), r in self.asked.items() if c is channel]:
            if receive.state != Asked.GIVEN_UP:
                receive.failure = (code, text)
            self._end(receive)
        for request in [r for (c, _), r in self.served.items() if c is channel]:
            if request.state == Served.AWAITING_TENSOR:
                self.requests[request.message.step_id, request.message.name].remove(request)
            self._served(request)
