"""The bytes of docs/protocol.md, section 9, examples, and of section 16: `python3 -m unittest` in this folder."""

import dataclasses
import pathlib
import re
import unittest

import messages
import tensors
from messages import Message, Type

STEP, INDEX = 0x1122334455667788, 2 << 20 | 5
MATRIX = tensors.Metadata(1, (2, 3), False, 24)
THREE = tensors.numeric(4, (3,), bytes((7, 8, 9)))
WHERE = {"remote_addr": 0x7F0011223344, "rkey": 0xCAFE0001}

EXAMPLES = [
    Message(Type.TENSOR_REQUEST, STEP, INDEX, MATRIX, wants_checksum=True, name="a;1;b;é;0:0", **WHERE),
    Message(Type.TENSOR_REQUEST, STEP, INDEX, MATRIX, name="a;1;b;e;0:0", name_id=0x102, **WHERE),
    Message(Type.REPEATED_REQUEST, STEP, INDEX, name_id=0x102, **WHERE),
    Message(Type.TENSOR_REQUEST, STEP, INDEX, name="a;1;b;e;0:0"),
    Message(Type.META_DATA_RESPONSE, STEP, INDEX, MATRIX, checksum=0xE3069283),
    Message(Type.META_DATA_RESPONSE, STEP, INDEX, THREE.metadata, content=THREE.content),
    Message(Type.TENSOR_CONTENT, STEP, INDEX, content=THREE.content),
    Message(Type.META_DATA_RESPONSE, STEP, INDEX, tensors.DEAD.metadata),
    Message(Type.TENSOR_RE_REQUEST, STEP, INDEX, MATRIX, **WHERE),
    Message(Type.ERROR_STATUS, STEP, INDEX, to_sender=True, status_code=1, status_text="given up"),
    Message(Type.HEARTBEAT),
    Message(Type.RESUMED),
]


def examples_of_the_page():
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs/protocol.md").read_text(encoding="utf-8")
    section = page.split("### Examples")[1].split("\n## ")[0]
    return [bytes.fromhex(block) for block in re.findall(r"```\n([0-9a-f\s]+)```", section)]


class MessagesTest(unittest.TestCase):
    def test_the_examples_of_the_page_are_written_and_read(self):
        page = examples_of_the_page()
        self.assertEqual(len(page), len(EXAMPLES))
        for message, data in zip(EXAMPLES, page):
            self.assertEqual(messages.encode(message, 4096).hex(" "), data.hex(" "))
            self.assertEqual(messages.decode(data.ljust(4096, b"\xaa")), message)

    def test_each_bit_of_an_example_that_is_not_data_is_checked(self):
        # Magic, version, length, flags that the type does not have, the status, the padding.
        for at in (0, 1, 2, 4, 7, 55, 56, 60, 95):
            data = bytearray(examples_of_the_page()[0])
            data[at] ^= 0x80
            with self.assertRaises(messages.Violation, msg=f"byte {at}"):
                messages.decode(bytes(data).ljust(4096, b"\0"))

    def test_a_message_of_no_request_has_nothing_after_its_length(self):
        for example in examples_of_the_page()[-2:]:
            for at in range(8, 64):
                data = bytearray(example)
                data[at] ^= 1
                with self.assertRaises(messages.Violation, msg=f"byte {at}"):
                    messages.decode(bytes(data).ljust(4096, b"\0"))

    def test_only_a_request_can_be_a_replay(self):
        for example, message in zip(examples_of_the_page(), EXAMPLES):
            if message.type in (Type.REPEATED_REQUEST, Type.TENSOR_CONTENT):
                continue  # they have no flags
            data = bytearray(example)
            data[52] |= 0x20
            data = bytes(data).ljust(4096, b"\0")
            if message.type == Type.TENSOR_REQUEST:
                self.assertTrue(messages.decode(data).replay)
                self.assertEqual(messages.encode(messages.decode(data), 4096), data[:len(example)])
            else:
                with self.assertRaises(messages.Violation, msg=str(message)):
                    messages.decode(data)

    def test_a_number_of_a_key_is_in_range_and_in_a_short_request(self):
        for index in (1, 2):
            at = 44 if EXAMPLES[index].type == Type.TENSOR_REQUEST else 32
            for name_id in (65537, 2**32 - 1):
                data = bytearray(examples_of_the_page()[index])
                data[at:at + 4] = name_id.to_bytes(4, "little")
                with self.assertRaises(messages.Violation):
                    messages.decode(bytes(data).ljust(4096, b"\0"))
        longest = Message(Type.TENSOR_REQUEST, 1, 2, name="k" * 512, name_id=7)
        self.assertEqual(messages.decode(messages.encode(longest, 4096).ljust(4096, b"\0")), longest)
        longer = messages.encode(dataclasses.replace(longest, name="k" * 513), 4096).ljust(4096, b"\0")
        with self.assertRaises(messages.Violation):
            messages.decode(longer)

    def test_a_content_is_as_long_as_its_message_says_and_padded_with_zeros(self):
        with_metadata, alone = (messages.encode(EXAMPLES[n], 4096) for n in (5, 6))
        # Version, length, bytes of the content, flags, rank, a name, a status, a dimension, padding.
        for data, places in ((with_metadata, (2, 4, 32, 39, 52, 53, 54, 60, 64, 75, 79)), (alone, (0, 2, 4, 20, 23, 27, 31))):
            for at in places:
                bad = bytearray(data)
                bad[at] ^= 0x40 if at == 52 else 0x08
                with self.assertRaises(messages.Violation, msg=f"byte {at} of {len(data)}"):
                    messages.decode(bytes(bad).ljust(4096, b"\0"))
            with self.assertRaises(messages.Violation, msg="the end of the slot"):
                messages.decode(data[:-8])

    def test_only_metadata_of_a_response_come_with_a_content(self):
        for example, message in zip(examples_of_the_page(), EXAMPLES):
            if message.type in (Type.REPEATED_REQUEST, Type.TENSOR_CONTENT, Type.META_DATA_RESPONSE):
                continue
            data = bytearray(example)
            data[52] |= 0x40
            # So much longer that nothing but the flag is wrong.
            size = message.metadata.tensor_bytes if message.metadata else 0
            data[4:8] = (len(data) + size).to_bytes(4, "little")
            with self.assertRaisesRegex(messages.Violation, "flags", msg=str(message)):
                messages.decode(bytes(data).ljust(4096, b"\0"))

    def test_a_content_may_be_of_no_bytes_and_of_all_that_a_slot_holds(self):
        whole = bytes(range(254)) * 16
        for message in (Message(Type.TENSOR_CONTENT, 1, 2, content=b""),
                        Message(Type.TENSOR_CONTENT, 1, 2, content=whole + bytes(8)),
                        Message(Type.META_DATA_RESPONSE, 1, 2, tensors.DEAD.metadata, content=b""),
                        Message(Type.META_DATA_RESPONSE, 1, 2, tensors.Metadata(1, (0, 3), False, 0), checksum=0, content=b""),
                        Message(Type.META_DATA_RESPONSE, 1, 2, tensors.Metadata(4, (4024,), False, 4024), content=whole[:4024])):
            data = messages.encode(message, 4096)
            self.assertEqual(len(data), messages.length_of(message))
            self.assertEqual(messages.decode(data), message)
        for message in (Message(Type.TENSOR_CONTENT, 1, 2, content=whole + bytes(9)),
                        Message(Type.META_DATA_RESPONSE, 1, 2, tensors.Metadata(4, (4025,), False, 4025), content=whole[:4025])):
            self.assertGreater(messages.length_of(message), 4096)
            with self.assertRaises(ValueError):
                messages.encode(message, 4096)

    def test_a_short_message_may_end_a_slot(self):
        first = messages.encode(Message(Type.TENSOR_CONTENT, 1, 2, content=bytes(4048)), 4096)
        last = Message(Type.TENSOR_CONTENT, 1, 3, content=b"")
        slot = messages.joined([first, messages.encode(last, 4096)])
        self.assertEqual(len(slot), 4096)
        self.assertEqual(messages.decode_slot(slot)[1], last)
        for longer in (EXAMPLES[2], EXAMPLES[-1]):
            with self.assertRaises(messages.Violation):
                messages.decode_slot(messages.joined([first, messages.encode(longer, 4096)[:24]]))

    def test_several_messages_come_in_one_slot(self):
        parts = [messages.encode(message, 4096) for message in EXAMPLES]
        slot = messages.joined(parts)
        self.assertEqual(messages.decode_slot(slot.ljust(4096, b"\xaa")), EXAMPLES)
        self.assertEqual(messages.decode_slot(slot), EXAMPLES)
        for last in range(len(parts)):
            with self.assertRaises(messages.Violation):
                messages.decode_slot(messages.joined(parts[:last + 1] + [b""]).ljust(4096, b"\0"))
        with self.assertRaises(messages.Violation, msg="no room for another"):
            messages.decode_slot(messages.joined([parts[0], b""]))

    def test_the_text_of_a_status_is_cut_between_characters(self):
        long = Message(Type.ERROR_STATUS, 1, 2, status_code=13, status_text="é" * 4096)
        data = messages.encode(long, 4096)
        self.assertEqual(len(data), 4096)
        self.assertEqual(messages.decode(data).status_text, "é" * 2016)

    def test_a_key_that_is_longer_than_a_slot_is_refused(self):
        messages.encode(Message(Type.TENSOR_REQUEST, 1, 2, name="k" * 4032), 4096)
        with self.assertRaises(ValueError):
            messages.encode(Message(Type.TENSOR_REQUEST, 1, 2, name="k" * 4033), 4096)

    def test_checksum(self):
        self.assertEqual(tensors.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(tensors.crc32c(b""), 0)

    def test_strings_come_back(self):
        tensor = tensors.strings((2, 2), [b"", b"\0\xff", b"x" * 300, "é".encode()])
        self.assertEqual(tensors.string_values(tensor), [b"", b"\0\xff", b"x" * 300, "é".encode()])
        self.assertEqual(tensors.strings((), [b"a"]).content, bytes.fromhex("0807 1200 220161"))


if __name__ == "__main__":
    unittest.main()
