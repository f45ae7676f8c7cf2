"""Sections 6 and 8 of docs/protocol.md, what one slot of the ring brings, on a device that does nothing by itself."""

import collections
import dataclasses
import types
import unittest
from unittest import mock

from pyverbs import enums as e

import channel
import messages
import tensors
from messages import Message, Type

SLOTS = 16
LIMITS = channel.Limits(1, SLOTS, 4096, 32, 1024, 1 << 20, 1 << 20)
SMALL = tensors.numeric(4, (3,), b"\7\10\11")


class Memory:
    """Registered memory of its own."""

    buf, rkey, lkey = 1 << 20, 1, 1

    def __init__(self, size, _):
        self.data = bytearray(size)

    def write(self, data, size, at):
        self.data[at:at + size] = data

    def read(self, size, at):
        return bytes(self.data[at:at + size])

    def close(self):
        pass


class Device:
    """Posts nothing. `completions` are what the queue has next; `writes` of the control queue pair: (id, immediate)."""

    def __init__(self):
        self.completions, self.writes = collections.deque(), []

    def register(self, size, access):
        return Memory(size, access)

    def completion_queue(self, _):
        return self

    def poll(self, most):
        taken = [self.completions.popleft() for _ in range(min(most, len(self.completions)))]
        return len(taken), taken

    def pair(self, *_):
        """A queue pair; the first is the control queue pair."""
        return mock.Mock(post_write=lambda wr_id, local, address, rkey, immediate: self.writes.append((wr_id, immediate)))

    def completed(self, wr_id):
        self.completions.append(types.SimpleNamespace(wr_id=wr_id, status=e.IBV_WC_SUCCESS))

    def arrives(self, immediate):
        self.completions.append(types.SimpleNamespace(wr_id=channel.CONTROL, status=e.IBV_WC_SUCCESS,
                                                      opcode=e.IBV_WC_RECV_RDMA_WITH_IMM, immediate=immediate))


class ChannelTest(unittest.TestCase):
    def setUp(self):
        self.device, self.handler, self.done = Device(), mock.Mock(), []
        for patch in (mock.patch("device.QueuePair", self.device.pair), mock.patch("device.immediate", lambda wc: wc.immediate)):
            patch.start()
            self.addCleanup(patch.stop)
        self.channel = channel.Channel(self.device, LIMITS, self.handler, "peer")
        self.channel.connect(LIMITS, 1 << 20, 1, [None, None])

    def send(self, *indexes):
        for index in indexes:
            content = Message(Type.TENSOR_CONTENT, 7, index, content=SMALL.content)
            self.channel.send(content, lambda i=index: self.done.append(i))
        self.channel.progress()

    def slots(self):
        return [wr_id for wr_id, immediate in self.device.writes if immediate == channel.MESSAGE]

    def arrived(self):
        return [call.args[1] for call in self.handler.arrived.call_args_list]

    def test_contents_are_done_when_the_write_of_their_slot_has_completed(self):
        self.send(1, 2, 3)
        self.assertEqual(len(self.slots()), 2, "every second slot takes several")
        self.assertEqual(self.done, [])
        self.device.completed(self.slots()[0])
        self.channel.progress()
        self.assertEqual(self.done, [1])
        self.device.completed(self.slots()[1])
        self.channel.progress()
        self.assertEqual(self.done, [1, 2, 3])
        self.assertEqual(self.arrived(), [], "a completion is no acknowledgement")

    def test_an_acknowledgement_counts_slots_and_not_messages(self):
        self.send(*range(1, 7))  # 1 and the rest in two slots
        self.send(7)
        self.send(*range(8, 11))
        self.send(11)
        self.assertEqual(len(self.slots()), SLOTS // 4 + 1)
        self.device.arrives(channel.ACKNOWLEDGEMENT)
        self.channel.progress()
        self.assertEqual(self.arrived(), list(range(1, 11)))

    def test_only_what_ends_a_request_is_told_when_it_is_acknowledged(self):
        self.channel.send(Message(Type.META_DATA_RESPONSE, 7, 1, SMALL.metadata))
        self.channel.send(Message(Type.META_DATA_RESPONSE, 7, 2, SMALL.metadata, content=SMALL.content))
        self.channel.send(Message(Type.ERROR_STATUS, 7, 3, to_sender=True, status_code=1))
        self.channel.send(Message(Type.ERROR_STATUS, 7, 4, status_code=1))
        self.send(5)
        for index in (6, 7):
            self.send(index)
        self.device.arrives(channel.ACKNOWLEDGEMENT)
        self.channel.progress()
        self.assertEqual(self.arrived(), [2, 4, 5, 6, 7])

    def test_a_message_has_room_in_a_slot_and_in_the_longest_write(self):
        for size, room in ((4072, True), (4073, False)):
            self.assertEqual(self.channel.has_room_for(Message(Type.TENSOR_CONTENT, content=bytes(size))), room)
        large = dataclasses.replace(LIMITS, slot_bytes=65536, max_message_bytes=5001)
        other = channel.Channel(self.device, large, self.handler, "peer")
        other.connect(large, 1 << 20, 1, [None, None])
        self.assertEqual(other.longest_message, 5000)

    def test_the_messages_of_a_slot_are_handed_on_in_their_order(self):
        sent = [Message(Type.TENSOR_CONTENT, 7, 1, content=b""), Message(Type.TENSOR_CONTENT, 7, 2, content=b"1234567"),
                Message(Type.META_DATA_RESPONSE, 7, 3, SMALL.metadata, content=SMALL.content), Message(Type.HEARTBEAT)]
        slot = messages.joined([messages.encode(m, 4096) for m in sent])
        self.channel.ring.write(slot, len(slot), 0)
        self.device.arrives(channel.MESSAGE)
        self.channel.progress()
        self.assertEqual([call.args[1] for call in self.handler.message.call_args_list], sent)


if __name__ == "__main__":
    unittest.main()
