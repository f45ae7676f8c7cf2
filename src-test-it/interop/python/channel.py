"""One end of a channel: queue pairs, the message ring, immediates (docs/protocol.md, sections 2 and 4 to 8)."""

import collections
import dataclasses
import itertools
import secrets
import time

from pyverbs import enums as e
from pyverbs.pyverbs_error import PyverbsError

import device as verbs
import messages
from credits import RESERVE, Credits
from messages import Message, Type, Violation

MESSAGE, ACKNOWLEDGEMENT, FIRST_RESERVED = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFF00000
CONTROL = 0
SEND_DEPTH = 256
KEEPALIVE_SECONDS, PEER_TIMEOUT_SECONDS = 1, 10
DRAIN_SECONDS = 2  # how long a device may take to give back what was posted
_FIRST_SEND_ID = 1000  # of a work request; the ids below are receives, and say which queue pair's


class ChannelLost(Exception):
    """The channel is of no use any more; `code` is the status of section 13."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@dataclasses.dataclass(frozen=True)
class Limits:
    """What an end states of itself (section 4)."""

    lanes: int
    ring_slots: int
    slot_bytes: int
    receive_depth: int
    mtu: int
    max_message_bytes: int
    stripe_bytes: int

    def agreed_with(self, theirs):
        """The smaller of each, and the larger number of bytes from which on a content goes over all lanes."""
        both = zip(dataclasses.astuple(self), dataclasses.astuple(theirs))
        smaller = Limits(*(min(pair) for pair in both))
        return dataclasses.replace(smaller, stripe_bytes=max(self.stripe_bytes, theirs.stripe_bytes))


@dataclasses.dataclass
class _Write:
    local: tuple | None  # (address, length, lkey)
    remote_addr: int
    rkey: int
    immediate: int | None
    done: object = None  # called when the write has completed
    items: object = None  # request indexes that the handler is told when the peer has acknowledged the immediate


@dataclasses.dataclass
class _Part:
    """A message that waits for a slot."""

    data: bytes
    ended: list  # the index of the request that it ends, if it ends one
    done: object  # called when the write of its slot has completed; may be None


class Channel:
    """One end. `progress` and `close` call the `handler`: message(channel, Message), content(channel, request index, lane) for
    each immediate and, when the peer has acknowledged a whole content or a message that ended a request, arrived(channel, request index).

    `peer` is the other worker's name. Not thread-safe: the caller's lock. Made with its queue pairs in INIT; `connect` does the rest.
    """

    def __init__(self, device, limits, handler, peer, connection_id=0):
        self.device = device
        self.peer = peer
        self.limits = limits
        self.handler = handler
        self.dialled = not connection_id
        self.connection_id = connection_id or secrets.randbits(64) or 1
        self.may_write = False
        self.open = False
        self.heard = False  # whether anything of the peer has arrived
        self.resumed = False  # whether the peer has sent RESUMED
        self.fail_soon = False
        pairs = 1 + limits.lanes
        depths = [limits.ring_slots + RESERVE] + [limits.receive_depth] * limits.lanes
        self._cq = device.completion_queue(sum(depths) + pairs * SEND_DEPTH)
        self._pairs = [verbs.QueuePair(device, self._cq, SEND_DEPTH, depth) for depth in depths]
        self.addresses = [pair.address for pair in self._pairs]
        self.ring = device.register(limits.ring_slots * limits.slot_bytes, verbs.WRITABLE_BY_PEER)
        self._ids = itertools.count(_FIRST_SEND_ID)
        self._posted = {}  # id of a work request -> (queue pair's number, done)
        self._in_send_queue = [0] * pairs
        self._waiting = [collections.deque() for _ in range(pairs)]
        self._slots_received = self._slots_sent = self._slots_completed = 0
        self._receives_posted = 0
        self._parts_not_acknowledged = {}  # request index -> lanes of its content that the peer has not acknowledged

    # ---------------------------------------------------------------- set-up

    def connect(self, theirs, ring_address, ring_rkey, addresses):
        """Negotiates with the peer's Limits and connects to its queue pairs; all receives are posted then."""
        mine = self.limits
        self.agreed = agreed = mine.agreed_with(theirs)
        self._peer_ring, self._peer_rkey = ring_address, ring_rkey
        self.longest_message = min(agreed.slot_bytes, agreed.max_message_bytes) & ~7
        while len(self._pairs) > 1 + agreed.lanes:
            self._pairs.pop().close()
        self._staging = self.device.register(agreed.ring_slots * agreed.slot_bytes, verbs.READ_BY_DEVICE)
        self._credits = [Credits(agreed.ring_slots + RESERVE, agreed.ring_slots // 4)]
        self._credits += [Credits(agreed.receive_depth, agreed.receive_depth // 4) for _ in range(agreed.lanes)]
        for number, (pair, address) in enumerate(zip(self._pairs, addresses)):
            pair.connect(address, agreed.mtu)
            for _ in range(self._credits[number].depth):
                self._post_receive(number)
        self.open = True
        self.may_write = self.dialled
        self._last_sent = self._last_heard = self._last_progress = time.monotonic()

    # ----------------------------------------------------------------- sending

    def send(self, message, done=None):
        """Queues a control message; `done()` when the write of its slot has completed. ValueError where a slot cannot hold it."""
        ended = [message.request_index] if message.ends_request() else []
        self._waiting[CONTROL].append(_Part(messages.encode(message, self.longest_message), ended, done))

    def has_room_for(self, message):
        """Whether a slot can hold a message."""
        return messages.length_of(message) <= self.longest_message

    def write_content(self, index, memory, length, remote_addr, rkey, done):
        """Queues the content of request `index`, in pieces if it is long; `done()` when the last has completed."""
        lanes = sorted(self.lanes_of(index, length))
        self._parts_not_acknowledged[index] = left = len(lanes)

        def part_done():
            nonlocal left
            left -= 1
            if not left:
                done()

        share = length // len(lanes)
        for n, lane in enumerate(lanes):
            self._write_part(lane, index, memory, n * share, length if n + 1 == len(lanes) else (n + 1) * share,
                             remote_addr, rkey, part_done)

    def lanes_of(self, index, length):
        """The lanes that the content of a request goes over."""
        lanes = self.agreed.lanes
        return set(range(1, 1 + lanes)) if length >= self.agreed.stripe_bytes else {1 + index % lanes}

    def _write_part(self, lane, index, memory, start, end, remote_addr, rkey, done):
        longest = self.agreed.max_message_bytes
        for at in range(start, end, longest) if end > start else [start]:
            size = min(longest, end - at)
            local = (memory.buf + at, size, memory.lkey) if size else None
            last = at + size == end
            self._waiting[lane].append(
                _Write(local, remote_addr + at if size else 0, rkey, index if last else None,
                       done if last else None, [index] if last else None))

    def _post(self, number, write):
        wr_id = next(self._ids)
        self._pairs[number].post_write(wr_id, write.local, write.remote_addr, write.rkey, write.immediate)
        self._posted[wr_id] = (number, write.done)
        self._in_send_queue[number] += 1
        if write.immediate is not None:
            self._last_sent = time.monotonic()

    def _post_receive(self, number):
        self._pairs[number].post_receive(number)
        self._receives_posted += 1

    def _post_what_may_go(self):
        if not self.may_write:
            return
        for number, (credits, waiting) in enumerate(zip(self._credits, self._waiting)):
            while credits.acknowledgement_due() and self._in_send_queue[number] < SEND_DEPTH:
                credits.acknowledgement_sent()
                self._post(number, _Write(None, 0, 0, ACKNOWLEDGEMENT))
            while waiting and self._in_send_queue[number] < SEND_DEPTH:
                if number == CONTROL:
                    if not (credits.may_send() and self._staging_is_free()):
                        break
                    self._post_slot(self._next_slot(waiting))
                else:
                    if waiting[0].immediate is not None:
                        if not credits.may_send():
                            break
                        credits.sent(waiting[0].items)
                    self._post(number, waiting.popleft())

    def _staging_is_free(self):
        return self._slots_sent - self._slots_completed < self.agreed.ring_slots

    def _next_slot(self, waiting):
        """Takes the next message; of every second slot as many as there is room for."""
        parts = [waiting.popleft()]
        if self._slots_sent % 2:
            size = len(parts[0].data)
            while waiting and size + len(waiting[0].data) <= self.longest_message:
                size += len(waiting[0].data)
                parts.append(waiting.popleft())
        return parts

    def _post_slot(self, parts):
        at = self._slots_sent % self.agreed.ring_slots * self.agreed.slot_bytes
        self._slots_sent += 1
        # Rule 2 leaves at most ring_slots slots without acknowledgement, so the peer's slot is free.
        self._credits[CONTROL].sent([index for part in parts for index in part.ended])
        data = messages.joined([part.data for part in parts])
        self._staging.write(data, len(data), at)
        local = (self._staging.buf + at, len(data), self._staging.lkey)
        self._post(CONTROL, _Write(local, self._peer_ring + at, self._peer_rkey, MESSAGE, lambda: self._slot_completed(parts)))

    def _slot_completed(self, parts):
        self._slots_completed += 1
        for part in parts:
            if part.done:
                part.done()

    # --------------------------------------------------------------- receiving

    def progress(self):
        """Takes what has completed, posts what may go; False if there was nothing. ChannelLost ends the channel."""
        try:
            now = time.monotonic()
            if now > self._last_progress + KEEPALIVE_SECONDS:
                self._last_heard = now  # this end stood still itself
            self._last_progress = now
            busy = self._drain()
            self._keep_alive()
            self._post_what_may_go()
            if self.fail_soon:
                self.fail_soon = False
                self._to_error()
            return busy
        except Violation as e:
            raise ChannelLost(13, f"protocol violation: {e}") from e
        except PyverbsError as e:
            raise ChannelLost(14, str(e)) from e

    def _drain(self, until_error=True):
        busy = False
        while True:
            n, completions = self._cq.poll(32)
            if not n:
                return busy
            busy = True
            error = None
            for wc in completions:  # all of them: what another queue pair has received counts, whatever became of this one
                if wc.wr_id < _FIRST_SEND_ID:
                    self._receives_posted -= 1
                if wc.status == e.IBV_WC_SUCCESS:
                    self._completed(wc)
                else:
                    self._posted.pop(wc.wr_id, None)
                    error = error or ChannelLost(14, f"completion with status {wc.status}")
            if error and until_error:
                raise error

    def _completed(self, wc):
        if wc.wr_id >= _FIRST_SEND_ID:
            number, done = self._posted.pop(wc.wr_id)
            self._in_send_queue[number] -= 1
            if done:
                done()
            return
        number = wc.wr_id
        if wc.opcode != e.IBV_WC_RECV_RDMA_WITH_IMM:
            raise Violation("a receive without immediate")
        if self.open:
            self._post_receive(number)
        self.heard = True
        self._last_heard = time.monotonic()
        self.may_write = True  # who writes has connected its queue pairs and posted its receives
        self._credits[number].received()
        immediate = verbs.immediate(wc)
        if immediate == ACKNOWLEDGEMENT:
            for index in itertools.chain.from_iterable(self._credits[number].acknowledged()):
                left = self._parts_not_acknowledged.pop(index, 1) - 1
                if left:
                    self._parts_not_acknowledged[index] = left
                else:
                    self.handler.arrived(self, index)
        elif number == CONTROL and immediate == MESSAGE:
            at = self._slots_received % self.agreed.ring_slots * self.agreed.slot_bytes
            self._slots_received += 1
            for message in messages.decode_slot(self.ring.read(self.agreed.slot_bytes, at)):
                self.handler.message(self, message)
        elif number != CONTROL and immediate < FIRST_RESERVED:
            self.handler.content(self, immediate, number)
        else:
            raise Violation(f"immediate {immediate:#x} on queue pair {number}")

    def _keep_alive(self):
        now = time.monotonic()
        if now > self._last_heard + PEER_TIMEOUT_SECONDS:
            raise ChannelLost(14, "the peer is silent")
        if self.may_write and now > self._last_sent + KEEPALIVE_SECONDS and not self._waiting[CONTROL]:
            self.send(Message(Type.HEARTBEAT))

    # --------------------------------------------------------------------- end

    def _to_error(self):
        for pair in self._pairs:
            pair.to_error()

    def close(self):
        """Stops the queue pairs, hands over what has completed by now, frees everything. No memory is written after."""
        if self.open:
            self.open = False
            self._to_error()
            self._drain_to_the_end()
        for pair in self._pairs:
            pair.close()
        self._cq.close()
        self.ring.close()
        if hasattr(self, "_staging"):
            self._staging.close()

    def _drain_to_the_end(self):
        """Until all that was posted came back. A content that the device is taking in while its queue pair stops is not missed."""
        deadline = time.monotonic() + DRAIN_SECONDS
        try:
            while (self._posted or self._receives_posted) and time.monotonic() < deadline:
                if not self._drain(until_error=False):
                    time.sleep(0)
        except (Violation, PyverbsError):
            pass  # it is lost already
