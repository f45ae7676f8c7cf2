"""The sender's side of requests (docs/protocol.md, sections 11 to 13)."""

import collections
import dataclasses
import enum

import codes
import tensors
from device import READ_BY_DEVICE
from keys import workers_of
from messages import Message, Type, Violation
from recovery import Kept

LARGE_BYTES = 1 << 20


class Served(enum.Enum):
    """Where a request of the peer is."""

    AWAITING_TENSOR = enum.auto()
    AWAITING_RE_REQUEST = enum.auto()
    WRITING = enum.auto()
    ENDED = enum.auto()


@dataclasses.dataclass(eq=False)
class Request:
    """One request that the peer made."""

    channel: object
    message: Message
    state: Served = Served.AWAITING_TENSOR
    tensor: object = None
    memory: object = None
    arrived: bool = False  # the peer has acknowledged the content


class Sender:
    """All sends of this worker, and the requests of its peers. Not thread-safe: the exchange's lock.

    Contents of up to `carried_bytes` go in messages where a slot has room for them; 0 is for none. `event(channel, kind)` is
    called as requests go on.
    """

    def __init__(self, device, name, carried_bytes, event):
        self.device, self.name, self.carried_bytes, self.event = device, name, carried_bytes, event
        self.served = {}  # (channel, index) -> Request
        self.kept = collections.defaultdict(Kept)  # peer -> what is kept for its replays
        self.tensors = collections.defaultdict(collections.deque)  # (step, key) -> Tensor
        self.requests = collections.defaultdict(collections.deque)  # (step, key) -> Request
        self.aborted = {}  # step -> (code, text)

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

    # ------------------------------------------------------------- what arrives

    def tensor_request(self, channel, m):
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
            text = f"not a key from {self.name} to {channel.peer}: {m.name}"
            self._refuse(request, codes.INVALID_ARGUMENT, text)
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

    def re_request(self, channel, m):
        request = self.served.get((channel, m.request_index))
        if not request:
            return
        if request.state != Served.AWAITING_RE_REQUEST or m.metadata != request.tensor.metadata:
            raise Violation("TENSOR_RE_REQUEST that does not fit")
        self._write(request, m)

    def given_up_by_receiver(self, channel, m):
        request = self.served.get((channel, m.request_index))
        if not request or request.state == Served.WRITING:
            return  # the content, or what ended the request, is the confirmation
        if request.state == Served.AWAITING_TENSOR:
            self.requests[request.message.step_id, request.message.name].remove(request)
        self._refuse(request, codes.CANCELLED, "given up, as asked")

    def arrived(self, channel, index):
        """The peer has acknowledged the content, or the message, that ended a request: it has seen it."""
        request = self.served.get((channel, index))
        if request:
            request.arrived = True  # the own device is late to say that the write has completed
        else:
            self.kept[channel.peer].arrived(index)

    # ----------------------------------------------------------------- answers

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
            return
        checksum = tensors.crc32c(tensor.content) if m.wants_checksum else None
        answer = Message(Type.META_DATA_RESPONSE, m.step_id, m.request_index, tensor.metadata, checksum=checksum)
        if not self._carried(request, answer, "carrying-announced"):
            request.state = Served.AWAITING_RE_REQUEST
            request.channel.send(answer)
            self.event(request.channel, "announced")

    def _carried(self, request, message, kind):
        """Whether the content goes in this message, which is sent then: where it is small, and a slot has room for both."""
        content = request.tensor.content
        message = dataclasses.replace(message, content=content)
        if not self.carried_bytes or len(content) > self.carried_bytes or not request.channel.has_room_for(message):
            return False
        request.state = Served.WRITING
        request.channel.send(message, lambda: self._written(request))
        self.event(request.channel, kind)
        return True

    def _write(self, request, m):
        if self._carried(request, Message(Type.TENSOR_CONTENT, m.step_id, m.request_index), "carrying"):
            return
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
            self.kept[request.channel.peer].ended(request.channel, request.message, codes.UNAVAILABLE,
                                                  "the content was lost")

    # ----------------------------------------------------------------- channels

    def lost(self, channel):
        """The channel is gone: tensors that were taken for its requests wait for their replays."""
        for request in [r for (c, _), r in self.served.items() if c is channel]:
            if request.state == Served.AWAITING_TENSOR:
                self.requests[request.message.step_id, request.message.name].remove(request)
            else:
                self.kept[channel.peer].detach(request.message, request.tensor)
            self._served(request)
