"""Section 8 of docs/protocol.md, without a device: two ends that send all they may, in any order of arrival."""

import collections
import random
import unittest

from credits import RESERVE, Credits
from messages import Violation

ACKNOWLEDGEMENT = "acknowledgement"


class End:
    """One end of a queue pair that wants to send `left` items."""

    def __init__(self, depth, left):
        self.credits = Credits(depth, (depth - RESERVE) // 4)
        self.left = left
        self.wire = collections.deque()  # what it sent and the other has not received

    def send(self):
        """Posts one immediate if it may; whether it did."""
        if self.credits.acknowledgement_due():
            self.credits.acknowledgement_sent()
            self.wire.append(ACKNOWLEDGEMENT)
        elif self.left and self.credits.may_send():
            self.left -= 1
            self.credits.sent("item")
            self.wire.append("item")
        else:
            return False
        return True

    def receive(self, immediate):
        self.credits.received()
        if immediate == ACKNOWLEDGEMENT:
            self.credits.acknowledged()


class CreditsTest(unittest.TestCase):
    def test_two_ends_send_everything_and_never_more_than_there_are_receives(self):
        for seed in range(200):
            chance = random.Random(seed)
            depth = chance.choice([24, 40, 264])
            ends = [End(depth, chance.choice([0, 1000])), End(depth, 1000)]
            while ends[0].left or ends[1].left or ends[0].wire or ends[1].wire:
                n = chance.randrange(2)
                steps = [ends[n].send, lambda: bool(ends[n].wire) and not ends[1 - n].receive(ends[n].wire.popleft())]
                chance.shuffle(steps)
                if not any(step() for step in steps) and not ends[n].wire:
                    other = ends[1 - n]
                    self.assertTrue(other.wire or other.send(), f"seed {seed}: both ends wait for ever")
                self.assertLessEqual(ends[n].credits.outstanding, depth)

    def test_an_acknowledgement_of_what_was_not_sent_is_a_violation(self):
        credits = Credits(24, 4)
        for item in "abc":
            credits.sent(item)
        with self.assertRaises(Violation):
            credits.acknowledged()
        credits.sent("d")
        self.assertEqual(credits.acknowledged(), ["a", "b", "c", "d"])

    def test_more_immediates_than_receives_are_a_violation(self):
        credits = Credits(24, 4)
        for _ in range(24):
            credits.received()
        with self.assertRaises(Violation):
            credits.received()


if __name__ == "__main__":
    unittest.main()
