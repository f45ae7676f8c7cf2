"""Section 12 of docs/protocol.md, contents in messages as a receiver takes them, without a device."""

import collections
import unittest
from unittest import mock

import codes
import tensors
from keys import key
from messages import Message, Type, Violation
from names import Names
from receiver import Asked, Receiver

PEER = "/job:worker/replica:0/task:0"
KEY = key(PEER, "/job:worker/replica:0/task:1", "edge")
THREE = tensors.numeric(4, (3,), b"\7\10\11")
OTHER = tensors.numeric(4, (5,), b"12345")


class Channel:
    """What a receiver needs of a channel; `sent` are the messages."""

    peer = PEER

    def __init__(self):
        self.sent = []

    def send(self, message):
        self.sent.append(message)

    def lanes_of(self, index, length):
        return {1, 2}


class ReceiverTest(unittest.TestCase):
    def setUp(self):
        self.start()

    def start(self, validate=False):
        self.device = mock.Mock()
        self.device.register.side_effect = lambda size, access: mock.Mock(buf=4096, rkey=7, size=size)
        self.events = collections.Counter()
        self.receiver = Receiver(self.device, validate, collections.defaultdict(Names), lambda _: None, self.count)
        self.channel = Channel()

    def count(self, channel, kind):
        self.events[kind] += 1

    def ask(self, remembered=None):
        """A receive of step 7 that was asked for."""
        if remembered:
            self.receiver.remembered[KEY] = remembered.metadata
        receive = self.receiver.receive(7, KEY)
        self.receiver.ask(lambda _: self.channel)
        return receive

    def answer(self, receive, tensor, content=None, checksum=None):
        self.receiver.meta_data_response(self.channel, Message(
            Type.META_DATA_RESPONSE, 7, receive.index, tensor.metadata, content=content, checksum=checksum))

    def bring(self, receive, content, step=7):
        message = Message(Type.TENSOR_CONTENT, step, receive.index, content=content)
        self.receiver.tensor_content(self.channel, message)

    def test_an_answer_with_its_content_ends_a_request_that_knew_nothing(self):
        receive = self.ask()
        self.answer(receive, THREE, THREE.content)
        self.assertEqual((receive.tensor, receive.state, receive.way), (THREE, Asked.ENDED, "announced"))
        self.assertEqual([m.type for m in self.channel.sent], [Type.TENSOR_REQUEST], "asked again")
        self.assertEqual(self.events["landed-announced"], 1)
        self.device.register.assert_not_called()
        self.assertEqual(self.ask().course, "warm", "the metadata are remembered")

    def test_an_answer_with_its_content_frees_the_memory_that_was_named(self):
        receive = self.ask(remembered=OTHER)
        memory = receive.memory
        self.answer(receive, THREE, THREE.content)
        self.assertEqual((receive.tensor, receive.course), (THREE, "changed"))
        memory.close.assert_called_once()

    def test_dead_and_empty_tensors_come_in_messages(self):
        for tensor in (tensors.DEAD, tensors.numeric(1, (0, 3), b"")):
            self.start()
            receive = self.ask()
            self.answer(receive, tensor, b"")
            self.assertEqual(receive.tensor, tensor)
            receive = self.ask()
            self.bring(receive, b"")
            self.assertEqual(receive.tensor, tensor)

    def test_an_expected_content_comes_in_a_message(self):
        receive = self.ask(remembered=THREE)
        self.bring(receive, THREE.content)
        self.assertEqual((receive.tensor, receive.state, receive.way), (THREE, Asked.ENDED, "carried"))
        self.assertEqual(self.events["landed-carried"], 1)

    def test_a_content_that_was_asked_for_again_comes_in_a_message(self):
        receive = self.ask()
        self.answer(receive, THREE)
        self.assertEqual(self.channel.sent[-1].type, Type.TENSOR_RE_REQUEST)
        self.bring(receive, THREE.content)
        self.assertEqual(receive.tensor, THREE)

    def test_a_content_of_another_size_is_a_violation_also_after_a_give_up(self):
        for content in (b"", b"12", b"1234"):
            for given_up in (False, True):
                self.start()
                receive = self.ask(remembered=THREE)
                if given_up:
                    self.receiver.give_up(receive)
                with self.assertRaises(Violation, msg=f"{content}, {given_up}"):
                    self.bring(receive, content)

    def test_a_content_that_nothing_was_said_of_is_a_violation(self):
        for given_up in (False, True):
            self.start()
            receive = self.ask()
            if given_up:
                self.receiver.give_up(receive)
            with self.assertRaises(Violation):
                self.bring(receive, b"")

    def test_a_content_of_another_step_or_after_a_part_of_it_is_a_violation(self):
        receive = self.ask(remembered=THREE)
        with self.assertRaises(Violation):
            self.bring(receive, THREE.content, step=8)
        self.receiver.content(self.channel, receive.index, 2)
        with self.assertRaises(Violation):
            self.bring(receive, THREE.content)

    def test_a_second_answer_is_a_violation_with_a_content_too(self):
        receive = self.ask()
        self.answer(receive, THREE)
        with self.assertRaises(Violation):
            self.answer(receive, THREE, THREE.content)

    def test_both_forms_confirm_a_give_up(self):
        receive = self.ask()
        self.receiver.give_up(receive)
        self.answer(receive, THREE)
        self.assertEqual(receive.state, Asked.GIVEN_UP, "metadata alone confirm nothing")
        self.answer(receive, THREE, THREE.content)
        self.assertEqual((receive.state, receive.tensor), (Asked.ENDED, None))
        receive = self.ask(remembered=THREE)
        self.receiver.give_up(receive)
        self.bring(receive, THREE.content)
        self.assertEqual((receive.state, receive.tensor, receive.failure[0]), (Asked.ENDED, None, codes.CANCELLED))

    def test_what_crosses_the_end_of_a_request_is_dropped(self):
        receive = self.ask(remembered=THREE)
        self.bring(receive, THREE.content)
        self.bring(receive, b"more than there was")
        self.answer(receive, THREE, THREE.content)
        self.assertEqual(self.events["landed-carried"], 1)

    def test_the_checksum_of_a_content_is_verified(self):
        self.start(validate=True)
        receive = self.ask()
        self.answer(receive, THREE, THREE.content, tensors.crc32c(THREE.content))
        self.assertEqual(receive.tensor, THREE)
        receive = self.ask()
        self.answer(receive, THREE, THREE.content, 1)
        self.assertEqual((receive.tensor, receive.failure[0]), (None, codes.DATA_LOSS))

    def test_a_content_without_the_checksum_that_was_asked_for_is_a_violation(self):
        self.start(validate=True)
        receive = self.ask(remembered=THREE)
        with self.assertRaises(Violation):
            self.answer(receive, THREE, THREE.content)
        with self.assertRaises(Violation):
            self.bring(receive, THREE.content)


if __name__ == "__main__":
    unittest.main()
