"""Sections 12 and 13 of docs/protocol.md, contents in messages as a sender gives them, without a device."""

import unittest
from unittest import mock

import codes
import messages
import tensors
from keys import key
from messages import Message, Type, Violation
from sender import Sender

SELF, PEER = "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"
KEY = key(SELF, PEER, "edge")
SMALL = tensors.numeric(4, (3,), b"\7\10\11")
ALL_CARRIED = 4096


class Channel:
    """What a sender needs of a channel. `sent` are the messages, `done` what is to be called when each was written."""

    peer = PEER

    def __init__(self):
        self.sent, self.done, self.written, self.resumed = [], [], [], False

    def send(self, message, done=None):
        self.sent.append(message)
        self.done.append(done)

    def has_room_for(self, message):
        return messages.length_of(message) <= 4096

    def write_content(self, index, memory, length, remote_addr, rkey, done):
        self.written.append(index)

    def types(self):
        return [m.type for m in self.sent]


class SenderTest(unittest.TestCase):
    def setUp(self):
        self.channel, self.next = Channel(), Channel()

    def start(self, carried_bytes, *tensors_to_send):
        self.sender = Sender(mock.Mock(), SELF, carried_bytes, lambda *_: None)
        for tensor in tensors_to_send:
            self.sender.send(7, KEY, tensor)

    def ask(self, expected=None, index=1, on=None, **others):
        """A request of the peer."""
        self.sender.tensor_request(on or self.channel, Message(
            Type.TENSOR_REQUEST, 7, index, expected.metadata if expected else None, name=KEY, **others))

    def ask_again(self, tensor):
        self.sender.re_request(self.channel, Message(Type.TENSOR_RE_REQUEST, 7, 1, tensor.metadata))

    def test_what_is_not_expected_goes_with_its_metadata_and_ends_the_request(self):
        self.start(ALL_CARRIED, SMALL)
        self.ask()
        answer = self.channel.sent[0]
        self.assertEqual((answer.type, answer.content, answer.checksum), (Type.META_DATA_RESPONSE, SMALL.content, None))
        self.assertTrue(answer.ends_request())
        self.assertEqual(self.sender.unserved(), 1, "the tensor is kept until it is written")
        self.channel.done[0]()
        self.assertEqual(self.sender.unserved(), 0)

    def test_what_is_expected_goes_alone(self):
        self.start(ALL_CARRIED, SMALL)
        self.ask(SMALL)
        self.assertEqual(self.channel.sent, [Message(Type.TENSOR_CONTENT, 7, 1, content=SMALL.content)])

    def test_with_a_checksum_it_goes_with_its_metadata(self):
        self.start(ALL_CARRIED, SMALL)
        self.ask(SMALL, wants_checksum=True)
        self.assertEqual(self.channel.types(), [Type.META_DATA_RESPONSE])
        self.assertEqual((self.channel.sent[0].content, self.channel.sent[0].checksum),
                         (SMALL.content, tensors.crc32c(SMALL.content)))

    def test_dead_and_empty_tensors_go_in_messages_unless_none_may(self):
        for tensor in (tensors.DEAD, tensors.numeric(1, (0, 3), b"")):
            for carried_bytes, sent, written in ((1, [Type.TENSOR_CONTENT], []), (0, [], [1])):
                self.start(carried_bytes, tensor)
                self.channel = Channel()
                self.ask(tensor)
                self.assertEqual((self.channel.types(), self.channel.written), (sent, written))

    def test_what_is_larger_than_the_threshold_is_written(self):
        self.start(2, SMALL, SMALL)
        self.ask(SMALL)
        self.assertEqual((self.channel.sent, self.channel.written), ([], [1]))
        self.ask(index=2)
        self.assertEqual((self.channel.types(), self.channel.sent[0].content), ([Type.META_DATA_RESPONSE], None))

    def test_what_has_room_in_a_slot_only_without_its_metadata_goes_when_it_is_asked_for_again(self):
        snug = tensors.numeric(4, (4064,), bytes(4064))
        self.start(ALL_CARRIED, snug)
        self.ask()
        self.assertIsNone(self.channel.sent[0].content)
        self.ask_again(snug)
        self.assertEqual(self.channel.types(), [Type.META_DATA_RESPONSE, Type.TENSOR_CONTENT])

    def test_a_request_that_was_answered_with_the_content_is_not_asked_again(self):
        self.start(ALL_CARRIED, SMALL)
        self.ask()
        with self.assertRaises(Violation):
            self.ask_again(SMALL)

    def test_a_give_up_is_confirmed_by_the_content_alone(self):
        self.start(ALL_CARRIED, SMALL)
        self.ask()
        self.sender.given_up_by_receiver(self.channel, Message(Type.ERROR_STATUS, 7, 1, to_sender=True, status_code=1))
        self.assertEqual(self.channel.types(), [Type.META_DATA_RESPONSE])

    def test_what_was_not_written_goes_on_at_the_replay(self):
        for expected in (None, SMALL):
            self.start(ALL_CARRIED, SMALL)
            self.ask(expected)
            self.sender.lost(self.channel)
            self.next = Channel()
            self.ask(expected, on=self.next, replay=True)
            self.assertEqual(self.next.sent, self.channel.sent[-1:])

    def test_what_was_written_and_not_acknowledged_is_refused_at_the_replay_and_takes_no_other_tensor(self):
        for expected in (None, SMALL):
            self.start(ALL_CARRIED, SMALL, SMALL)
            self.channel, self.next = Channel(), Channel()
            self.ask(expected)
            self.channel.done[0]()
            self.sender.lost(self.channel)
            self.ask(expected, on=self.next, replay=True)
            self.assertEqual([(m.type, m.status_code) for m in self.next.sent], [(Type.ERROR_STATUS, codes.UNAVAILABLE)])
            self.assertEqual(self.sender.unserved(), 1)

    def test_what_was_acknowledged_is_forgotten_whichever_the_sender_hears_first(self):
        self.start(ALL_CARRIED, SMALL, SMALL)
        self.ask(index=1)
        self.ask(index=2)
        self.channel.done[0]()
        self.sender.arrived(self.channel, 1)
        self.sender.arrived(self.channel, 2)
        self.channel.done[1]()
        self.sender.lost(self.channel)
        kept = self.sender.kept[PEER]
        for index in (1, 2):
            self.assertEqual(kept.replay(self.next, Message(Type.TENSOR_REQUEST, 7, index, name=KEY)), (None, None))


if __name__ == "__main__":
    unittest.main()
