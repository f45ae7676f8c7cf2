"""Section 13 of docs/protocol.md, "Recovery", on the sender's side, without a device."""

import types
import unittest

from messages import Message, Type, Violation
from recovery import Kept


def channel():
    return types.SimpleNamespace(resumed=False)


def request(index, step=7, name="k", replay=False):
    return Message(Type.TENSOR_REQUEST, step, index, name=name, replay=replay)


class KeptTest(unittest.TestCase):
    def setUp(self):
        self.kept = Kept()
        self.first, self.second, self.third = channel(), channel(), channel()

    def replay(self, on, index, **others):
        return self.kept.replay(on, request(index, replay=True, **others))

    def test_a_tensor_goes_on_once(self):
        self.kept.detach(request(1), "tensor")
        self.assertEqual(self.replay(self.second, 1), ("tensor", None))
        self.assertEqual(self.replay(self.third, 1), (None, None))

    def test_what_is_not_replayed_is_dropped(self):
        self.kept.detach(request(1), "tensor")
        self.kept.resumed(self.second)
        self.assertEqual(self.replay(self.third, 1), (None, None))

    def test_an_end_that_the_peer_may_not_have_seen_comes_again(self):
        self.kept.ended(self.first, request(1), 9, "aborted")
        self.kept.ended(self.first, request(2), 9, "aborted")
        self.kept.arrived(2)
        self.assertEqual(self.replay(self.second, 1), (None, (9, "aborted")))
        self.assertEqual(self.replay(self.second, 2), (None, None))

    def test_resumed_ends_what_was_on_earlier_channels_only(self):
        self.kept.ended(self.first, request(1), 14, "lost")
        self.kept.ended(self.second, request(2), 14, "lost")
        self.kept.resumed(self.second)
        self.assertEqual(self.replay(self.third, 1), (None, None))
        self.assertEqual(self.replay(self.third, 2), (None, (14, "lost")))

    def test_all_replays_are_refused_after_tensors_were_dropped(self):
        self.kept.detach(request(1), "tensor")
        self.kept.drop(14, "no channel")
        self.assertEqual(self.replay(self.second, 1), (None, (14, "no channel")))
        self.assertEqual(self.replay(self.second, 2), (None, (14, "no channel")))
        self.kept.resumed(self.second)
        self.assertEqual(self.replay(self.third, 3), (None, None))

    def test_nothing_is_refused_where_nothing_was_dropped(self):
        self.kept.drop(14, "no channel")
        self.assertEqual(self.replay(self.second, 1), (None, None))
        self.kept.drop(13, "the peer broke the protocol", refuse=True)
        self.assertEqual(self.replay(self.second, 1), (None, (13, "the peer broke the protocol")))

    def test_what_is_no_replay_of_the_request_is_a_violation(self):
        self.kept.detach(request(1), "tensor")
        with self.assertRaises(Violation):
            self.kept.new_request(request(1))
        for other in ({"step": 8}, {"name": "l"}):
            self.kept.detach(request(1), "tensor")
            with self.assertRaises(Violation):
                self.replay(self.second, 1, **other)

    def test_nothing_of_going_on_comes_after_resumed(self):
        self.kept.resumed(self.second)
        with self.assertRaises(Violation):
            self.replay(self.second, 1)
        with self.assertRaises(Violation):
            self.kept.resumed(self.second)


if __name__ == "__main__":
    unittest.main()
